"""Make the pictures of the README: ``uv run python tests/ui/screenshots.py``.

They show the lab as it is served, in headless Chromium at 1280×720, and land in ``assets/screenshots``.
"""

import os
import re
import shutil
from pathlib import Path

from conftest import QUIET_CHROMIUM
from lab_server import LabServer
from playwright.sync_api import Page, expect, sync_playwright

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
PATIENCE_MS = 120_000


def open_lab(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text("What is asked")).to_be_visible(timeout=PATIENCE_MS)


def step(page: Page) -> None:
    """The worked example: in the middle, at the end, and in the dark."""
    page.get_by_text("true y").first.click()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.screenshot(path=FOLDER / "step.png")
    page.keyboard.press("End")
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / "step-answer.png")
    page.get_by_role("button", name="Toggle theme").click()
    page.mouse.move(640, 700)
    page.wait_for_timeout(1500)
    page.screenshot(path=FOLDER / "step-dark.png")
    page.get_by_role("button", name="Toggle theme").click()


def train(page: Page) -> None:
    """Slack and margin rescaling on synthetic genes, both converged."""
    page.get_by_text("Train", exact=True).first.click()
    for number, rescaling in enumerate(("Slack ·", "Margin +"), start=1):
        page.get_by_role("button", name=rescaling).click()
        page.get_by_role("button", name="Train", exact=True).last.click()
        expect(page.get_by_text(f"Run {number}. Converged")).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "train.png")


def tasks(page: Page) -> None:
    """Languages in a taxonomy and a chart of parses, both trained."""
    page.get_by_role("tab", name="Tasks").click()
    for application, picture in (("Taxonomy", "tasks.png"), ("Parsing", "tasks-parsing.png")):
        page.get_by_role("combobox", name="Application").click()
        page.locator(".MuiListItemText-primary:visible").filter(has_text=re.compile(application)).click()
        page.get_by_role("button", name="Train", exact=True).last.click()
        expect(page.get_by_text("% right").locator("visible=true")).to_be_visible(timeout=PATIENCE_MS)
        page.get_by_role("button", name="Result", exact=True).locator("visible=true").click()
        page.wait_for_timeout(1000)
        page.screenshot(path=FOLDER / picture)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    server = LabServer()
    executable = os.environ.get("VITERBI_LAB_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET_CHROMIUM)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        open_lab(page, server.address)
        step(page)
        train(page)
        tasks(page)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()
