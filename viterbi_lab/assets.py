"""Where the files that come with the lab lie: in the wheel inside the package, in a checkout beside it."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PLACES = (PACKAGE / "assets", PACKAGE.parent / "assets")


def asset(*parts: str) -> Path:
    """Return the path of a file or folder below ``assets``.

    Args:
        parts: its path, e.g. ``"problems", "worked_example.json"``.

    Raises:
        FileNotFoundError: if it lies in none of the places.
    """
    for place in PLACES:
        path = place.joinpath(*parts)
        if path.exists():
            return path
    wanted = "/".join(parts)
    raise FileNotFoundError(
        f"assets/{wanted} lies neither in {PLACES[0]} nor in {PLACES[1]}. "
        "Reinstall viterbi-lab, or run it from a complete checkout."
    )
