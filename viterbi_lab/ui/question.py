"""A question for the stepper: one inference problem with the names people see, and how it is changed.

Questions are frozen. Every change returns a new one, so keeping the old ones is an undo.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from viterbi_lab.dp import ChainProblem, ChainScores, Combine, Decoding, decode
from viterbi_lab.formula import formula
from viterbi_lab.losses import IDENTITY, SQRT, SQUARE, ZERO_ONE, Wrapper, capped, hamming_cost, listed

RULES = {"k": IDENTITY, "√k": SQRT, "k²": SQUARE, "0/1": ZERO_ONE}
CAPPED, OWN = "capped", "own list"
"""Loss wrappers h: those a name describes, and the two that need a number or a list."""

OPS = ("times", "plus", "plain")
"""⊙: slack rescaling, margin rescaling, and plain decoding, which ignores the loss."""

RANDOM_SCORES = 10  # random scores are the whole numbers 0..9: a person can add them


@dataclass(frozen=True, eq=False)
class Question:
    """What the stepper shows.

    Attributes:
        title: what it is, in a few words.
        labels: (N,) names of the labels.
        scores: the local scores g_t.
        y: (T,) int64, the true labels.
        rule: which loss wrapper h is meant, a key of `wrappers`.
        own: (K+1,) values of the wrapper ``own list``.
        formula: where it is not empty, what gives these values instead: a formula in k.
        cap: c of the wrapper ``capped``, min(k, c).
        op: one of `OPS`.
        offset: constant added to every score sum before ⊙.
        kmin: 0, or 1 to exclude ŷ = y.
        cost: (T, N) int64, what a label adds to k; None for the Hamming distance.
        lifted_from: the question of lower order that has the same scores, if there is one.

    Raises:
        ValueError: if there are not N names.
    """

    title: str
    labels: tuple[str, ...]
    scores: ChainScores
    y: np.ndarray
    rule: str = "k"
    own: tuple[float, ...] = ()
    formula: str = ""
    cap: int = 2
    op: str = "times"
    offset: float = 0.0
    kmin: int = 0
    cost: np.ndarray | None = None
    lifted_from: "Question | None" = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.labels) != self.scores.n_states:
            raise ValueError(
                f"{len(self.labels)} labels are named, but the scores have N = {self.scores.n_states} labels."
            )
        if not self.own:
            object.__setattr__(self, "own", tuple(IDENTITY.table(self.largest_cost)))

    @classmethod
    def of(cls, problem: ChainProblem, title: str, labels: tuple[str, ...] | None = None) -> "Question":
        """Return the question that an inference problem is.

        Args:
            problem: any.
            title: where it comes from.
            labels: (N,) names; by default the numbers 1..N.
        """
        scores = problem.scores
        hamming = np.array_equal(problem.cost, hamming_cost(problem.y, scores.n_states))
        return cls(
            title=title,
            labels=labels or tuple(str(n + 1) for n in range(scores.n_states)),
            scores=scores,
            y=problem.y,
            rule=OWN,
            own=tuple(problem.h.tolist()),
            op="plus" if problem.op is Combine.PLUS else "times",
            offset=float(problem.offset),
            kmin=problem.kmin,
            cost=None if hamming else problem.cost,
        )

    @property
    def size(self) -> tuple[int, int, int]:
        """(T, N, ℓ)."""
        return self.scores.length, self.scores.n_states, self.scores.order

    @property
    def largest_cost(self) -> int:
        """K: there are K+1 floors."""
        if self.cost is not None:
            return int(self.cost.max(axis=1).sum())
        return self.scores.length

    @property
    def wrappers(self) -> dict[str, Wrapper]:
        """All loss wrappers that can be chosen, by rule."""
        return {**RULES, CAPPED: capped(self.cap), OWN: self._own()}

    def _own(self) -> Wrapper:
        return formula(self.formula).wrapper(self.scores.n_states) if self.formula else listed(self.own)

    @property
    def h(self) -> np.ndarray:
        """(K+1,) float64: h of the rule in force, at 0..K."""
        return self.wrappers[self.rule].table(self.largest_cost)

    @property
    def flat_first(self) -> np.ndarray:
        """(S,) float64, score sums of the first ℓ' labels; state ``s = j_1 + N·j_2 + …``, oldest first."""
        return self.scores.tables()[0].ravel(order="F")

    @property
    def flat_steps(self) -> np.ndarray:
        """((T-ℓ')·S·N,) float64, entry ``i + N·(s + S·m)``: from label i into state s at step m."""
        steps = [table.ravel(order="F") for table in self.scores.tables()[1:]]
        return np.concatenate(steps) if steps else np.zeros(0)

    def problem(self) -> ChainProblem:
        """Return what the engine solves; plain decoding is h = 0 under +, without the constant."""
        plain = self.op == "plain"
        return ChainProblem(
            scores=self.scores,
            y=self.y,
            h=np.zeros(self.largest_cost + 1) if plain else self.h,
            op=Combine.TIMES if self.op == "times" else Combine.PLUS,
            offset=0.0 if plain else self.offset,
            kmin=self.kmin,
            cost=self.cost,
        )

    def answer(self) -> Decoding:
        """Return the exact optimum."""
        return decode(self.problem())

    def rescored(self, kind: str, index: int, value: float) -> "Question":
        """Change one score.

        Args:
            kind: ``first`` for the score sum of the first ℓ' labels, ``step`` for a later site.
            index: place in `flat_first` or `flat_steps`.
            value: the new score; −inf forbids.

        Raises:
            ValueError: if the value is NaN or +inf.
            OverflowError: if score sums could become too large.
        """
        first, *windows = [table.copy(order="F") for table in self.scores.tables()]
        if kind == "first":
            first.reshape(-1, order="F")[index] = value
        else:
            site, place = divmod(index, windows[0].size)
            windows[site].reshape(-1, order="F")[place] = value
        return replace(self, scores=_assembled(first, windows, max(1, self.scores.order)), lifted_from=None)

    def randomised(self, seed: int) -> "Question":
        """Draw all scores anew; the true labels stay."""
        return replace(
            self,
            title=f"Random scores, seed {seed}",
            scores=random_scores(seed, self.size),
            offset=0.0,
            lifted_from=None,
        )

    def resized(self, length: int, n_states: int, order: int, seed: int, base: "Question") -> "Question":
        """Change T, N or ℓ, and keep what the old and the new problem have in common.

        Raising ℓ keeps every labelling's score, and lowering it again brings the old question back. What is
        new comes from ``base`` where that has it, else from the seed.
        """
        size = (length, n_states, order)
        if self.lifted_from is not None and self.lifted_from.size == size:
            lower = self.lifted_from
            return replace(
                lower, rule=self.rule, own=self.own, formula=self.formula, cap=self.cap, op=self.op
            )
        lifted = order > self.scores.order and size[:2] == self.size[:2]
        if lifted:
            zero = ChainScores.homogeneous(np.zeros((length, n_states)), np.zeros((n_states,) * (order + 1)))
            scores = self.scores.plus(zero)
        else:
            scores = _overlaid(random_scores(seed, size), [base.scores, self.scores])
        y = np.random.default_rng([seed, *size]).integers(n_states, size=length)
        for known in (base.y, self.y):
            common = known[:length]
            y[: common.size] = np.where(common < n_states, common, y[: common.size])
        own = (*self.own, *[self.own[-1]] * (length + 1))[: length + 1]
        names = self.labels + tuple(str(n) for n in range(len(self.labels) + 1, n_states + 1))
        return replace(
            self,
            labels=names[:n_states],
            scores=scores,
            y=y,
            own=own,
            lifted_from=self if lifted else None,
        )


def random_scores(seed: int, size: tuple[int, int, int]) -> ChainScores:
    """Whole scores 0..9 for a problem of size (T, N, ℓ), ℓ ≥ 1."""
    length, n_states, order = size
    window = max(1, min(order, length))
    rng = np.random.default_rng([seed, *size])
    return ChainScores.from_arrays(
        rng.integers(RANDOM_SCORES, size=(n_states,) * window),
        rng.integers(RANDOM_SCORES, size=(length - window,) + (n_states,) * (min(order, window) + 1)),
        order=order,
    )


def _assembled(first: np.ndarray, windows: list[np.ndarray], order: int) -> ChainScores:
    """Scores from tables as ``ChainScores.tables`` gives them, of order at least 1."""
    axes = first.shape[:1] * (first.ndim + 1)
    return ChainScores.from_arrays(first, np.array(windows) if windows else np.zeros((0, *axes)), order=order)


def _overlaid(scores: ChainScores, known: list[ChainScores]) -> ChainScores:
    """Take over from each of ``known``, the last with priority, every score that exists in both."""
    first, *windows = [table.copy() for table in scores.tables()]
    for other in known:
        if other.order != scores.order or other.window_order != scores.window_order:
            continue
        kept = slice(min(scores.n_states, other.n_states))
        other_first, *other_windows = other.tables()
        first[(kept,) * first.ndim] = other_first[(kept,) * first.ndim]
        for mine, theirs in zip(windows, other_windows, strict=False):
            mine[(kept,) * mine.ndim] = theirs[(kept,) * mine.ndim]
    return _assembled(first, windows, scores.order)
