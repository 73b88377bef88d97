"""A teacher's link: ``?hide=side,g`` in an address leaves controls out, for slides and frames."""

NAMES = {
    "side": "the side bar",
    "views": "the views in the header",
    "link": "Copy link",
    "example": "the menu of examples",
    "size": "T, N and ℓ",
    "h": "the loss wrapper h",
    "op": "⊙",
    "y": "the field of true labels",
    "random": "Randomise g",
    "undo": "Undo, Redo, Reset",
    "problem": "Own problem",
    "export": "Export",
    "steps": "the buttons and the bar of steps",
    "card": "the card that explains a cell",
    "g": "the scores g",
}
"""What can be hidden, by its name in a link."""

STAGE = {
    "steps": ".vl .toolbar { display: none; }",
    "card": ".vl .card { visibility: hidden; }",
    "g": ".vl .grids { display: none; }",
}
"""Parts of the stage: the style that hides them."""


def read(text: str) -> tuple[frozenset[str], list[str]]:
    """Return the names to hide, and a sentence for each that is unknown.

    Args:
        text: names with commas between, as ``?hide=`` gives them.
    """
    given = [name.strip() for name in text.split(",") if name.strip()]
    strange = [name for name in given if name not in NAMES]
    complaints = [
        f"The link hides “{name[:30]}”, which is none of {', '.join(NAMES)}."
        for name in dict.fromkeys(strange[:3])
    ]
    return frozenset(given) & NAMES.keys(), complaints
