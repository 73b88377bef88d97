"""Make the pictures of the README: ``uv run python tests/ui/screenshots.py``, or some: ``… compare story``.

They show the lab as it is served, in headless Chromium at 1280×720, and land in ``assets/screenshots``.
"""

import io
import os
import re
import shutil
import sys
from pathlib import Path

from conftest import QUIET_CHROMIUM
from lab_server import LabServer
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

FOLDER = Path(__file__).parents[2] / "assets" / "screenshots"
PATIENCE_MS = 120_000
SETTLED_MS = 1500  # until charts and themes stand still


def open_lab(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".vl:visible .nodes > *").first).to_be_attached(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Toggle theme").click(trial=True, timeout=PATIENCE_MS)  # the page listens


def save(page: Page, name: str) -> None:
    """Take a picture of the window and write it in few bytes: a page of flat colours needs 256 of them."""
    page.wait_for_timeout(SETTLED_MS)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def turn(page: Page, view: str) -> None:
    page.get_by_role("tab", name=view).click()
    page.mouse.move(640, 715)


def step(page: Page) -> None:
    """The worked example: in the middle, at the end, and on a stage of its own."""
    stage = page.locator(".vl:visible")
    stage.focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    save(page, "step")
    page.keyboard.press("End")
    save(page, "step-answer")
    page.keyboard.press("f")
    save(page, "present")
    page.keyboard.press("f")
    expect(page.locator(".vl.present")).to_have_count(0)


def dark(page: Page) -> None:
    """The answer in the dark."""
    open_lab(page, f"{page.url.split('?')[0]}?theme=dark&step=35")
    save(page, "step-dark")


def compare(page: Page) -> None:
    """Three answers to one problem."""
    turn(page, "Compare")
    expect(page.locator("section")).to_have_count(3)
    save(page, "compare")


def story(page: Page) -> None:
    """The fourth beat: how one circle comes about."""
    turn(page, "Story")
    expect(page.locator(".vl:visible .caption")).to_contain_text("1 of 9")
    page.locator(".vl:visible").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".vl:visible .caption")).to_contain_text("4 of 9")
    save(page, "story")


def scale(page: Page) -> None:
    """Fig. 7 as it comes with the lab."""
    turn(page, "Scale")
    expect(page.get_by_role("heading", name="Fig. 7 · Accuracy")).to_be_visible()
    save(page, "scale")


def train(page: Page) -> None:
    """Slack and margin rescaling on synthetic genes, both converged."""
    turn(page, "Train")
    for number, rescaling in enumerate(("Slack ·", "Margin +"), start=1):
        page.get_by_role("button", name=rescaling).click()
        page.get_by_role("button", name="Train", exact=True).last.click()
        expect(page.get_by_text(f"Run {number}. Converged")).to_be_visible(timeout=PATIENCE_MS)
    save(page, "train")


def tasks(page: Page) -> None:
    """Languages in a taxonomy and a chart of parses, both trained."""
    turn(page, "Tasks")
    for application, picture in (("Taxonomy", "tasks"), ("Parsing", "tasks-parsing")):
        page.get_by_role("combobox", name="Application").click()
        page.locator(".MuiListItemText-primary:visible").filter(has_text=re.compile(application)).click()
        page.get_by_role("button", name="Train", exact=True).last.click()
        expect(page.get_by_text("% right").locator("visible=true")).to_be_visible(timeout=PATIENCE_MS)
        page.get_by_role("button", name="Result", exact=True).locator("visible=true").click()
        save(page, picture)


def main() -> None:
    asked = sys.argv[1:]
    FOLDER.mkdir(parents=True, exist_ok=True)
    server = LabServer()
    server.wait_until_ready()
    executable = os.environ.get("VITERBI_LAB_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=QUIET_CHROMIUM)
        page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
        open_lab(page, server.address)
        for view in (step, compare, story, scale, train, tasks, dark):
            if view.__name__ in asked or not asked:
                view(page)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()
