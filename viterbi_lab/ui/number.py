"""Numbers as people write them, in the very way of the stage (`values.js`): short, and zero only for zero."""

from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, inf, log10

HUGE, TINY = 1e6, 1e-4  # beyond, powers of ten


def shown(value: float, decimals: int = 2) -> str:
    """Return a number with at most so many decimals, but with two digits of a small one.

    Args:
        value: any number; infinities are written ∞.
        decimals: of numbers from 1 on.

    Example:
        >>> shown(12.3456), shown(-0.0123), shown(-0.0), shown(2.5e-7)
        ('12.35', '−0.012', '0', '2.5e−7')
    """
    value, size = float(value) + 0.0, abs(float(value))
    if size in (0.0, inf):
        return _signed("0" if size == 0 else str(value).replace("inf", "∞"))
    if size >= HUGE or size < TINY:
        return _signed(_power(value, 1))
    return _signed(_plain(value, max(decimals, 1 - floor(log10(size)))))


def fitted(value: float, room: float) -> str:
    """Return a number in so many digits: fewer decimals, no 0 before the point, at last ≈0.

    Args:
        value: any number.
        room: in digits; a point is half of one.

    Example:
        >>> fitted(-12.34, 4), fitted(0.04, 3), fitted(0.0004, 2), fitted(123456, 3)
        ('−12', '.04', '≈0', '1e5')
    """
    exact = shown(value)
    if _width(exact) <= room or abs(value) == inf:
        return exact
    shorter = [_plain(value, decimals) for decimals in (1, 0)]
    bare = [_plain(value, decimals) for decimals in (2, 1)]
    shorter += [text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text for text in bare]
    shorter.append(_power(value, 0))
    found = next((text for text in shorter if float(text) and _width(text) <= room), None)
    if found is not None:
        return _signed(found)
    return "≈0" if abs(value) < 1 else _signed(_power(value, 0))


def _plain(value: float, decimals: int) -> str:
    """Decimals as JavaScript rounds them: a half goes away from zero."""
    return _trimmed(format(Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f"))


def _power(value: float, decimals: int) -> str:
    rounded = Context(prec=decimals + 1, rounding=ROUND_HALF_UP).create_decimal(value)
    return f"{_trimmed(format(rounded.scaleb(-rounded.adjusted()), 'f'))}e{rounded.adjusted()}"


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _width(text: str) -> float:
    return len(text) - 0.5 * text.count(".")
