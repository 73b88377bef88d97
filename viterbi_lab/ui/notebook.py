"""The trellis in a notebook: ``Trellis(problem)`` shows itself, steps, and reads back what was done.

Two homes draw it: anywidget where that is installed, else Panel.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from viterbi_lab.assets import asset
from viterbi_lab.dp import ChainProblem
from viterbi_lab.losses import listed, sampled
from viterbi_lab.ui import export, picture, problem_file
from viterbi_lab.ui.question import OPS, RULES, Question
from viterbi_lab.ui.sessions.stepper import StepperSession

SPOKEN_OPS = {"slack": "times", "margin": "plus", **{op: op for op in OPS}}
HOMES = ("anywidget", "panel")
WRITERS = {
    ".html": export.html,
    ".svg": picture.svg,
    ".png": export.png,
    ".gif": export.gif,
    ".json": export.json_text,
    ".csv": export.cells_csv,
    ".py": export.python_code,
}


@dataclass(frozen=True)
class Result:
    """The optimum of what a trellis shows.

    Attributes:
        value: ``(score + offset) ⊙ h(k)``; for plain decoding the score.
        score: Σ_t g_t(y).
        k: wrong labels, or the cost where labels have costs of their own.
        y: (T,) the names of the optimal labels.
    """

    value: float
    score: float
    k: int
    y: tuple[str, ...]


class Trellis:
    """One problem on a stage in a notebook cell.

    Args:
        problem: a `ChainProblem`, the path of a JSON file, or the name of an example: ``"worked_example"``.
        op: ⊙, ``"slack"`` (·), ``"margin"`` (+) or ``"plain"``; by default that of the problem.
        h: the loss wrapper: ``"k"``, ``"√k"``, ``"k²"``, ``"0/1"`` (or identity, sqrt, square, zero-one), a
            formula in k such as ``"min(k, 3)"``, the values h(0), h(1), …, or a function of k, called at
            0..T; by default that of the problem.
        labels: (N,) names of the labels, for a `ChainProblem`; by default 1..N.
        height: of the stage, in pixels.
        home: ``"anywidget"`` or ``"panel"``; by default what is installed, in this order.

    Raises:
        ValueError: if an argument is none of these.
        NoFeasibleLabelling: if every labelling is forbidden.
        FileNotFoundError: if there is no such file or example.

    Example:
        >>> trellis = Trellis("worked_example", op="margin")
        >>> trellis.result
        Result(value=19.0, score=16.0, k=3, y=('1', '2', '2', '1'))
    """

    def __init__(
        self,
        problem: ChainProblem | str | Path = "worked_example",
        *,
        op: str | None = None,
        h: str | Sequence[float] | Callable[[int], float] | None = None,
        labels: Sequence[str] | None = None,
        height: int = 680,
        home: str | None = None,
    ) -> None:
        if home not in (None, *HOMES):
            raise ValueError(f"home is {home!r}; it is one of {', '.join(HOMES)}.")
        self._home, self._height, self._shown = home, height, None
        self._session = StepperSession()
        if isinstance(problem, ChainProblem):
            self._session.load(problem, "Own problem", tuple(labels) if labels is not None else None)
        else:
            if labels is not None:
                raise ValueError("A file names its own labels; labels= is for a ChainProblem.")
            self._session.open(problem_file.read(_path(problem)))
        if op is not None:
            self.op = op
        if h is not None:
            self.h = h

    @property
    def step(self) -> int:
        """Events done on the stage: 0 at the start. Setting it moves the stage; above the end is the end."""
        return self._session.step

    @step.setter
    def step(self, events: int) -> None:
        self._session.step = events

    @property
    def op(self) -> str:
        """⊙: ``times`` (slack), ``plus`` (margin) or ``plain``."""
        return self._session.op

    @op.setter
    def op(self, op: str) -> None:
        if op not in SPOKEN_OPS:
            raise ValueError(f"op is {op!r}; it is one of {', '.join(SPOKEN_OPS)}.")
        self._session.op = SPOKEN_OPS[op]

    @property
    def h(self) -> list[float]:
        """The loss wrapper in force, sampled at every k from 0 to K."""
        return self._session.question.h.tolist()

    @h.setter
    def h(self, h: str | Sequence[float] | Callable[[int], float]) -> None:
        session = self._session
        if isinstance(h, str):
            rules = {wrapper.name: rule for rule, wrapper in RULES.items()} | {rule: rule for rule in RULES}
            if h in rules:
                session.rule = rules[h]
            else:
                session.set_formula(h)
            return
        wrapper = sampled(h) if callable(h) else listed(h)
        session.set_own(wrapper.table(session.question.largest_cost))

    @property
    def problem(self) -> ChainProblem:
        """What the engine solves: also what was edited in the browser."""
        return self._session.question.problem()

    @property
    def result(self) -> Result:
        """The exact optimum of what is on the stage."""
        question: Question = self._session.question
        answer = question.answer()
        labels = tuple(question.labels[label] for label in answer.y)
        return Result(answer.value, answer.score, answer.k, labels)

    def export(self, path: str | Path) -> Path:
        """Write what is on the stage to a file.

        Its ending says what: .html, .svg, .png, .gif, .json, .csv or .py.

        Raises:
            ValueError: if the ending is none of these, or the extra for .png and .gif is not installed.
            OSError: if the file cannot be written.
        """
        path = Path(path)
        if path.suffix not in WRITERS:
            raise ValueError(f"{path.name} ends in none of {', '.join(WRITERS)}.")
        content = WRITERS[path.suffix](self._session.question)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def __repr__(self) -> str:
        question = self._session.question
        T, N, order = question.size
        return f"<Trellis {question.title!r}: T = {T}, N = {N}, ℓ = {order}, step {self.step}>"

    def _repr_mimebundle_(self, include=None, exclude=None) -> object:
        """What a notebook shows of the last line of a cell."""
        return self.view()._repr_mimebundle_(include=include, exclude=exclude)

    def view(self) -> object:
        """Return the widget itself, to place it in a layout: an anywidget, or a Panel component."""
        if self._shown is None:
            home = self._home or ("anywidget" if find_spec("anywidget") else "panel")
            if home == "anywidget":
                from viterbi_lab.ui.widget import TrellisWidget  # late: an optional dependency

                self._shown = TrellisWidget(self._session, self._height)
            else:
                from viterbi_lab.ui.views.cell import cell  # late: Panel takes a second to import

                self._shown = cell(self._session, self._height)
        return self._shown


def _path(name: str | Path) -> Path:
    """A file as it is called, else the example of that name."""
    path = Path(name)
    if path.suffix == ".json" or path.exists():
        return path
    known = sorted(file.stem for file in asset("problems").glob("*.json") if file.stem != "order")
    if str(name) not in known:
        raise FileNotFoundError(
            f"There is neither a file nor an example {name!s}. Examples: {', '.join(known)}."
        )
    return asset("problems", f"{name}.json")
