"""What the browser runs: the modules and the style sheets of stage and scene, in the colours of the lab."""

import base64
import gzip
import json
import re
from pathlib import Path

from viterbi_lab.ui.palette import DARK, LIGHT

FOLDER = Path(__file__).resolve().parent


def stage_js() -> str:
    """Return the stage as one ES module; it is that of every home."""
    return (FOLDER / "trellis.js").read_text(encoding="utf-8")


def stage_css() -> str:
    """Return the style sheet of the stage with its colours, light and dark."""
    return _painted(".vl", "trellis.css")


def scene_css() -> str:
    """Return the style sheet of the scenes of Tasks with their colours, light and dark."""
    return _painted(".scene", "scene.css")


def packed() -> str:
    """Return module and style sheet of the stage without comments and indentation, packed for one file.

    Packed is JSON of ``js`` and ``css`` by gzip in base 85; ``unpack.js`` undoes it.
    """
    parts = {"js": _bare(stage_js()), "css": _bare(stage_css())}
    return base64.b85encode(gzip.compress(json.dumps(parts).encode(), mtime=0)).decode()


def unpack() -> str:
    """Return the script that unpacks `packed` in the browser."""
    return (FOLDER / "unpack.js").read_text(encoding="utf-8")


def _painted(selector: str, name: str) -> str:
    colours = LIGHT.css(selector) + DARK.css(f"{selector}.dark")
    return colours + (FOLDER / name).read_text(encoding="utf-8")


def _bare(source: str) -> str:
    """A source without lines that are only comment, and without what stands before and after lines."""
    without = re.sub(r"^\s*(?:/\*(?s:.)*?\*/|//.*)\n", "", source, flags=re.M)
    return re.sub(r"^[ \t]+|[ \t]+$|^\n", "", without, flags=re.M)
