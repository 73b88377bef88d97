"""What goes between a session and a stage in whichever home: the problem there, the reader's wishes back."""

from collections.abc import Callable

from viterbi_lab.ui.sessions.stepper import StepperSession

HEARD = ("edit", "op", "rule", "step")
"""What the stage writes; a home passes it to `Link.hear`."""


class Link:
    """Keeps one stage in step with one session.

    Args:
        session: what is shown, and who decides.
        tell: how the home sets values of its stage, by name as ``trellis.js`` lists them.
        turn: goes to a beat, and returns what is wrong with that; None without a story.
    """

    def __init__(
        self,
        session: StepperSession,
        tell: Callable[[dict], None],
        turn: Callable[[int], str] | None = None,
    ) -> None:
        self._session, self._tell, self._turn = session, tell, turn
        self._revision = -1
        session.param.watch(self._show, ["question"])
        session.param.watch(self._move, ["step"])
        self._show()
        tell({"step": session.step})

    def hear(self, news: dict) -> None:
        """Take over what the stage wrote: ⊙, h, the step, or the wish to change the problem."""
        wish = news.pop("edit", None)
        if wish:
            error = self._granted(wish["kind"], int(wish["index"]), str(wish["text"]))
            self._tell({"reply": {"serial": wish["serial"], "error": error}})
        self._session.param.update(**news)

    def _granted(self, kind: str, index: int, text: str) -> str:
        if kind == "beat" and self._turn is not None:
            return self._turn(index)
        return self._session.edit(kind, index, text)

    def _show(self, *_events) -> None:
        """Send the problem if its tables changed, and always what ⊙ and h are."""
        session, news = self._session, {}
        if session.revision != self._revision:
            self._revision = session.revision
            news["problem"] = session.message()
        self._tell({**news, "h": session.tables(), "rule": session.question.rule, "op": session.question.op})

    def _move(self, *_events) -> None:
        self._tell({"step": self._session.step})
