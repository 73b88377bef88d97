"""How the engine refuses what is too big: with the bytes it needs, the limit, and the largest T that fits."""

from collections.abc import Callable

from viterbi_lab.limits import Limits

__all__ = ["Limits", "TooBig", "require"]


class TooBig(MemoryError):
    """A problem needs more bytes than the limit allows; nothing has been allocated."""


def require(
    bytes_at: Callable[[int], int],
    *,
    limit: int,
    purpose: str,
    length: int,
    n_states: int,
    order: int,
) -> None:
    """Refuse a problem that needs more than ``limit`` bytes.

    Args:
        bytes_at: bytes needed at a given length T, in Python integers, non-decreasing.
        limit: bytes allowed.
        purpose: what the memory would hold, for the message.
        length: T of the problem.
        n_states: N.
        order: ℓ.

    Raises:
        TooBig: if ``bytes_at(length) > limit``. The message names T, N, ℓ, the bytes needed,
            the limit and the largest T that fits.
    """
    needed = bytes_at(length)
    if needed <= limit:
        return
    fits, too_long = 0, length
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if bytes_at(middle) <= limit:
            fits = middle
        else:
            too_long = middle
    advice = (
        f"The largest T that fits is {fits}." if fits else "No T fits; use fewer states or a lower order."
    )
    raise TooBig(
        f"{purpose} for T={length}, N={n_states}, ℓ={order} needs {needed:,} bytes, "
        f"but the limit is {limit:,}. {advice}"
    )
