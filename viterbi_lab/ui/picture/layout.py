"""Where everything of a picture stands: floors fill the height, k = 0 at the bottom."""

from dataclasses import dataclass

from viterbi_lab.ui.picture.moment import Cell

LEFT, RIGHT, HEAD, BELOW = 84, 200, 62, 14  # px around the floors
BARE_RIGHT = 6  # px beside the last column where its values are not drawn
CIRCLE_ROW = 15  # px; lower rows become heat cells
GAPLESS_ROW = 4  # px; lower heat cells touch each other
LETTERS = 9  # px between columns; closer ones have no room for a label


@dataclass(frozen=True)
class Layout:
    """Pixels.

    Attributes:
        width: of the picture.
        height: of the picture.
        length: T, the number of sites.
        floors: K + 1.
        states: of a floor.
        right: px beside the last column.
    """

    width: int
    height: int
    length: int
    floors: int
    states: int
    right: int

    @property
    def lane(self) -> float:
        """The height of a floor."""
        return (self.height - HEAD - BELOW) / self.floors

    @property
    def pad(self) -> float:
        """What a floor leaves empty above and below its rows."""
        return min(7.0, 0.08 * self.lane) if self.lane > GAPLESS_ROW * self.states else 0.0

    @property
    def row(self) -> float:
        """The height of a state."""
        return (self.lane - 2 * self.pad) / self.states

    @property
    def circles(self) -> bool:
        """Whether cells are circles with digits; else they are heat."""
        return self.row >= CIRCLE_ROW

    @property
    def radius(self) -> float:
        """Of a circle."""
        return min(18.0, 0.47 * self.row)

    @property
    def gap(self) -> float:
        """From one site to the next."""
        return min(0.3 * self.width, (self.width - LEFT - self.right - 40) / max(1, self.length - 1))

    @property
    def cell(self) -> float:
        """The width of a cell."""
        return 2 * self.radius if self.circles else min(26.0, max(3.0, 0.62 * self.gap))

    @property
    def letters(self) -> bool:
        """Whether a site has room for its label."""
        return self.gap >= LETTERS

    def x(self, t: int) -> float:
        """The middle of a site."""
        return LEFT + 20 + t * self.gap

    def y(self, k: int, s: int) -> float:
        """The middle of a state on a floor."""
        return HEAD + (self.floors - 1 - k) * self.lane + self.pad + (s + 0.5) * self.row

    def curve(self, a: Cell, b: Cell) -> str:
        """The edge between two cells, as SVG draws it."""
        x1, x2 = self.x(a[0]) + self.cell / 2, self.x(b[0]) - self.cell / 2
        y1, y2, half = self.y(*a[1:]), self.y(*b[1:]), (x1 + x2) / 2
        return f"M{x1:.1f} {y1:.1f}C{half:.1f} {y1:.1f} {half:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"

    def box(self, t: int, y: float, rows: int) -> str:
        """The outline of so many cells below each other, the first one around the height y."""
        h = max(1.0, rows * self.row - (0.0 if self.row < GAPLESS_ROW else 1.0))
        top = y - self.row / 2 + (rows * self.row - h) / 2
        return f"M{self.x(t) - self.cell / 2:.1f} {top:.1f}h{self.cell:.1f}v{h:.1f}h-{self.cell:.1f}z"


def every(pixels: float, needed: float) -> int:
    """Return how many steps of so many pixels lie between two numbers that need some room."""
    return next((n for n in (1, 5, 10, 20, 50) if n * pixels >= needed), 100)
