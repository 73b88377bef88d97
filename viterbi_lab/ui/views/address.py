"""The address of the page inside Panel: ``address.js`` reads and writes what stands behind its ?."""

from pathlib import Path

import param
from panel.custom import AnyWidgetComponent

FOLDER = Path(__file__).resolve().parents[1]


class AddressBar(AnyWidgetComponent):
    """The browser's address and history. What the parameters mean is written in ``address.js``."""

    heard = param.Dict(default={}, doc="Where the reader wants to be.")
    place = param.Dict(default={}, doc="Where the reader is.")
    copy = param.Dict(default={}, doc="What is to be copied as a link.")

    _esm = FOLDER / "address.js"

    @classmethod
    def _process_importmap(cls) -> dict:
        """The module imports nothing; Panel would name a React on a remote host."""
        return {"imports": {}, "scopes": {}}
