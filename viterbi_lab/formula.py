"""A loss wrapper h typed as a formula in k: read by a whitelist, computed on arrays, never evaluated as code.

The text is parsed by `ast` after its letters, length and nesting are checked; each node is then computed by
this module itself. What is not listed in `NAMES`, `FUNCTIONS` and the operators below is refused by name.
"""

import ast
import operator
import re
import warnings
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

import numpy as np

from viterbi_lab.losses import Wrapper

MOST_LETTERS, MOST_NODES, MOST_DEPTH = 200, 120, 24
NAMES = ("k", "T", "N")
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
SIGNS = {ast.UAdd: operator.pos, ast.USub: operator.neg}
COMPARISONS = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ONE = {"abs": np.abs, "sqrt": np.sqrt, "log": np.log, "exp": np.exp}
MANY = {"min": np.minimum, "max": np.maximum}
FUNCTIONS = (*ONE, *MANY)
ADVICE = f"Write numbers, k, T, N, + - * / **, comparisons, a if b else c, and {', '.join(FUNCTIONS)}."


class BadFormula(ValueError):
    """A text that is no formula; the message says what is wrong and what may be written."""


@dataclass(frozen=True)
class Formula:
    """A checked formula in k, T and N.

    Attributes:
        text: as it was typed.
        tree: its expression.
    """

    text: str
    tree: ast.expr

    def table(self, length: int, n_states: int) -> np.ndarray:
        """Compute h.

        Args:
            length: T, so that k runs over 0..T.
            n_states: N.

        Returns:
            (T + 1,) float64, all finite.

        Raises:
            BadFormula: if a value is not a finite number; the message names the first k.
        """
        k = np.arange(length + 1, dtype=np.float64)
        values = {"k": k, "T": np.float64(length), "N": np.float64(n_states)}
        with np.errstate(all="ignore"):
            h = np.array(np.broadcast_to(_value(self.tree, values), k.shape), np.float64)
        wrong = np.flatnonzero(~np.isfinite(h))
        if wrong.size:
            at = int(wrong[0])
            raise BadFormula(f"h({at}) is {h[at]:g} for h(k) = {self.text}. Every h(k) must be finite.")
        return h

    def wrapper(self, n_states: int) -> Wrapper:
        """The formula as a loss wrapper for sequences of any length."""
        return Wrapper(self.text, lambda k: self.table(len(k) - 1, n_states))


def formula(text: str) -> Formula:
    """Read a formula.

    Args:
        text: what was typed, such as ``k**2`` or ``min(k, 3) if k > 1 else 0``.

    Raises:
        BadFormula: if it is none.

    Example:
        >>> formula("min(k, 3) / T").table(4, n_states=2)
        array([0.  , 0.25, 0.5 , 0.75, 0.75])
    """
    text = text.strip()
    if not text:
        raise BadFormula(f"The formula is empty. {ADVICE}")
    if len(text) > MOST_LETTERS:
        raise BadFormula(f"The formula has {len(text)} letters; {MOST_LETTERS} are allowed.")
    strange = re.search(r"[^ -~]", text)
    if strange:
        raise BadFormula(f"“{strange[0]}” is not allowed. {ADVICE}")
    if "^" in text:
        raise BadFormula("Powers are written with **, as in k**2.")
    if _depth(text) > MOST_DEPTH:
        raise BadFormula(f"Brackets are nested deeper than {MOST_DEPTH}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd but valid spelling, such as 1if
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadFormula(f"“{text}” is not a formula. {ADVICE}") from None
    for number, node in enumerate(ast.walk(tree)):
        if number == MOST_NODES:
            raise BadFormula(f"The formula has more than {MOST_NODES} parts.")
        _check(node, text)
    with np.errstate(all="ignore"):
        _value(tree, dict.fromkeys(NAMES, np.ones(1)))  # a function's name without brackets shows here
    return Formula(text, tree)


def _depth(text: str) -> int:
    deepest = depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _check(node: ast.AST, text: str) -> None:
    """Refuse everything that is not on the list, by what stands in the text."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and _fits(value):
            return
        case ast.Name(id=name) if name in NAMES or name in FUNCTIONS:
            return
        case ast.Name(id=name):
            raise BadFormula(f"“{name}” is unknown. {ADVICE}")
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return
        case ast.UnaryOp(op=op) if type(op) in SIGNS:
            return
        case ast.Compare(ops=ops) if all(type(op) in COMPARISONS for op in ops):
            return
        case ast.IfExp() | ast.Load():
            return
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            if any(isinstance(argument, ast.Starred) for argument in arguments):
                raise BadFormula(f"A star in {name}(…) is not allowed. {ADVICE}")
            if name in ONE and len(arguments) != 1:
                raise BadFormula(f"{name}(…) takes one argument, not {len(arguments)}.")
            if name in MANY and len(arguments) < 2:
                raise BadFormula(f"{name}(…) takes at least two arguments, not {len(arguments)}.")
            return
        case ast.operator() | ast.unaryop() | ast.cmpop():
            if type(node) in (*OPERATORS, *SIGNS, *COMPARISONS):
                return
    piece = ast.get_source_segment(text, node) if isinstance(node, ast.expr) else type(node).__name__
    raise BadFormula(f"“{piece}” is not allowed. {ADVICE}")


def _fits(value: float) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def _value(node: ast.expr, values: dict[str, np.ndarray]) -> np.ndarray:
    """The value of a checked node: an array over k, or one number. A comparison is 1 or 0."""
    match node:
        case ast.Constant(value=value):
            return np.float64(value)
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left, values), _value(right, values))
        case ast.UnaryOp(op=op, operand=operand):
            return SIGNS[type(op)](_value(operand, values))
        case ast.Compare(left=left, ops=ops, comparators=rest):
            sides = [_value(side, values) for side in (left, *rest)]
            holds = np.bool_(True)
            for op, (one, other) in zip(ops, pairwise(sides), strict=True):
                holds = holds & COMPARISONS[type(op)](one, other)
            return np.asarray(holds, np.float64)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return np.where(_value(test, values) != 0, _value(body, values), _value(orelse, values))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            computed = [_value(argument, values) for argument in arguments]
            if name in ONE:
                return ONE[name](computed[0])
            return reduce(MANY[name], computed)
    raise BadFormula(f"“{getattr(node, 'id', '…')}” needs its brackets, as in sqrt(k).")
