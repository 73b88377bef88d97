"""Stories: what a file may hold and what is told about a bad one; beats by keys, in the lab and in a file."""

import copy
import json
import re
import threading
from dataclasses import replace
from pathlib import Path

import panel as pn
import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.cli import main
from viterbi_lab.limits import Limits
from viterbi_lab.ui import story_file, story_page
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.sessions.story import StorySession
from viterbi_lab.ui.story_file import bundled, read_text
from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.views.story import StoryView

COLD = 120_000  # ms: the first page of a machine compiles the kernels
PATIENCE = 30.0  # seconds
SMALL = {
    "title": "Small",
    "beats": [
        {"title": "One", "say": "First.", "problem": "worked_example"},
        {"title": "Two", "say": "Second.", "op": "plus", "step": "end", "point": [{"floor": 3}]},
    ],
}


def changed(path: str, value: object) -> str:
    """The small story as text, with the value at a path such as ``beats.0.say`` replaced."""
    content = copy.deepcopy(SMALL)
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place = content
    for key in parents:
        place = place[key]
    place[last] = value
    return json.dumps(content)


def test_the_bundled_story_has_nine_beats_of_one_sentence_that_point_at_something():
    story = bundled()
    assert len(story.beats) == 9
    for beat in story.beats:
        assert re.fullmatch(r"[^.?!]+(\.\d[^.?!]*)*\.", beat.say), beat.say
        assert beat.marks


def test_the_numbers_that_the_bundled_story_says_are_those_of_the_engine():
    questions = {beat.title: beat.question for beat in bundled().beats}
    slack, margin = questions["Slack: times"].answer(), questions["Margin: plus"].answer()
    plain = replace(questions["Margin: plus"], op="plain").answer()
    assert (slack.value, slack.score, slack.k) == (52, 13, 4)
    assert (margin.value, margin.score, margin.k) == (19, 16, 3)
    assert (plain.value, int((plain.y != questions["Margin: plus"].y).sum())) == (17, 1)


def test_a_beat_goes_on_with_the_problem_before_it_unless_it_brings_its_own():
    one, two = read_text(json.dumps(SMALL), "talk.json").beats
    assert two.question.scores is one.question.scores
    assert (one.question.op, two.question.op) == ("times", "plus")
    assert (one.step, two.step) == (0, 35)


@pytest.mark.parametrize(
    ("step", "number"),
    [("start", 0), ("t=1", 3), ("t=2", 9), ("t=4", 30), ("maximise", 31), ("end", 35), (7, 7)],
)
def test_a_step_is_a_number_or_the_name_of_a_place(step, number):
    assert read_text(changed("beats.0.step", step), "talk.json").beats[0].step == number


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("title", "", "title is ''"),
        ("beats", [], "1 to 60 beats"),
        ("beats", [SMALL["beats"][0]] * 61, "1 to 60 beats"),
        ("more", 1, "fields title and beats, and no others"),
        ("beats.0", "x", "beat 1: A beat is an object"),
        ("beats.1.say", 5, "beat 2: say is 5; it is a text"),
        ("beats.1.say", "x" * 301, "beat 2: say has 301 letters"),
        ("beats.1.colour", "red", "beat 2: The field 'colour' is unknown"),
        ("beats.0.problem", None, "beat 1: There is no field 'problem'"),
        (
            "beats.0.problem",
            "nowhere",
            "beat 1: problem is 'nowhere'; it is a problem {…}, or one of worked_example",
        ),
        ("beats.0.problem", {"title": "x"}, "beat 1: There is no field 'labels'"),
        ("beats.1.op", "pow", "beat 2: op is 'pow'; it is one of times, plus, plain"),
        ("beats.1.h", "k^2", "beat 2: Powers are written with **"),
        ("beats.1.step", 36, "beat 2: step is 36; it is a whole number from 0 to 35"),
        ("beats.1.step", "t=5", "beat 2: step is 't=5'"),
        ("beats.1.step", True, "beat 2: step is True"),
        ("beats.1.point", {"floor": 1}, "beat 2: point is a list"),
        (
            "beats.1.point",
            [{"floor": 1}, {"floor": 5}],
            "beat 2: point 2: floor is 5; it is a whole number from 0 to 4",
        ),
        ("beats.1.point", [{"site": 0}], "beat 2: point 1: site is 0; it is a whole number from 1 to 4"),
        ("beats.1.point", [{"part": "roof"}], "beat 2: point 1: part is 'roof'; it is one of truth"),
        ("beats.1.point", [{"path": ["1", "2"]}], "beat 2: point 1: path is ['1', '2']; it is a list of 4"),
        (
            "beats.1.point",
            [{"cell": {"site": 1, "floor": 3, "labels": ["1"]}}],
            "beat 2: point 1: cell: no prefix",
        ),
        ("beats.1.point", [{"cell": 3}], "beat 2: point 1: cell is an object"),
        ("beats.1.point", [{"floor": 1, "site": 1}], "beat 2: point 1 is an object with one of"),
    ],
)
def test_what_is_wrong_with_a_story_is_told_by_beat_and_field(path, value, said):
    with pytest.raises(ValueError, match=r"talk\.json: ") as error:
        read_text(changed(path, value), "talk.json")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n"title": "x",\n"beats": [,]}', "line 3, column 11"),
        ('{"title": "x", "title": "y", "beats": []}', "the key 'title' stands twice"),
        ('{"title": NaN}', "NaN is no number"),
        ("[" * 100_000, "nested too deep"),
        ("[]", "A story is an object"),
    ],
)
def test_what_is_no_json_is_told_by_line_and_column(text, said):
    with pytest.raises(ValueError, match=r"talk\.json: ") as error:
        read_text(text, "talk.json")
    assert said in str(error.value)


def test_a_copied_beat_is_a_beat_of_a_file():
    session = StepperSession()
    session.edit("step", 0, "40")
    session.op = "plus"
    beat = json.loads(story_file.beat_text(session.question, 12))
    told = read_text(json.dumps({"title": "Mine", "beats": [beat]}), "mine.json").beats[0]
    assert told.step == 12
    assert told.question.answer().value == session.question.answer().value


def test_a_beat_begins_again_as_it_was_saved():
    session = StorySession(bundled())
    session.turn(2)
    session.stepper.edit("step", 0, "99")
    session.turn(3)
    session.turn(2)
    assert session.stepper.question.flat_steps[0] == 4
    session.stepper.undo()  # never into another beat
    assert session.number == 2
    assert session.stepper.question.flat_steps[0] == 4


def test_there_is_nothing_before_the_first_beat_and_after_the_last():
    session = StorySession(read_text(json.dumps(SMALL), "talk.json"))
    assert session.turn(0) == "This is the first beat."
    session.go(99)
    assert session.number == 2
    assert session.turn(3) == "This is the last beat."


def test_a_bad_file_is_told_and_the_story_goes_on():
    session = StorySession(bundled())
    session.go(3)
    session.open(b'{"title": "x"', "talk.json")
    assert "talk.json: line 1, column" in session.error
    session.open("é".encode("latin-1"), "talk.json")
    assert "is not UTF-8" in session.error
    session.open(b" " * (Limits.in_force("story_bytes") + 1), "talk.json")
    assert "VITERBI_LAB_STORY_BYTES allows 1,000,000" in session.error
    assert session.number == 3
    session.open(b"\xef\xbb\xbf" + json.dumps(SMALL).encode(), "talk.json")
    assert (session.error, session.number, session.story.title) == ("", 1, "Small")


def test_the_command_refuses_a_bad_story_before_it_serves(tmp_path, capsys):
    path = tmp_path / "talk.json"
    path.write_text(changed("beats.1.step", 99))
    assert main(["serve", "--story", str(path), "--no-browser"]) == 1
    assert "talk.json: beat 2: step is 99" in capsys.readouterr().err
    assert main(["serve", "--story", str(tmp_path / "none.json"), "--no-browser"]) == 1


@pytest.fixture
def told(page: Page, tmp_path: Path) -> Page:
    """The bundled story in a file, without any server."""
    path = tmp_path / "story.html"
    path.write_text(story_page.html(bundled()), encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".vl .nodes > *").first).to_be_attached()
    return page


@pytest.mark.browser
def test_the_story_is_told_from_a_file_by_keys_alone(told):
    caption = told.locator(".vl .caption")
    for number, beat in enumerate(bundled().beats, start=1):
        expect(caption).to_contain_text(f"{number} of 9")
        expect(caption).to_contain_text(beat.say)
        expect(told.locator(".vl .where")).to_contain_text(f" {beat.step}/")
        told.keyboard.press("PageDown")
    expect(told.locator(".vl .said")).to_have_text("This is the last beat.")
    told.keyboard.press("ArrowLeft")
    expect(caption).to_contain_text("8 of 9")


@pytest.mark.browser
@pytest.mark.parametrize("present", [False, True])
def test_each_beat_is_a_whole_picture_on_a_projector(told, present):
    """At 1280×720 nothing that a beat speaks of is cut off, in present mode too."""
    if present:
        told.keyboard.press("f")
    for number, beat in enumerate(bundled().beats, start=1):
        expect(told.locator(".vl .caption")).to_contain_text(f"{number} of 9")
        expect(told.locator(".vl .caption p")).to_be_in_viewport(ratio=1.0)
        expect(told.locator(".vl .card")).to_be_in_viewport(ratio=1.0)
        frames = told.locator(".vl .frames > *, .vl .framed")
        assert frames.count() >= 1
        for n in range(frames.count()):
            if present and {"part": "scores"} in beat.marks:
                continue
            expect(frames.nth(n)).to_be_in_viewport(ratio=0.99)
        told.keyboard.press("ArrowRight")


def test_a_beat_that_is_told_again_is_sent_again():
    view = StoryView(StorySession(bundled()))
    sent = []
    view.stage.param.watch(lambda event: sent.append(event.new["number"]), "caption")
    view.session.go(2)
    view.session.go(2)
    assert sent == [2, 2]


@pytest.mark.browser
def test_in_the_lab_a_story_is_told_tried_and_replaced_by_ones_own(page: Page, serve, kernels, tmp_path):
    loaded = threading.Event()

    def app():
        page = lab()
        pn.state.onload(loaded.set)  # after what the lab itself does then
        return page

    page.goto(serve(app) + "?view=story&beat=6")
    stage = page.locator(".vl:visible")
    caption = stage.locator(".caption")
    expect(caption).to_contain_text("6 of 9", timeout=COLD)
    expect(stage.locator(".card")).to_contain_text("13 · 4")
    assert loaded.wait(PATIENCE)  # before that Panel drops what Python changes
    stage.focus()
    page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("7 of 9")
    expect(stage.locator(".card")).to_contain_text("16 + 3 = 19")
    expect(page).to_have_url(re.compile("view=story&beat=7"))
    page.go_back()
    expect(caption).to_contain_text("6 of 9")
    page.get_by_label("8  Twenty sites").click()
    expect(caption).to_contain_text("8 of 9")
    expect(stage.locator(".truth")).to_have_count(20)
    own, bad = tmp_path / "mine.json", tmp_path / "bad.json"
    own.write_text(json.dumps(SMALL))
    bad.write_text(changed("beats.1.step", 99))
    chooser = page.locator("input[type=file]:visible, .sidebar input[type=file]").last
    chooser.set_input_files(bad)
    expect(page.get_by_text("bad.json: beat 2: step is 99")).to_be_visible()
    expect(caption).to_contain_text("8 of 9")
    chooser.set_input_files(own)
    expect(caption).to_contain_text("1 of 2")
    page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("2 of 2")
    expect(page.get_by_text("bad.json")).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("button", name="This story as JSON").click()
    assert json.loads(download.value.path().read_text(encoding="utf-8")) == SMALL
