"""What the browser runs: the modules and the style sheets of stage and scene, in the colours of the lab."""

import base64
import gzip
import json
import re
from pathlib import Path

from viterbi_lab.ui.palette import DARK, LIGHT

FOLDER = Path(__file__).resolve().parent
STAGE = FOLDER / "trellis" / "trellis.js"
IMPORT = re.compile(r'^import \{[^}]*\} from "\./([a-z]+\.js)";\n', re.M)


def stage_js() -> str:
    """Return the stage as one ES module that imports nothing: every home takes it so."""
    return joined(STAGE)


def stage_css() -> str:
    """Return the style sheet of the stage with its colours, light and dark."""
    return _painted(".vl", "trellis/trellis.css")


def scene_css() -> str:
    """Return the style sheet of the scenes of Tasks with their colours, light and dark."""
    return _painted(".scene", "scene.css")


def packed() -> str:
    """Return module and style sheet of the stage without comments and indentation, packed for one file.

    Packed is JSON of ``js`` and ``css`` by gzip in base 85; ``boot.js`` undoes it.
    """
    parts = {"js": _bare(stage_js()), "css": _bare(stage_css())}
    return base64.b85encode(gzip.compress(json.dumps(parts).encode(), mtime=0)).decode()


def boot() -> str:
    """Return the script of a page without a server: it unpacks `packed` and draws the stage."""
    return (FOLDER / "boot.js").read_text(encoding="utf-8")


def joined(entry: Path) -> str:
    """Return an ES module and all that it imports as one module, each after what it needs.

    Modules lie in one folder, import by name and export where they define; a name stands for one thing in all
    of them. What they run while they are loaded may use only what they import.

    Args:
        entry: the module that is wanted; its own exports stay.

    Raises:
        ValueError: if an import is written otherwise.
    """
    parts: dict[str, str] = {}

    def take(module: Path) -> None:
        source = module.read_text(encoding="utf-8")
        parts[module.name] = ""  # a circle is cut where it closes: its functions are there once all is loaded
        for name in IMPORT.findall(source):
            if name not in parts:
                take(module.parent / name)
        body = IMPORT.sub("", source)
        if re.search(r"^\s*import\b", body, re.M):
            raise ValueError(f"{module.name} imports otherwise than by names from its own folder.")
        if module != entry:
            body = re.sub(r"^export (?=(?:async )?function|const)", "", body, flags=re.M)
        del parts[module.name]
        parts[module.name] = body

    take(entry)
    return "".join(parts.values())


def _painted(selector: str, name: str) -> str:
    colours = LIGHT.css(selector) + DARK.css(f"{selector}.dark")
    return colours + (FOLDER / name).read_text(encoding="utf-8")


def _bare(source: str) -> str:
    """A source without comments (lines of their own, or behind code) and without what stands around lines."""
    without = re.sub(r"^\s*(?:/\*(?s:.)*?\*/|//.*)\n", "", source, flags=re.M)
    without = re.sub(r"(?<=[;,{}\])]) // [^\"'`\n]*$", "", without, flags=re.M)  # a text would end behind it
    return re.sub(r"^[ \t]+|[ \t]+$|^\n", "", without, flags=re.M)
