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
    "export": "what saves a file, in Step, Story and Scale",
    "steps": "the buttons and the bar of steps, in Step, Compare and Story",
    "card": "the card that explains a cell",
    "g": "the scores g, in Step, Compare and Story",
    "charts": "the charts of Compare",
    "beats": "the list of beats in Story, and its keys",
    "story": "Open own story",
    "settings": "the settings of Train and Tasks; the buttons stay",
    "records": "recorded runs: replay, open, save",
}
"""What can be hidden, by its name in a link."""

STAGE = {
    "steps": ".vl .toolbar { display: none; }",
    "card": ".vl .card { visibility: hidden; }",
    "g": ".vl .grids { display: none; }",
}
"""Parts of the stage: the style that hides them."""


COMPARE = {
    "charts": ".compare svg + svg { display: none; }",
    "g": ".compare .strip { display: none; }",
}
"""Parts of the pictures in Compare: the style that hides them."""


def styles(parts: dict[str, str], hidden: frozenset[str]) -> list[str]:
    """Return the style sheets of those parts that are hidden."""
    return [style for name, style in parts.items() if name in hidden]


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
