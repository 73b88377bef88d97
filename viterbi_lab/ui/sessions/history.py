"""Undo and redo: questions are frozen, so a change is taken back by showing the one before."""

from viterbi_lab.ui.question import Question

MOST_UNDO = 50


class History:
    """The questions before and after the one in force; 50 are kept."""

    def __init__(self) -> None:
        self._past: list[Question] = []
        self._future: list[Question] = []

    def note(self, before: Question) -> None:
        """Remember what was in force before a change; what was undone until then is forgotten."""
        self._past = [*self._past[1 - MOST_UNDO :], before]
        self._future.clear()

    def clear(self) -> None:
        """Begin anew."""
        self._past.clear()
        self._future.clear()

    def back(self, now: Question) -> Question | None:
        """Return the question before the last change and remember ``now`` for `forth`; None at the first."""
        return self._travel(self._past, self._future, now)

    def forth(self, now: Question) -> Question | None:
        """Return what the last `back` left; None if nothing was undone, or changed since."""
        return self._travel(self._future, self._past, now)

    @staticmethod
    def _travel(source: list[Question], target: list[Question], now: Question) -> Question | None:
        if not source:
            return None
        target.append(now)
        return source.pop()
