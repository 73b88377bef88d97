"""The state of the Story view: which beat of which story is told, on a stage of its own."""

import param

from viterbi_lab.ui import story_file
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.story_file import Beat, Story


class StorySession(param.Parameterized):
    """What one visitor sees of a story. Between two beats everything on the stage may be tried."""

    story = param.ClassSelector(class_=Story, constant=True, doc="The story that is told.")
    number = param.Integer(default=1, bounds=(1, None), constant=True, doc="The beat, from 1.")
    error = param.String(default="", doc="What is wrong with the file that was opened last.")

    def __init__(self, story: Story) -> None:
        self.stepper = StepperSession()
        super().__init__()
        self._tell(story, 1)

    @property
    def beat(self) -> Beat:
        """The beat that is told."""
        return self.story.beats[self.number - 1]

    @property
    def caption(self) -> dict:
        """The beat as the stage tells it."""
        return {
            "number": self.number,
            "count": len(self.story.beats),
            "title": self.beat.title,
            "text": self.beat.say,
            "marks": list(self.beat.marks),
        }

    def turn(self, number: int) -> str:
        """Go to the beat of this number, which stands beside the one that is told.

        Returns:
            A sentence if there is none; else it is empty.
        """
        if number < 1:
            return "This is the first beat."
        if number > len(self.story.beats):
            return "This is the last beat."
        self.go(number)
        return ""

    def go(self, number: int) -> None:
        """Tell a beat, from its beginning; numbers outside of the story mean its first or last one."""
        self._tell(self.story, max(1, min(number, len(self.story.beats))))

    def open(self, raw: bytes, name: str) -> None:
        """Tell the story of a file, or say in ``error`` why it cannot be told; then the old one goes on.

        Args:
            raw: the bytes of the file.
            name: what errors call it.
        """
        try:
            story = story_file.read_bytes(raw, name)
        except ValueError as error:
            self.error = str(error)
            return
        self.error = ""
        self._tell(story, 1)

    def _tell(self, story: Story, number: int) -> None:
        beat = story.beats[number - 1]
        self.stepper.open(beat.question, step=beat.step)
        again = story is self.story and number == self.number
        changes = {"number": number} if story is self.story else {"number": number, "story": story}
        with param.edit_constant(self):
            self.param.update(**changes)
            if again:  # from its beginning
                self.param.trigger("number")
