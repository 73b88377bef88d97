"""The Scale view: shipped results at once, measurements on request, figures as files."""

import csv
import time

import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.experiments.concentration import heat
from viterbi_lab.experiments.gathered import shipped
from viterbi_lab.experiments.scaling import ALGORITHM_1, LENGTHS
from viterbi_lab.ui import finished, shown
from viterbi_lab.ui.charts.times import TimeChart
from viterbi_lab.ui.jobs import Signals
from viterbi_lab.ui.measuring import map_scores, time_programs
from viterbi_lab.ui.palette import DARK, LIGHT
from viterbi_lab.ui.sessions.scale import ScaleSession
from viterbi_lab.ui.views.scale import ScaleView


def wait_for(session):
    deadline = time.monotonic() + 120  # a worker may have to be started on a busy machine
    while session.is_busy:
        session.drain()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_work_times_every_program_up_to_the_longest_and_says_how_far_it_is():
    said = []
    timings = list(time_programs(1600, Signals(said.append)))
    assert max(t.T for t in timings if t.program == ALGORITHM_1) == 1600
    assert {t.program for t in timings} == set(LENGTHS)
    total = len(timings)
    assert said[0] == f"0 of {total} measurements"
    assert said[-1].startswith(f"{total} of {total} measurements, Algorithm 1 at T = 1,600")


def test_a_cancelled_work_yields_no_more():
    signals = Signals()
    signals.cancel()
    assert list(time_programs(1600, signals)) == []
    assert list(map_scores(500, signals)) == []


def test_a_session_measures_what_is_shown_and_nothing_by_itself():
    session = ScaleSession(length=500)
    assert not session.can_measure  # Fig. 7 comes along
    session.measure()
    assert not session.is_busy
    session.figure = "5"
    session.measure()
    assert session.is_busy
    assert not session.can_measure
    wait_for(session)
    assert session.heat.t[-1] == 500
    assert session.status == "Fig. 5 is measured."
    session.figure = "4"
    assert session.status == ""
    assert session.timings == []


def test_a_cancelled_measurement_says_so():
    session = ScaleSession(figure="5")
    session.measure()
    session.close()
    wait_for(session)
    assert session.status == "Fig. 5 was cancelled."


def test_a_figure_is_in_the_colours_of_its_theme():
    figure = finished.figure5(heat(30, sets=1))
    for palette, other in ((LIGHT, DARK), (DARK, LIGHT)):
        drawn = shown.draw(figure)
        shown.paint(drawn, palette)
        colours = {fig.title.text_color for fig in drawn} | {
            getattr(renderer.glyph, "fill_color", None) for fig in drawn for renderer in fig.renderers
        }
        assert palette.ink in colours
        assert not colours & {other.ink, other.decision}
        assert all(palette.ink in part for part in shown.parts(figure, palette))


def test_a_page_that_does_not_look_at_the_figures_does_not_get_them():
    view = ScaleView(ScaleSession(), visible=False)
    assert view._figures.parts == []
    view.main.visible = True
    seventh = view._figures.parts
    assert len(seventh) == len(finished.figure7(shipped()).parts("bokeh"))
    view._session.figure = "5"
    assert view._figures.parts != seventh
    view._session.figure = "4"  # is drawn by the page itself
    view._session.figure = "7"
    assert view._figures.parts == seventh


def test_the_chart_of_times_grows_with_the_measurements():
    chart = TimeChart(LIGHT)
    assert chart._points.data["T"] == []
    timings = list(time_programs(1600, Signals()))
    chart.draw(timings[:3])
    chart.draw(timings)
    assert chart._points.data["T"] == [t.T for t in timings]
    assert len(chart._lines.data["T"]) == len(LENGTHS)
    assert any(text.startswith("Algorithm 2: T^") for text in chart._words.data["text"])


def turn_to_scale(page, address):
    """Open the page and turn to Scale."""
    page.goto(address)
    page.get_by_role("tab", name="Scale").click()
    expect(page.get_by_text("Fig. 7 · Accuracy and iterations")).to_be_visible(timeout=60_000)


@pytest.mark.browser
def test_results_are_shown_at_once_and_figures_are_measured_and_saved(lab, page: Page, tmp_path):
    turn_to_scale(page, lab.address)
    page.get_by_text("Fig. 5 · large scores").click()
    expect(page.get_by_text("A small one to begin with")).to_be_visible()
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_text("Fig. 5 is measured.")).to_be_visible(timeout=60_000)
    for kind, begins in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        name = f"figure5a.{kind.lower()}"  # the other map of the figure comes beside it
        with page.expect_download(lambda file, name=name: file.suggested_filename == name) as download:
            page.get_by_role("button", name=kind).locator("visible=true").first.click()
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(begins)
    with page.expect_download(lambda file: file.suggested_filename.endswith(".csv")) as download:
        page.get_by_role("button", name="CSV").locator("visible=true").first.click()
    download.value.save_as(tmp_path / "csv")
    rows = list(csv.DictReader((tmp_path / "csv").read_text(encoding="utf-8").splitlines()))
    assert max(int(row["t"]) for row in rows) == 2000
