"""The state of the Train view on one page: settings, and the runs of its visitor. It knows no widgets."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import param

from viterbi_lab.data.dataset import GENES as DNA
from viterbi_lab.data.genes import SIGMAS
from viterbi_lab.iterate import Status
from viterbi_lab.rescaling import RESCALINGS
from viterbi_lab.ui import own_data
from viterbi_lab.ui.attack import Attack, attack
from viterbi_lab.ui.datasets import data_of, most_examples
from viterbi_lab.ui.own_data import OwnData
from viterbi_lab.ui.recording import Recording
from viterbi_lab.ui.sessions.runs import Run, Runs
from viterbi_lab.ui.settings import CELEGANS, GENES, OWN, TRAINERS, WRAPPERS, Settings

DECADES = tuple(10.0**exponent for exponent in range(-8, 7))  # the paper's grid of C
EPSILONS = (0.1, 0.05, 0.01, 0.005, 0.001)  # shares of the objective
SUGGESTED_C = {
    (GENES, "slack"): 0.1,
    (GENES, "margin"): 0.1,
    (CELEGANS, "slack"): 1e-4,  # slacks of loci with 800 sites are large
    (CELEGANS, "margin"): 1.0,
}


class TrainingSession(param.Parameterized):
    """Settings on one page, and the runs of its visitor: one at a time, the earlier ones for comparison.

    Args:
        runs: the visitor's; by default none yet. A page that finds some begins with the last one's settings.
        params: settings.
    """

    data = param.Selector(default=GENES, objects=[GENES, CELEGANS, OWN], doc="What to learn.")
    rescaling = param.Selector(default="slack", objects=list(RESCALINGS), doc="How the loss enters.")
    sigma = param.Selector(default=2.0, objects=list(SIGMAS), doc="Noise σ of the synthetic signals.")
    n = param.Integer(default=40, bounds=(2, most_examples(GENES)), doc="Training examples.")
    C = param.Selector(default=0.1, objects=list(DECADES), doc="What slacks cost.")
    epsilon = param.Selector(
        default=0.01, objects=list(EPSILONS), doc="Stop when the gap is below this share of the objective."
    )
    wrapper = param.Selector(default="k", objects=list(WRAPPERS), doc="The loss is h of the wrong sites.")
    seed = param.Integer(default=1, bounds=(0, 2**31 - 1), doc="Seed of the data.")
    trainer = param.Selector(objects=list(TRAINERS), doc="How the optimum is approached.")

    def __init__(self, runs: Runs | None = None, **params) -> None:
        self._suggested = SUGGESTED_C[GENES, "slack"]
        self.own: OwnData | None = None
        super().__init__(**params)
        self._runs = Runs() if runs is None else runs
        self._seen: list[tuple[int, str]] = []
        if self.current is not None and not self.current.recorded:
            self.own = self.current.own
            settings = asdict(self.current.settings)
            settings.pop("own")
            self.param.update(**settings)

    @param.depends("data", watch=True)
    def _fit_n(self) -> None:
        """Offer only as many examples as there are."""
        least = self.param.n.bounds[0]
        most = max(least, most_examples(self.data, self.own))
        if self.n > most:
            self.n = most
        self.param.n.bounds = (least, most)

    @param.depends("data", "rescaling", watch=True)
    def _suggest_cost(self) -> None:
        """Bring C to the scale of the data, unless the visitor chose one."""
        before, self._suggested = self._suggested, self._usual_cost()
        if before == self.C:
            self.C = self._suggested

    def _usual_cost(self) -> float:
        """The C from which to start."""
        if self.data != OWN:
            return SUGGESTED_C[self.data, self.rescaling]
        if self.own is not None and self.own.kind == DNA:
            return SUGGESTED_C[CELEGANS, self.rescaling]
        per_sequence = 0.02 if self.rescaling == "margin" else 0.002
        return min(DECADES, key=lambda C: abs(np.log(C / (per_sequence * self.n))))

    @property
    def settings(self) -> Settings:
        """What a run started now would be determined by."""
        asked = {name: getattr(self, name) for name in Settings.__dataclass_fields__ if name != "own"}
        named = self.data == OWN and self.own is not None
        return Settings(**asked, own=self.own.name if named else "")

    @property
    def runs(self) -> list[Run]:
        """The runs of this visitor, in the order of starting."""
        return self._runs.all

    @property
    def current(self) -> Run | None:
        """The run that was started last."""
        return self.runs[-1] if self.runs else None

    @property
    def is_busy(self) -> bool:
        """Whether a run is going on, paused or not."""
        return self._runs.is_busy

    @property
    def is_paused(self) -> bool:
        """Whether the run is held."""
        return self._runs.is_paused

    @property
    def is_behind(self) -> bool:
        """Whether the runs know more than `drain` has told."""
        return self._seen != self._known()

    @property
    def phase(self) -> str:
        """What the worker is doing now, or where in the queue the run waits."""
        return self._runs.phase

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the settings that differ from those of the last run."""
        if self.current is None or self.current.recorded:
            return ()
        now, then = asdict(self.settings), asdict(self.current.settings)
        return tuple(name for name in now if now[name] != then[name])

    @property
    def can_train(self) -> bool:
        """Whether there is something to train on, and no run goes on."""
        return not self.is_busy and (self.data != OWN or self.own is not None)

    def bring(self, own: OwnData) -> tuple[str, ...]:
        """Train on a visitor's own file from now on.

        Args:
            own: the file.

        Returns:
            A sentence for everything in it that was repaired, chosen or left out.

        Raises:
            ValueError: if it cannot be read, or not be trained on; nothing has changed then.
        """
        notes = own_data.read(own).notes
        self.own = own
        if self.data == OWN:
            self.param.trigger("data")
        else:
            self.data = OWN
        self.n = self.param.n.bounds[1]
        return notes

    @property
    def can_continue(self) -> bool:
        """Whether the last run can go on, or its constraints be of use, under the present settings."""
        last = self.current
        if self.is_busy or last is None or last.known is None:
            return False
        unfinished = last.word != Status.CONVERGED.name.lower()
        return self.settings.same_program(last.settings) and (unfinished or self.settings != last.settings)

    def train(self) -> None:
        """Start a run with the present settings from nothing, unless one is going on."""
        if self.can_train:
            self._runs.train(self.settings, self._file)

    def continue_training(self) -> None:
        """Start a run with the present settings from the constraints of the last one, if they hold."""
        if self.can_continue:
            self._runs.train(self.settings, self._file, self.current)

    @property
    def _file(self) -> OwnData | None:
        return self.own if self.data == OWN else None

    def replay(self, recording: Recording) -> None:
        """Show a recorded run pass by pass, without computing, unless a run is going on."""
        self._runs.replay(recording)

    def pause(self) -> None:
        """Hold the run within one example."""
        self._runs.pause()

    def resume(self) -> None:
        """Let the run go on."""
        self._runs.resume()

    def cancel(self) -> None:
        """End the run within a second; what it has done stays."""
        self._runs.cancel()

    def drain(self) -> bool:
        """Take in what the worker has said; return whether this page has not drawn all of it before."""
        self._runs.drain()
        behind = self.is_behind
        self._seen = self._known()
        return behind

    def _known(self) -> list[tuple[int, str]]:
        return [(len(run.passes), run.status) for run in self.runs]

    def can_ask(self, run: Run) -> bool:
        """Whether `attack` can be asked: a recording has the weights of its last pass only, and no data."""
        return run.w is not None and (run.settings.data != OWN or run.own is not None)

    def attack(self, run: Run, number: int, site: int | None = None) -> Attack:
        """Ask the oracle again, at the last weights of a run.

        Args:
            run: one of which `can_ask` says so.
            number: of the training example, from 0.
            site: a site that the window must hold, from 0; None: whichever shows most.
        """
        return attack(data_of(run.settings, run.own), number, run.w, run.settings.rescaling, site)

    def toggle(self, number: int) -> None:
        """Hide a run, or show it again.

        Raises:
            ValueError: if there is no run of that number.
        """
        if not 0 <= number < len(self.runs):
            raise ValueError(f"There is no run {number + 1}; there are {len(self.runs)}.")
        self.runs[number].visible = not self.runs[number].visible
