"""The state of the Step view: the question on the stage, the controls, and what is wrong with them.

It knows no widgets. A change of the problem goes through one door, ``_show``: the new question is solved
there, and only if that succeeds it takes the place of the last good one.
"""

from dataclasses import replace

import numpy as np
import param

from viterbi_lab.dp import ChainProblem, Decoding, NoFeasibleLabelling, TooBig, Trace, trace
from viterbi_lab.formula import BadFormula
from viterbi_lab.ui import typed
from viterbi_lab.ui.drawable import MOST_LABELS, MOST_ORDER, MOST_SITES
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.question import CAPPED, OPS, OWN, RULES, Question
from viterbi_lab.ui.sessions.history import History
from viterbi_lab.ui.wire import h_message, problem_message, words_message
from viterbi_lab.ui.words import undrawable

LOADED = "Loaded problem"


class StepperSession(param.Parameterized):
    """What one visitor looks at in the Step view. The controls ask; ``question`` is what is in force."""

    preset = param.Selector(doc="Example")
    length = param.Integer(default=4, bounds=(1, MOST_SITES), doc="Length T")
    states = param.Integer(default=3, bounds=(1, MOST_LABELS), doc="States N")
    order = param.Selector(default=1, objects=list(range(1, MOST_ORDER + 1)), doc="Order ℓ")
    rule = param.Selector(default="k", objects=[*RULES, CAPPED, OWN], doc="Loss wrapper h(k)")
    cap = param.Integer(default=2, bounds=(1, MOST_SITES), doc="c of h(k) = min(k, c)")
    own = param.String(default="", doc="h(0), h(1), … or a formula in k")
    op = param.Selector(default="times", objects=list(OPS), doc="Combine score ⊙ loss")
    truth = param.String(default="", doc="True labels y")
    seed = param.Integer(default=0, bounds=(0, 2**31 - 1), doc="Seed of random scores")
    step = param.Integer(default=0, bounds=(0, None), doc="Events done on the stage")
    question = param.ClassSelector(class_=Question, constant=True, doc="What is on the stage")
    errors = param.Dict(default={}, doc="What is wrong, by control: size, own, truth")

    def __init__(self) -> None:
        self._presets = presets()
        self._base = next(iter(self._presets.values())).question
        self._loaded: Question | None = None
        self._solved: Trace | Decoding | None = (
            None  # filled when first asked for: a new page need not wait for it
        )
        self._from_start, self._place = True, 0
        self._history = History()
        self.revision = 0  # of the problem; ⊙ and h do not belong to it
        super().__init__()
        self.param.preset.objects = list(self._presets)
        self.preset = self._base.title
        self.reset()
        self._history.clear()

    def message(self) -> dict:
        """Return the problem for the stage: typed arrays and small scalars, one consistent whole.

        Of a problem that is too big to be drawn there are words instead, in the list ``words``.
        """
        if self._solved is None:
            self._solved = _solved(self.question)
        drawn = isinstance(self._solved, Trace)
        message = (problem_message if drawn else words_message)(self.question, self._solved)
        return {"revision": self.revision, "reset": self._from_start, "place": self._place, **message}

    def tables(self) -> dict[str, np.ndarray]:
        """Return h by rule, each (K+1,) float64, so that the stage switches without asking."""
        return h_message(self.question)

    @property
    def why(self) -> str:
        """One sentence about the example, or where a loaded problem comes from."""
        preset = self._presets.get(self.preset)
        return preset.why if preset else self._base.title

    def load(self, problem: ChainProblem, title: str, labels: tuple[str, ...] | None = None) -> None:
        """Put any inference problem on the stage.

        Args:
            problem: what to look at.
            title: where it comes from.
            labels: (N,) names; by default the numbers 1..N.

        Raises:
            NoFeasibleLabelling: if every labelling is forbidden.
            TooBig: if it would not fit into memory.
        """
        self.open(Question.of(problem, title, labels))

    def open(self, question: Question, step: int = 0) -> None:
        """Put a question on the stage in place of the examples, a new beginning. Raises as `load`."""
        self.restore(question, step=step)
        self._history.clear()

    def restore(self, question: Question, *, preset: str = LOADED, step: int = 0) -> None:
        """Put a question on the stage at a step; undo leads back to what was there.

        Args:
            question: what to show.
            preset: the example that it was made from, to which `reset` returns; any other name means none.
            step: events done; above the end is the end.

        Raises:
            NoFeasibleLabelling: as `load`; then nothing has changed.
            TooBig: as `load`.
        """
        solved = _solved(question)
        if isinstance(solved, Trace):
            cells = int(np.isfinite(solved.L).sum())
            last = cells + 1 + question.scores.length - (question.scores.window_order - 1)
            step = min(step, last)  # cells, maximise, then the path
        if preset in self._presets:
            self._base = self._presets[preset].question
        else:
            preset, self._base, self._loaded = LOADED, question, question
            self.param.preset.objects = [*self._presets, LOADED]
        self.preset = preset
        self._put(question, solved, from_start=True, step=step)
        self.errors = {}

    def set_own(self, values: np.ndarray) -> None:
        """Take (K+1,) finite values as h, the rule ``own list``."""
        self.param.update(own=typed.listed(tuple(float(value) for value in values)), rule=OWN)

    def set_formula(self, text: str) -> None:
        """Take a formula in k, or a list of values, as h.

        Raises:
            ValueError: if it is neither, or not finite somewhere.
        """
        typed.wrapper(text, self.question)
        self.param.update(own=text, rule=OWN)

    def reset(self) -> None:
        """Go back to the example, or to what was loaded."""
        self._put(self._base, None, from_start=True)

    def undo(self) -> None:
        """Go back to the question before the last change; 50 are kept, at the first nothing happens."""
        self._travel(self._history.back(self.question))

    def redo(self) -> None:
        """Take back an undo; after a new change nothing happens."""
        self._travel(self._history.forth(self.question))

    def _travel(self, question: Question | None) -> None:
        if question is not None:
            self.revision += 1
            self._put(question, None, remember=False)
            self.errors = {}

    def randomise(self) -> None:
        """Draw new scores g; the true labels, h and ⊙ stay."""
        self.seed += 1

    def edit(self, kind: str, index: int, text: str) -> str:
        """Change one score or one true label, as the stage asks.

        Args:
            kind: ``first`` or ``step``, a place in the arrays of that name in `message`; ``y`` for a site;
                ``h`` for all its values; ``undo`` or ``redo``, where the rest does not matter.
            index: where, from 0.
            text: what was typed; for ``y`` the number of the label, from 0; for ``h`` h(0), h(1), …

        Returns:
            What is wrong with it; empty if it is in force now.
        """
        if kind in ("undo", "redo"):
            getattr(self, kind)()
            return ""
        if kind == "y":
            y = self.question.y.copy()
            y[index] = int(text)
            return self._show_truth(y)
        try:
            if kind == "h":
                self.set_formula(text)
                return ""
            value = typed.score(text)
            return self._show(self.question.rescored(kind, index, value))
        except (ValueError, OverflowError) as error:
            return str(error)

    @param.depends("preset", watch=True)
    def _choose(self) -> None:
        chosen = self._loaded if self.preset == LOADED else self._presets[self.preset].question
        if chosen is not self._base:
            self._base = chosen
            self.reset()
            self._history.clear()

    @param.depends("length", "states", "order", watch=True)
    def _resize(self) -> None:
        asked, now = (self.length, self.states, self.order), _sliders(self.question)
        # what the sliders cannot say stays as it is, unless somebody moves them
        size = tuple(
            before if new == old else new
            for new, old, before in zip(asked, now, self.question.size, strict=True)
        )
        if asked == now:
            complaint = ""
        elif self.question.cost is not None:
            complaint = "This problem has costs of its own, so its size is fixed. Choose another example."
        else:
            complaint = self._show(self.question.resized(*size, self.seed, self._base))
        self._complain("size", complaint)

    @param.depends("seed", watch=True)
    def _draw(self) -> None:
        self._show(self.question.randomised(self.seed))

    @param.depends("rule", "cap", "own", "op", watch=True)
    def _judge(self) -> None:
        """⊙ and h act on the last column only: the tables stay."""
        question = self.question
        own, text, complaint = question.own, question.formula, ""
        if self.own != typed.written_wrapper(question):
            try:
                own, text = typed.wrapper(self.own, question)
            except ValueError as error:
                complaint = str(error)
        self._complain("own", complaint)
        wanted = {"rule": self.rule, "cap": self.cap, "own": own, "formula": text, "op": self.op}
        if any(getattr(question, name) != value for name, value in wanted.items()):
            # of a problem that is not drawn only the answer is known, and that changes
            tables = self._solved if isinstance(self._solved, Trace) else None
            self.revision += bool(undrawable(question))
            self._put(replace(question, **wanted), tables)

    @param.depends("truth", watch=True)
    def _retruth(self) -> None:
        question = self.question
        if self.truth == typed.written_truth(question):
            complaint = ""
        else:
            try:
                complaint = self._show_truth(typed.truth(self.truth, question))
            except ValueError as error:
                complaint = str(error)
        self._complain("truth", complaint)

    def _show_truth(self, y: np.ndarray) -> str:
        if self.question.cost is not None:
            return "This problem has costs of its own, which belong to its y. Choose another example."
        return self._show(replace(self.question, y=y, lifted_from=None))

    def _show(self, question: Question) -> str:
        """Solve a question and put it on the stage, or return why it cannot be solved."""
        try:
            solved = _solved(question)
        except (NoFeasibleLabelling, TooBig, BadFormula) as error:
            return str(error)
        self.revision += 1
        self._put(question, solved)
        return ""

    def _put(
        self,
        question: Question,
        solved: Trace | Decoding | None,
        *,
        from_start: bool = False,
        step: int = 0,
        remember: bool = True,
    ) -> None:
        """Put a question in force, and let the controls say what it is."""
        if remember and self.question is not None:
            self._history.note(self.question)
        self._solved = solved
        self._from_start, self._place = from_start, step
        self.revision += from_start
        length, states, order = _sliders(question)
        with param.parameterized.batch_call_watchers(self):
            with param.edit_constant(self):
                self.question = question
            self.param.update(
                length=length,
                states=states,
                order=order,
                rule=question.rule,
                cap=question.cap,
                own=typed.written_wrapper(question),
                op=question.op,
                truth=typed.written_truth(question),
            )
            if from_start:
                self.step = step

    def _complain(self, control: str, text: str) -> None:
        if self.errors.get(control, "") != text:
            self.errors = {**self.errors, control: text}


def _solved(question: Question) -> Trace | Decoding:
    """All tables of a question, or the answer alone where they could not be drawn."""
    return question.answer() if undrawable(question) else trace(question.problem())


def _sliders(question: Question) -> tuple[int, int, int]:
    """T, N and ℓ as far as the controls can say them."""
    T, N, order = question.size
    return min(T, MOST_SITES), min(N, MOST_LABELS), min(max(1, order), MOST_ORDER)
