"""JSON that somebody wrote by hand: nothing is dropped, and what is wrong is told by line and column."""

import json


def parse(text: str) -> object:
    """Return what a JSON text holds.

    Raises:
        ValueError: if it is not JSON, names a key twice, holds NaN or an infinity, or is nested too deep; the
            message names line and column, or the key.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        reason = error.msg[0].lower() + error.msg[1:]
        raise ValueError(f"line {error.lineno}, column {error.colno}: {reason}.") from None
    except RecursionError:
        raise ValueError("brackets are nested too deep.") from None


def _unique(pairs: list[tuple[str, object]]) -> dict:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object.")
    return content


def _refuse(name: str) -> float:
    raise ValueError(f'{name} is no number of JSON. A forbidden score is written "-inf".')
