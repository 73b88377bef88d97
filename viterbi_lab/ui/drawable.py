"""Which problems the stage can draw: sites, labels and rows that a projector still shows apart."""

MOST_SITES, MOST_LABELS, MOST_ORDER = 40, 6, 3
MOST_ROWS = 256  # floors times states: more would be thinner than two pixels of a projector


def too_big(T: int, N: int, window: int, K: int) -> str:
    """Return why a problem cannot be drawn; empty if it can.

    Args:
        T: sites.
        N: labels.
        window: ℓ', labels in a state.
        K: the highest floor.
    """
    if T > MOST_SITES or N > MOST_LABELS:
        return f"T = {T}, N = {N} cannot be drawn: T is at most {MOST_SITES}, N at most {MOST_LABELS}."
    states = N**window
    rows = states * (K + 1)
    if rows <= MOST_ROWS:
        return ""
    longest = MOST_ROWS // states - 1
    advice = (
        f"With N = {N} and ℓ = {window}, T can be at most {longest}."
        if longest > window
        else f"N = {N} labels are too many for ℓ = {window}; take fewer labels or a lower order."
    )
    return f"{K + 1} floors of {states} rows are {rows} rows, and {MOST_ROWS} can be drawn. {advice}"
