"""Formulas for h: what may be written is computed, all else is refused by name, nothing is evaluated."""

import random
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from viterbi_lab.formula import MOST_DEPTH, MOST_LETTERS, BadFormula, formula

T, N = 6, 3
K = np.arange(T + 1.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k", K),
        ("k**2", K**2),
        ("sqrt(k)", np.sqrt(K)),
        ("min(k, 3)", np.minimum(K, 3)),
        ("max(k - 1, 0, k / 2)", np.maximum(np.maximum(K - 1, 0), K / 2)),
        ("-k + 2 * T - N", -K + 2 * T - N),
        ("log(1 + k) / log(1 + T)", np.log(1 + K) / np.log(1 + T)),
        ("exp(-k)", np.exp(-K)),
        ("abs(k - 3)", np.abs(K - 3)),
        ("k > 0", K > 0),
        ("1 <= k < 3", (K >= 1) & (K < 3)),
        ("(k == 2) + (k != 2) * 5", np.where(K == 2, 1, 5)),
        ("1 / k if k > 0 else 0", [0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6]),
        ("0.5", np.full(T + 1, 0.5)),
        ("1e3*k", 1000 * K),
        ("10**300 * k", 1e300 * K),
    ],
)
def test_a_formula_is_computed_at_every_k(text, expected):
    np.testing.assert_allclose(formula(text).table(T, N), expected, rtol=1e-15)  # the same operations


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("k^2", r"written with \*\*"),
        ("k +", "not a formula"),
        ("k; import os", "not a formula"),
        ("x", "“x” is unknown"),
        ("__import__('os').system('true')", "is not allowed"),
        ("k.real", "“k.real” is not allowed"),
        ("k[0]", "is not allowed"),
        ("(lambda: k)()", "is not allowed"),
        ("[k for k in k]", "is not allowed"),
        ("'k'", "is not allowed"),
        ("True", "“True” is not allowed"),
        ("1j", "is not allowed"),
        ("k // 2", "is not allowed"),
        ("k and 1", "is not allowed"),
        ("k is k", "is not allowed"),
        ("(k := 2)", "is not allowed"),
        ("f'{k}'", "is not allowed"),
        ("sqrt", "needs its brackets"),
        ("sqrt(sqrt)", "needs its brackets"),
        ("sqrt(k, k)", "takes one argument"),
        ("min(k)", "at least two"),
        ("min(*k, *k)", "star"),
        ("min(k, 1, key=abs)", "is not allowed"),
        ("ｋ", "“ｋ” is not allowed"),
        ("ｅｖａｌ(k)", "is not allowed"),
        ("k\n+1", "is not allowed"),
        ("9" * 400, "400 letters"),
        ("1e999", "is not allowed"),
        ("(" * (MOST_DEPTH + 1) + "k" + ")" * (MOST_DEPTH + 1), "nested deeper"),
        ("-" * 130 + "k", "parts"),
    ],
)
def test_everything_else_is_refused_with_what_is_wrong(text, said):
    with pytest.raises(BadFormula, match=said):
        formula(text)


@pytest.mark.parametrize(
    ("text", "k"), [("1/k", 0), ("log(k)", 0), ("sqrt(3 - k)", 4), ("9**9**9**9", 0), ("exp(k * 400)", 2)]
)
def test_values_that_are_not_finite_are_refused_with_the_first_k(text, k):
    with pytest.raises(BadFormula, match=rf"h\({k}\) is"):
        formula(text).table(T, N)


PIECES = [
    "k", "T", "N", "0", "2", "1.5", "+", "-", "*", "/", "**", "(", ")", ",", "<", "//", "%", "==",
    " if ", " else ", "min(", "sqrt(", "exp(", "eval(", "__class__", ".", "[", "]", "'", "lambda", ":",
    " and ", "~", "{", "}", "=", ":=", "not ", "@", "\\", "#", "\x00", "é", "1e308", "j",
]  # fmt: skip


def test_twenty_thousand_random_texts_give_finite_tables_or_a_clean_refusal():
    """Any other exception fails; numbers, names and brackets are mixed so that about one in ten is valid."""
    rng = random.Random(20140204)
    valid = 0
    for _ in range(20_000):
        letters = PIECES if rng.random() < 0.7 else PIECES[:15]
        text = "".join(rng.choice(letters) for _ in range(rng.randint(1, 12)))
        try:
            h = formula(text).table(T, N)
        except BadFormula:
            continue
        valid += 1
        assert h.shape == (T + 1,)
        assert np.isfinite(h).all()
    assert valid > 200


@given(st.text(alphabet=string.printable, max_size=MOST_LETTERS))
def test_any_printable_text_is_a_formula_or_is_refused(text):
    try:
        table = formula(text).table(T, N)
    except BadFormula:
        return
    assert np.isfinite(table).all()


def test_a_formula_is_a_wrapper_for_any_length():
    wrapper = formula("min(k, 2) / T").wrapper(N)
    np.testing.assert_array_equal(wrapper.table(4), [0, 0.25, 0.5, 0.5, 0.5])
    np.testing.assert_array_equal(wrapper.table(1), [0, 1])
