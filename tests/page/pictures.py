"""Retakes the pictures of docs/page.md: in tests/, python -m page.pictures"""

import io

from PIL import Image
from playwright.sync_api import sync_playwright

from page.test_page import CHROMIUM, GAME, PHONE, ROOT, SECONDS, drop, mode, place, reached
from protocols.http.serving import served

DESKTOP = {"viewport": {"width": 1120, "height": 800}, "locale": "en-GB"}
SMALL = (ROOT / "examples" / "finished-9x9.sgf").read_text(encoding="utf-8")


def main():
    with served("--quiet") as (_, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def opened(options):
            page = browser.new_context(**options).new_page()
            page.set_default_timeout(SECONDS)
            page.goto(f"http://127.0.0.1:{port}/")
            return page

        count(opened(DESKTOP))
        estimate(opened(DESKTOP))
        phone(opened({**PHONE, "color_scheme": "dark"}))


def count(page):
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    page.locator(".cards .row").first.click()
    page.locator(".reasons li").first.wait_for()
    save(page, "count")


def estimate(page):
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    page.locator(".walk input").fill("110")
    reached(page, 110)
    mode(page, "Estimate")
    page.wait_for_function("() => document.querySelectorAll('.marks .own').length > 50")
    page.mouse.click(*place(page, 3, 5, 19))
    page.locator(".point .reasons li").first.wait_for()
    save(page, "estimate")


def phone(page):
    drop(page, SMALL)
    page.locator(".count").wait_for()
    save(page, "phone")


def save(page, name):
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(128).save(ROOT / "docs" / f"page-{name}.png", optimize=True)


if __name__ == "__main__":
    main()
