"""The letters of a picture, as SVG."""

SERIF = "STIX Two Text, Georgia, Times New Roman, serif"
SANS = "Inter, Roboto, Helvetica Neue, Arial, sans-serif"


def text(
    x: float,
    y: float,
    content: str,
    *,
    anchor: str = "middle",
    size: float = 13,
    fill: str = "",
    bold: bool = False,
    underlined: bool = False,
) -> str:
    """Return a text around the height y; what the whole document says of texts is not said again."""
    said = {
        "text-anchor": anchor if anchor != "middle" else "",
        "font-size": size if size != 13 else "",
        "fill": fill,
        "font-weight": "700" if bold else "",
        "text-decoration": "underline" if underlined else "",
    }
    more = "".join(f' {name}="{value}"' for name, value in said.items() if value)
    return f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}"{more}>{content}</text>'


def italic(letter: str) -> str:
    """Return a letter as formulas have it."""
    return f'<tspan font-family="{SERIF}" font-style="italic">{letter}</tspan>'
