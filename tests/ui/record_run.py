"""Record the run that comes with the lab: ``uv run python tests/ui/record_run.py``.

Margin rescaling on loci of *C. elegans*, to a gap of 2 %; it lands in ``assets/runs``.
"""

from viterbi_lab.assets import PLACES
from viterbi_lab.ui.datasets import most_examples
from viterbi_lab.ui.jobs import Signals
from viterbi_lab.ui.recording import Recording, write
from viterbi_lab.ui.settings import CELEGANS, Settings
from viterbi_lab.ui.training import train
from viterbi_lab.ui.views.records import SHIPPED

SETTINGS = Settings(
    CELEGANS, "margin", sigma=2.0, n=most_examples(CELEGANS), C=1.0, epsilon=0.02, wrapper="k", seed=1
)


def main() -> None:
    news = list(train(SETTINGS, None, None, Signals()))
    path = PLACES[-1].joinpath(*SHIPPED)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        write(
            Recording(
                SETTINGS,
                news[0].card,
                tuple(item.seen for item in news if item.seen),
                next(item.status for item in news if item.status),
                next(item.w for item in reversed(news) if item.seen),
            )
        )
    )


if __name__ == "__main__":
    main()
