"""The colours of the lab, light and dark: the one place for stage, pictures, charts and page.

Contrast against what it lies on is at least 3:1 for marks and 4.5:1 for text, also as the colour-blind see
it. The run colours follow Okabe and Ito; runs differ by the shape of their points, too, and from the seventh
on by the dash pattern.
"""

from dataclasses import dataclass

HEAT_LEVELS = 12


@dataclass(frozen=True)
class Palette:
    """One theme. All colours are ``#rrggbb``.

    Attributes:
        is_dark: whether it is the dark one.
        background: of the page.
        surface: of what lies on it.
        card: of cells, cards and controls of the stage.
        ink: of what is read.
        muted: of what is said beside.
        line: of borders and grids.
        edge: of lines, rings and bars.
        decision: of the choice, the answer, and what is wrong.
        on_decision: of digits on it.
        truth: of true labels, and what is right.
        current: of the cell of a step.
        on_current: of digits on it.
        lanes: of the floors, by turns.
        heat: of the smallest and the largest sum of a column.
        runs: of the first runs.
    """

    is_dark: bool
    background: str
    surface: str
    card: str
    ink: str
    muted: str
    line: str
    edge: str
    decision: str
    on_decision: str
    truth: str
    current: str
    on_current: str
    lanes: tuple[str, str]
    heat: tuple[str, str]
    runs: tuple[str, ...]

    def run(self, number: int) -> tuple[str, str, str]:
        """Return colour, dash pattern and shape of points of the run with this number, counted from 0."""
        round_, place = divmod(number, len(self.runs))
        return self.runs[place], DASHES[round_ % len(DASHES)], MARKERS[place]

    def level(self, level: int) -> str:
        """Return the colour of a level of heat, ``0..HEAT_LEVELS - 1``."""
        low, high = ([int(end[n : n + 2], 16) for n in (1, 3, 5)] for end in self.heat)
        share = level / (HEAT_LEVELS - 1)
        return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(low, high, strict=True))

    def css(self, selector: str) -> str:
        """Return a rule that gives the colours to a style sheet: ``--ink``, ``--lane-0`` and so on."""
        colours = {name.replace("_", "-"): getattr(self, name) for name in NAMED}
        colours |= {"lane-0": self.lanes[0], "lane-1": self.lanes[1]}
        colours |= {"heat-low": self.heat[0], "heat-high": self.heat[1]}
        lines = (f"  --{name}: {colour};\n" for name, colour in colours.items())
        return f"{selector} {{\n{''.join(lines)}}}\n"


NAMED = (
    "card", "ink", "muted", "line", "edge", "decision", "on_decision", "truth", "current", "on_current",
)  # fmt: skip
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex")
"""Shapes of points, as Bokeh calls them: one for each run colour."""
DASHES = ("solid", "dashed", "dotted", "dashdot")

LIGHT = Palette(
    is_dark=False,
    background="#ffffff",
    surface="#f6f8fa",
    card="#ffffff",
    ink="#1b1f24",
    muted="#59616b",
    line="#c9ced6",
    edge="#7d8791",
    decision="#a84600",
    on_decision="#ffffff",
    truth="#007658",
    current="#ffe08a",
    on_current="#1b1f24",
    lanes=("#f6f8fa", "#eff3f6"),
    heat=("#d3e5f2", "#08589e"),
    runs=("#a84600", "#0072b2", "#007658", "#a8527f", "#8f6400", "#6b4fa0"),
)
DARK = Palette(
    is_dark=True,
    background="#15181c",
    surface="#1e2328",
    card="#14181c",
    ink="#eceff3",
    muted="#a7b0ba",
    line="#3f4852",
    edge="#6a7580",
    decision="#ff8a3d",
    on_decision="#1b1f24",
    truth="#3ddbb0",
    current="#ffe08a",
    on_current="#1b1f24",
    lanes=("#1a1f24", "#20262c"),
    heat=("#2b3d4f", "#8fd2f8"),
    runs=("#ff8a3d", "#56b4e9", "#3ddbb0", "#e79ac3", "#e6b32e", "#b8a2e3"),
)
