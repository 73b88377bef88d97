"""Back, Forward and "Copy link": keeps the address of the page and what is shown in step with each other."""

from collections.abc import Callable
from dataclasses import replace

import param

from viterbi_lab.ui import address
from viterbi_lab.ui.address import Place
from viterbi_lab.ui.presets import Preset
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.sessions.story import StorySession
from viterbi_lab.ui.views.address import AddressBar


class Navigation:
    """Follows the address where the reader goes by it, and writes it where the reader goes by the page.

    An entry of the browser's history is a view, an example, a size, ⊙ or a rule of h. What is edited inside
    of it and the last step are kept with it.

    Args:
        stepper: whose question and step are meant.
        story: whose beat is meant.
        examples: by title.
        turn_to: shows a view.
        tell: shows sentences about what a link asked for in vain; none clears them.
    """

    def __init__(
        self,
        stepper: StepperSession,
        examples: dict[str, Preset],
        story: StorySession,
        turn_to: Callable[[str], None],
        tell: Callable[[list[str]], None],
    ) -> None:
        self._stepper, self._examples, self._story = stepper, examples, story
        self._turn_to, self._tell = turn_to, tell
        self._here = Place(address.VIEWS[0], stepper.question, stepper.preset)
        self._following = False
        self.bar = AddressBar(width=0, height=0, margin=0)
        self.bar.param.watch(self._hear, "heard")
        stepper.param.watch(self._moved, ["question", "step"])
        story.param.watch(self._turned, ["number"])

    def viewed(self, view: str) -> None:
        """The reader turned to a view."""
        self._arrive(replace(self._here, view=view))

    def copy_link(self, *_events) -> None:
        """Put a link to this place on the clipboard, or say why there is none."""
        try:
            query = address.written(self._here, self._examples)
        except ValueError as error:
            self._tell([str(error)])
        else:
            self.bar.copy = {"serial": self.bar.copy.get("serial", 0) + 1, "query": query}

    def follow(self, query: str) -> None:
        """Show the place that an address asks for."""
        place, complaints = address.read(query, self._examples)
        self._following = True
        try:
            complaints += self._show(place)
        finally:
            self._following = False
        self._here = replace(self._now(), view=place.view)
        self._tell(complaints)
        if complaints:
            self._send(self._here, push=False)

    def _hear(self, event: param.parameterized.Event) -> None:
        self.follow(event.new["query"])

    def _show(self, place: Place) -> list[str]:
        """Show a place, and return what of it could not be."""
        self._turn_to(place.view)
        if place.view == "story":
            self._story.go(place.beat)
            if self._story.number < place.beat:
                return [f"The link's beat is {place.beat}, but the story has {self._story.number}."]
        if place.question is None:
            return []
        try:
            self._stepper.restore(place.question, preset=place.preset, step=place.step)
        except ValueError as error:
            return [f"The link's problem could not be shown: {error}"]
        if self._stepper.step < place.step:
            return [f"The link's step is {place.step}, but the last one is {self._stepper.step}."]
        return []

    def _now(self) -> Place:
        stepper = self._stepper
        return replace(
            self._here,
            question=stepper.question,
            preset=stepper.preset,
            step=stepper.step,
            beat=self._story.number,
        )

    def _turned(self, *_events) -> None:
        self._arrive(self._now())

    def _moved(self, *events: param.parameterized.Event) -> None:
        if any(event.name == "question" for event in events):
            self._arrive(self._now())
        else:
            self._here = self._now()

    def _arrive(self, place: Place) -> None:
        if self._following:
            return
        before, self._here = self._here, place
        if _entry(before) != _entry(place):
            self._tell([])
            self._send(place, push=True, leaving=before)
        elif before.question is not place.question:
            self._send(place, push=False)

    def _send(self, place: Place, *, push: bool, leaving: Place | None = None) -> None:
        self.bar.place = {
            "serial": self.bar.place.get("serial", 0) + 1,
            "query": self._written(place),
            "leaving": self._written(leaving) if leaving else "",
            "push": push,
        }

    def _written(self, place: Place) -> str:
        try:
            return address.written(place, self._examples)
        except ValueError:  # too long for a link; "Copy link" says so, Back leads to the beginning
            return f"view={place.view}"


def _entry(place: Place) -> tuple:
    """What makes an entry of the history of its own."""
    question = place.question
    return place.view, place.beat, place.preset, question.size, question.op, question.rule
