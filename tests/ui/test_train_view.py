"""The Train view in a real browser, served by the command that a stranger types."""

import re
from pathlib import Path

import pytest
from lab_server import LabServer
from playwright.sync_api import Page, expect
from test_own_data import table

from viterbi_lab.cutting_plane import Status
from viterbi_lab.ui.palette import DARK, LIGHT
from viterbi_lab.ui.recording import read

pytestmark = pytest.mark.browser

COLD = 120_000  # ms: the first page of a machine compiles the kernels
TRAINED = 90_000  # ms for a small run on a busy machine
SECOND_OR_SO = 3_000  # ms from Cancel to its effect, on a busy machine


@pytest.fixture
def view(lab: LabServer, page: Page) -> Page:
    """The Train view, freshly opened."""
    page.goto(lab.address)
    train = page.get_by_role("tab", name="Train")
    expect(train).to_be_visible(timeout=COLD)
    expect(page).to_have_title("Viterbi Lab")
    train.click()
    expect(button(page, "Train")).to_be_visible(timeout=COLD)
    return page


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True)


def status(page: Page):
    return page.locator(".training-status").get_by_role("status")


def choose(page: Page, setting: str, value: str):
    page.get_by_role("combobox", name=setting).click()
    option = re.compile(f"^{re.escape(value)}$")
    page.locator(".MuiListItemText-primary:visible").filter(has_text=option).click()
    expect(page.get_by_role("combobox", name=setting)).to_have_text(value)


def choose_file(page: Page, label: str, file: dict):
    """Answer the dialogue that a button opens."""
    with page.expect_file_chooser() as chooser:
        page.get_by_text(label, exact=True).locator("visible=true").click()
    chooser.value.set_files(file)


def make_it_long(page: Page):
    """Settings of a run of many passes."""
    choose(page, "Data", "C. elegans genes")
    choose(page, "Trainer", "cutting planes")
    choose(page, "C", "1")
    choose(page, "Stop at gap ε", "0.1 %")


def train_until_converged(page: Page):
    button(page, "Train").click()
    expect(status(page)).to_contain_text(Status.CONVERGED.value, timeout=TRAINED)


def cells(page: Page, run: int) -> list[str]:
    """Passes, constraints, objective, gap, right labels, time and status of a run, counted from 1."""
    row = page.get_by_role("row").filter(has=page.get_by_role("button", name=re.compile(f"run {run}$")))
    return row.get_by_role("cell").all_inner_texts()[2:]


SOURCE = """(column) => [...Bokeh.documents[0].all_models].find(
    (model) => model.type === "ColumnDataSource" && column in model.data)"""


def drawn(page: Page) -> list[list[float]]:
    """The gap curves which the browser holds, one list for each visible run."""
    return page.evaluate(f"({SOURCE})('dash').data.gap.map((curve) => Array.from(curve))")


def ribbon_fills(page: Page) -> set[str]:
    return set(page.evaluate(f"({SOURCE})('hatch').data.fill"))


def test_before_the_first_run_one_sentence_says_what_will_be_seen(view):
    expect(view.get_by_text("Nothing trained yet")).to_be_visible()
    expect(view.get_by_text("A training sequence and its true labels")).to_be_visible()
    expect(view.locator(".bk-Figure").first).to_be_hidden()
    expect(button(view, "Pause")).to_be_disabled()
    expect(button(view, "Cancel")).to_be_disabled()


def test_gene_data_is_trained_until_converged_and_every_pass_is_drawn(view):
    train_until_converged(view)
    passes, _, _, gap, right, _, word = cells(view, 1)
    assert word == "converged"
    assert float(gap.removesuffix(" %")) <= 1
    assert float(right) > 0.9
    (curve,) = drawn(view)
    assert len(curve) == int(passes)
    expect(view.locator(".bk-Figure:visible")).to_have_count(5)
    expect(view.get_by_text("Nothing trained yet")).to_be_hidden()
    expect(button(view, "Train")).to_be_enabled()


def test_a_second_run_is_cancelled_within_a_second_or_so_and_the_first_stays(view):
    train_until_converged(view)
    first = cells(view, 1)
    make_it_long(view)
    button(view, "Train").click()
    expect(view.get_by_role("button", name="Hide run 2")).to_be_visible()
    expect(status(view)).to_contain_text("pass 2", timeout=TRAINED)
    button(view, "Cancel").click()
    expect(status(view)).to_contain_text(Status.CANCELLED.value, timeout=SECOND_OR_SO)
    expect(button(view, "Train")).to_be_enabled()
    expect(button(view, "Cancel")).to_be_disabled()
    assert cells(view, 2)[-1] == "cancelled"
    assert cells(view, 1) == first
    assert len(drawn(view)) == 2


def test_a_paused_run_stands_still_until_it_is_resumed(view):
    make_it_long(view)
    button(view, "Train").click()
    expect(status(view)).to_contain_text("pass 2", timeout=TRAINED)
    button(view, "Pause").click()
    expect(status(view)).to_contain_text("is paused")
    view.wait_for_timeout(1500)  # a program that is being solved may still end, and with it one pass
    held = cells(view, 1)
    view.wait_for_timeout(1000)
    assert cells(view, 1) == held
    button(view, "Resume").click()
    expect(status(view)).to_contain_text("Training run 1")
    expect(button(view, "Pause")).to_be_visible()
    button(view, "Cancel").click()
    expect(status(view)).to_contain_text(Status.CANCELLED.value)


def test_a_click_on_the_chip_hides_a_run_and_another_shows_it(view):
    train_until_converged(view)
    view.get_by_role("button", name="Hide run 1").click()
    expect(view.get_by_role("button", name="Show run 1")).to_be_visible()
    assert drawn(view) == []
    view.get_by_role("button", name="Show run 1").click()
    expect(view.get_by_role("button", name="Hide run 1")).to_be_visible()
    assert len(drawn(view)) == 1


def test_a_changed_setting_is_named_beside_the_run(view):
    train_until_converged(view)
    button(view, "Margin +").click()
    expect(status(view)).to_contain_text("settings changed since this run: rescaling")
    button(view, "Slack ·").click()
    expect(status(view)).not_to_contain_text("settings changed")


def test_the_most_violated_labelling_opens_in_the_stepper(view):
    train_until_converged(view)
    button(view, "Open in stepper").click()
    expect(view.get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")
    title = re.compile(r"Training example \d+, .* after pass \d+: sites \d+–\d+ of 100, rest held fixed at ŷ")
    expect(view.get_by_text(title).first).to_be_visible()
    view.get_by_role("tab", name="Train").click()
    expect(status(view)).to_contain_text(Status.CONVERGED.value)  # the run is still there


MEANING = {
    "Labels": "hatched: differs from the truth",
    "Errors and score": "Each dot is the best labelling",
    "Support": "Click a bar",
    "Weights": "Area says how large",
}


def picture(page: Page, name: str):
    """The last chart that is seen when this picture is chosen."""
    button(page, name).click()
    expect(page.get_by_text(MEANING[name])).to_be_visible()
    page.wait_for_timeout(1000)  # charts take their places one after another
    return page.locator(".bk-Figure:visible").last


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("Labels", (0.5, 0.1)),
        ("Errors and score", (0.5, 0.5)),
        ("Support", (0.5, 0.8)),
        ("Weights", (0.5, 0.7)),
    ],
)
def test_a_click_on_any_picture_opens_that_problem_in_the_stepper(view, name, where):
    train_until_converged(view)
    chart = picture(view, name)
    box = chart.bounding_box()
    view.mouse.click(box["x"] + where[0] * box["width"], box["y"] + where[1] * box["height"])
    expect(view.get_by_role("tab", name="Step")).to_have_attribute("aria-selected", "true")
    expect(
        view.get_by_text(re.compile(r"Training example \d+, .* after pass \d+: sites")).first
    ).to_be_visible()


def test_a_run_is_continued_at_another_price(view):
    train_until_converged(view)
    expect(button(view, "Continue with these settings")).to_be_disabled()
    choose(view, "C", "1")
    button(view, "Continue with these settings").click()
    expect(status(view)).to_contain_text("Run 2. Converged", timeout=TRAINED)
    expect(view.get_by_text("continues run 1")).to_be_visible()


def test_the_time_of_a_run_is_split_into_oracle_and_program(view):
    train_until_converged(view)
    expect(status(view)).to_contain_text(re.compile(r"oracle \d+ % · QP \d+ %"))


def test_a_recorded_run_is_replayed_without_training_and_can_be_saved(view):
    button(view, "Replay a recorded run").click()
    expect(status(view)).to_contain_text("Replaying run 1")
    expect(status(view)).to_contain_text("Run 1. Converged", timeout=TRAINED)
    expect(view.get_by_text("recorded · margin · C. elegans")).to_be_visible()
    with view.expect_download() as download:
        view.get_by_text("Save run").click()
    recording = read(Path(download.value.path()).read_bytes(), "saved")
    assert len(drawn(view)[0]) == len(recording.passes)


def test_a_file_that_is_no_recorded_run_is_refused_beside_the_button(view):
    choose_file(
        view, "Open run", {"name": "run.json.gz", "mimeType": "application/gzip", "buffer": b"no run"}
    )
    expect(view.get_by_role("alert").filter(has_text="Not a gzipped file")).to_be_visible()


def test_an_own_file_is_read_listed_and_trained_on(view):
    choose(view, "Data", "Own file")
    expect(button(view, "Train")).to_be_disabled()
    choose(view, "Kind", "Numbers: CSV, TSV, NPZ")
    choose_file(view, "Choose files", {"name": "signals.csv", "mimeType": "text/csv", "buffer": table(n=20)})
    expect(view.get_by_text("20 sequences, 240 sites, labels down, up.")).to_be_visible()
    train_until_converged(view)
    expect(view.get_by_text("signals.csv").last).to_be_visible()


def test_charts_and_ribbons_take_the_colours_of_the_theme(view):
    train_until_converged(view)
    assert ribbon_fills(view) <= {LIGHT.ink, LIGHT.edge, LIGHT.decision}
    view.get_by_role("button", name="Toggle theme").click()
    view.wait_for_function(f"(ink) => ({SOURCE})('hatch').data.fill.includes(ink)", arg=DARK.ink)
    assert ribbon_fills(view) <= {DARK.ink, DARK.edge, DARK.decision}


def test_real_genes_are_trained_on_and_shown_as_exons_and_introns(view):
    choose(view, "Data", "C. elegans genes")
    button(view, "Margin +").click()
    choose(view, "Stop at gap ε", "5 %")
    train_until_converged(view)
    expect(view.get_by_text("intron", exact=True).last).to_be_visible()
    expect(view.get_by_role("combobox", name="Noise σ")).to_be_hidden()


def test_nothing_essential_needs_scrolling_at_1280_by_720(view):
    train_until_converged(view)
    for wanted in (button(view, "Cancel"), view.get_by_role("button", name="Hide run 1"), status(view)):
        box = wanted.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 720
    assert view.evaluate("document.scrollingElement.scrollHeight <= window.innerHeight")
