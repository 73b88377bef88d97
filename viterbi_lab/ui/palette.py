"""The colours of the lab, light and dark, and the order in which runs take theirs.

Contrast against the background of its theme is at least 3:1 for marks and 4.5:1 for text. The run
colours follow Okabe and Ito; from the seventh run on the dash pattern changes.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """One theme. All colours are ``#rrggbb``."""

    is_dark: bool
    background: str
    surface: str
    ink: str
    muted: str
    line: str
    edge: str
    decision: str
    truth: str
    runs: tuple[str, ...]

    def run(self, number: int) -> tuple[str, str]:
        """Return colour and dash pattern of the run with this number, counted from 0."""
        return self.runs[number % len(self.runs)], DASHES[number // len(self.runs) % len(DASHES)]


DASHES = ("solid", "dashed", "dotted", "dashdot")

LIGHT = Palette(
    is_dark=False,
    background="#ffffff",
    surface="#f6f8fa",
    ink="#1b1f24",
    muted="#59616b",
    line="#c9ced6",
    edge="#7d8791",
    decision="#b84e00",
    truth="#00795c",
    runs=("#b84e00", "#0072b2", "#00795c", "#a8527f", "#8f6400", "#2b7fab"),
)
DARK = Palette(
    is_dark=True,
    background="#15181c",
    surface="#1e2328",
    ink="#eceff3",
    muted="#a7b0ba",
    line="#3a424b",
    edge="#6a7580",
    decision="#ff8a3d",
    truth="#3ddbb0",
    runs=("#ff8a3d", "#56b4e9", "#3ddbb0", "#e79ac3", "#e6b32e", "#9cc9ff"),
)
