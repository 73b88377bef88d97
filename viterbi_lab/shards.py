"""Examples in shards on the workers of a Dask cluster, and what a round asks of them.

No labelling and nothing else whose size depends on the number of examples leaves a worker: a shard answers
weights by sums, which the cluster adds up. Whatever Dask is asked to do stands here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from viterbi_lab.oracle import SeparationOracle
from viterbi_lab.rescaling import Rescaling
from viterbi_lab.tasks.base import Example, Task

if TYPE_CHECKING:
    from distributed import Client, Future

Loader = Callable[[], Sequence[Example]]

FAN_IN = 16
"""How many sums one task of the cluster adds up: the machine that adds never holds more."""

POLL_SECONDS = 0.2
"""How often a waiting round asks whether it is cancelled."""


@dataclass(frozen=True, eq=False)
class Shard:
    """Some of the examples, on a worker, and the oracle that looks at them.

    Attributes:
        task: the application.
        examples: prepared examples, at least one.
        rescaling: SLACK or MARGIN.
    """

    task: Task
    examples: Sequence[Example]
    rescaling: Rescaling

    @cached_property
    def oracle(self) -> SeparationOracle:
        """Made where it is first asked, and kept there."""
        return SeparationOracle(self.task, self.examples, self.rescaling)

    def answer(self, w: np.ndarray) -> np.ndarray:
        """(d + 4,) float64: Σz (d,), Σb, Σξ, the number of examples, and the seconds that it took."""
        begin = time.perf_counter()
        look = self.oracle.look(w)
        z, b = look.mean_row()
        n, slack = len(self.examples), np.maximum(look.value, 0.0).sum()
        return np.concatenate([n * z, [n * b, slack, n, time.perf_counter() - begin]])

    def __reduce__(self):
        """Without the oracle."""
        return Shard, (self.task, self.examples, self.rescaling)


@dataclass(frozen=True, eq=False)
class Shards:
    """All shards of a training on their workers, made by `scatter` or `load`.

    Attributes:
        client: the cluster.
        task: the application.
        futures: one for each shard. They are results of loaders, so that Dask calls a loader again on another
            worker when one dies, and then whatever waited for the shard.
    """

    client: Client
    task: Task
    futures: Sequence[Future]

    def __len__(self) -> int:
        return len(self.futures)

    def ask(self, w: np.ndarray, planes: int, cancelled: Callable[[], bool]) -> np.ndarray | None:
        """The sums of the answers of every group of shards, (planes, d + 4) float64; None if cancelled.

        What a worker raises, its oracle or a loader, is raised here.

        Raises:
            ConnectionError: if workers die again and again over the same shard.
        """
        from distributed import KilledWorker, wait

        totals = self._submit(w, planes)
        while any(not total.done() for total in totals):
            try:
                wait(totals, timeout=POLL_SECONDS)
            except TimeoutError:
                if cancelled():
                    return None
        try:
            return np.array(self.client.gather(totals))
        except KilledWorker as killed:
            raise ConnectionError(
                f"Workers died over the same shard several times: {killed} Give workers more memory, or make "
                "more and smaller shards."
            ) from killed

    def _submit(self, w: np.ndarray, planes: int) -> list[Future]:
        submit = self.client.submit
        answers = [submit(Shard.answer, shard, w, pure=False) for shard in self.futures]
        totals = []
        for group in np.array_split(np.arange(len(answers)), planes):
            sums = [answers[s] for s in group]
            while len(sums) > 1:
                sums = [submit(sum, sums[i : i + FAN_IN], pure=False) for i in range(0, len(sums), FAN_IN)]
            totals += sums
        return totals


def scatter(
    client: Client,
    task: Task,
    examples: Sequence[Example],
    *,
    rescaling: Rescaling,
    count: int | None = None,
) -> Shards:
    """Send examples to the workers of a cluster, once.

    The scheduler keeps a copy, to send it again when a worker dies. `load` needs no such copy.

    Args:
        client: a ``distributed.Client``.
        task: the application.
        examples: what ``task.prepare`` returned.
        rescaling: SLACK or MARGIN.
        count: S, the number of shards; by default one for each thread of the workers. Optima are the same
            for every number, but sums differ in their last bits.

    Raises:
        ModuleNotFoundError: if Dask is not installed.
        ValueError: if there is no example or no worker, or ``count`` is not in 1..n.
    """
    _require_dask()
    if not examples:
        raise ValueError("There is no example to train on. Give at least one.")
    if count is None:
        count = min(sum(client.nthreads().values()), len(examples))
        if not count:
            raise ValueError("The cluster has no worker. Wait for one: client.wait_for_workers(1).")
    if not 1 <= count <= len(examples):
        raise ValueError(f"count={count}; {len(examples)} examples make 1..{len(examples)} shards.")
    parts = np.array_split(np.arange(len(examples)), count)
    return load(
        client,
        task,
        [partial(tuple, examples[part[0] : part[-1] + 1]) for part in parts],
        rescaling=rescaling,
    )


def load(client: Client, task: Task, loaders: Sequence[Loader], *, rescaling: Rescaling) -> Shards:
    """Let the workers read their examples themselves: for data that no single machine holds.

    Args:
        client: a ``distributed.Client``.
        task: the application.
        loaders: one function for each shard, which reads its data and returns what ``task.prepare`` made of
            them, at least one example. It is called again if its worker dies.
        rescaling: SLACK or MARGIN.

    Raises:
        ModuleNotFoundError: if Dask is not installed.
        ValueError: if there is no loader.
    """
    _require_dask()
    import dask

    if not loaders:
        raise ValueError("There is no loader. Give one for each shard.")
    # what `scatter` sends is large on purpose
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
        futures = [client.submit(_loaded, task, loader, rescaling, pure=False) for loader in loaders]
    return Shards(client, task, tuple(futures))


def _loaded(task: Task, loader: Loader, rescaling: Rescaling) -> Shard:
    return Shard(task, tuple(loader()), rescaling)


def _require_dask() -> None:
    """Say what to install where Dask is missing, before anything else does."""
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            'Training on a cluster needs Dask. Install it: pip install "viterbi-lab[distributed]".'
        ) from missing
