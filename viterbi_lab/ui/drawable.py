"""Which problems the stage can draw: what a browser holds and a person still finds the way through."""

MOST_SITES, MOST_LABELS, MOST_ORDER = 200, 6, 3
MOST_STATES = 64  # N^ℓ: more rows on one floor cannot be told apart
MOST_CELLS = 250_000  # of a table, T·(K+1)·N^ℓ; the message of both tables then has 5 MB


def too_big(T: int, N: int, order: int, K: int) -> str:
    """Return why a problem cannot be drawn; empty if it can.

    Args:
        T: sites.
        N: labels.
        order: ℓ.
        K: the highest floor.
    """
    if T > MOST_SITES or N > MOST_LABELS:
        return f"T = {T}, N = {N} cannot be drawn: T is at most {MOST_SITES}, N at most {MOST_LABELS}."
    if order > MOST_ORDER:
        return f"ℓ = {order} cannot be drawn: ℓ is at most {MOST_ORDER}."
    window = max(1, min(order, T))
    states = N**window
    if states > MOST_STATES:
        return (
            f"N = {N} labels are too many for ℓ = {window}: {states} states on each floor, and {MOST_STATES} "
            "can be drawn. Take fewer labels or a lower order."
        )
    cells = T * (K + 1) * states
    if cells <= MOST_CELLS:
        return ""
    longest = next(length for length in range(T, 0, -1) if length * (length + 1) * states <= MOST_CELLS)
    return (
        f"T = {T} sites, {K + 1} floors and {states} states are {cells:,} cells, and {MOST_CELLS:,} can be "
        f"drawn. With N = {N} and ℓ = {window}, T can be at most {longest}."
    )
