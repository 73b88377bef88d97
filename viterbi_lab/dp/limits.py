"""What the engine may use: limits in bytes, checked before anything is allocated.

An operating system grants memory lazily and then kills the process that uses it.
So the limits are ours: a problem that would exceed one is refused with the bytes it needs,
the limit, and the largest T that fits.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass


class TooBig(MemoryError):
    """A problem needs more bytes than the limit allows; nothing has been allocated."""


@dataclass(frozen=True)
class Limits:
    """Limits of the engine; each may be overridden by the environment variable named beside it.

    Attributes:
        decode_bytes: working memory of one decoding, ``VITERBI_LAB_DECODE_BYTES`` (512 MB).
        trace_bytes: all tables L and S of one trace, ``VITERBI_LAB_TRACE_BYTES`` (64 MB).
    """

    decode_bytes: int = 512_000_000
    trace_bytes: int = 64_000_000

    @classmethod
    def from_environment(cls) -> "Limits":
        """The limits in force: the defaults, or what the environment says.

        Raises:
            ValueError: if a variable is set to something that is not a positive whole number.
        """
        return cls(
            decode_bytes=_bytes_from("VITERBI_LAB_DECODE_BYTES", cls.decode_bytes),
            trace_bytes=_bytes_from("VITERBI_LAB_TRACE_BYTES", cls.trace_bytes),
        )


def _bytes_from(variable: str, default: int) -> int:
    text = os.environ.get(variable)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ValueError(f"{variable}={text!r} is not a number of bytes. Give a positive whole number.")
    return int(text)


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
