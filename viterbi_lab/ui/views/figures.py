"""Finished figures on the page: ``figures.js`` embeds what it is given."""

from pathlib import Path

import param
from panel.custom import AnyWidgetComponent

FOLDER = Path(__file__).resolve().parents[1]
STYLE = """
.figures {
  display: grid; height: 100%; min-height: min-content;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
  grid-auto-rows: minmax(300px, 1fr);
}
"""


class Figures(AnyWidgetComponent):
    """Figures of Bokeh side by side, as JSON."""

    parts = param.List(default=[], item_type=str, doc="The JSON of each figure.")

    _esm = FOLDER / "figures.js"
    _stylesheets = [STYLE]  # noqa: RUF012 - Panel wants a list

    @classmethod
    def _process_importmap(cls) -> dict:
        """The module imports nothing; Panel would name a React on a remote host."""
        return {"imports": {}, "scopes": {}}
