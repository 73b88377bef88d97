"""Text that looks like a program stays text: in every place where a visitor or a file brings some in."""

import ast
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from viterbi_lab.ui import export, problem_file
from viterbi_lab.ui.presets import presets
from viterbi_lab.ui.sessions.stepper import StepperSession
from viterbi_lab.ui.views import page as page_module
from viterbi_lab.ui.views.page import lab
from viterbi_lab.ui.warmup import KERNELS

COLD = 120_000  # ms: the first page of a machine compiles the kernels
MARK = "window.PWNED=(window.PWNED||0)+1"
PAYLOAD = f"\"'><img src=x onerror={MARK}></script><script>{MARK}</script><svg onload={MARK}>{{{{7*7}}}}$(1)`"
SENTENCE = "the payload"
VIEWS = Path(page_module.__file__).parent
RUNNING_PANES = {"Markdown", "Str", "Alert", "StaticText", "Card", "Accordion", "MultiChoice", "Tabulator"}
"""What Panel 1.9 renders as HTML without being asked to, in values, titles or options."""


@pytest.fixture
def hostile():
    """A problem in whose title and labels somebody wrote a program."""
    question = next(iter(presets().values())).question
    labels = tuple(f"{PAYLOAD}{n}" for n in range(len(question.labels)))
    return replace(question, title=f"{SENTENCE} {PAYLOAD}", labels=labels)


def nothing_ran(page: Page):
    page.wait_for_timeout(500)  # an image that cannot be loaded takes a moment to say so
    assert page.evaluate("window.PWNED") is None
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.browser
def test_a_program_in_labels_titles_formulas_and_links_does_not_run(serve, page: Page, monkeypatch, hostile):
    def session():
        stepper = StepperSession()
        stepper.open(hostile)
        return stepper

    monkeypatch.setattr(page_module, "StepperSession", session)
    KERNELS.start_once()
    assert KERNELS._job.join(240.0)
    address = serve(lab)
    page.goto(address)
    expect(page.get_by_role("tab", name="Compare")).to_be_visible(timeout=COLD)
    expect(page.get_by_text(SENTENCE).first).to_be_visible()
    nothing_ran(page)
    for tab, shown in (("Step", ".vl"), ("Compare", "section")):
        page.get_by_role("tab", name=tab).click()
        expect(page.locator(f"{shown}:visible").first).to_be_visible()
        if tab == "Compare":
            expect(page.locator(".vl:visible")).to_have_count(0)
        for label in ("True labels y", "h(k): formula in k, or list"):
            field = page.get_by_label(label).locator("visible=true")
            if not field.count():  # the own formula is asked for under its rule only
                page.get_by_role("combobox", name="Loss wrapper h").locator("visible=true").click()
                page.locator(".MuiListItemText-primary:visible").filter(has_text="own formula").click()
                field = page.get_by_label(label).locator("visible=true")
            field.first.fill(PAYLOAD)
            field.first.press("Enter")
            expect(page.get_by_role("alert").locator("visible=true").first).to_be_visible()
            nothing_ran(page)
    page.goto(f"{address}?h={quote(PAYLOAD)}&theme=%22%3E%3Cscript%3E&hide={quote(PAYLOAD)}")
    expect(page.get_by_role("alert").locator("visible=true").first).to_be_visible(timeout=COLD)
    nothing_ran(page)


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["html", "svg"])
def test_a_program_in_an_exported_problem_does_not_run(page: Page, tmp_path, hostile, kind):
    path = tmp_path / f"hostile.{kind}"
    path.write_text(getattr(export, kind)(hostile), encoding="utf-8")
    page.goto(path.as_uri())
    nothing_ran(page)


def test_a_formula_cell_of_a_spreadsheet_is_not_exported_as_one():
    question = next(iter(presets().values())).question
    labels = tuple(f"{sign}cmd|'/c calc'!A0{n}" for n, sign in enumerate("=+-@"))[: len(question.labels)]
    for table in (export.cells_csv, export.scores_csv):
        for line in table(replace(question, labels=labels)).splitlines():
            assert not [cell for cell in line.split(",") if cell.strip('"')[:1] in ("=", "@", "+")], line


def test_a_program_in_a_problem_file_comes_back_as_the_text_it_was(hostile):
    back = problem_file.read_text(export.json_text(hostile), "x.json")
    assert back.labels == hostile.labels
    assert back.title == hostile.title


def test_no_view_uses_a_pane_that_renders_what_it_is_given():
    for path in VIEWS.glob("*.py"):
        used = {
            node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
        }
        assert not used & RUNNING_PANES, path.name
