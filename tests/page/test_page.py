"""The page in a browser: Chromium, driven by Playwright, on a desktop and on a phone."""

import base64
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from protocols.http.serving import served

sync_api = pytest.importorskip("playwright.sync_api")
pytest.importorskip("fastapi")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]

ROOT = Path(__file__).resolve().parents[2]
GAME = (ROOT / "examples" / "finished-19x19.sgf").read_text(encoding="utf-8")
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP = {"viewport": {"width": 1280, "height": 900}, "locale": "en-GB"}
PLAIN = {**DESKTOP, "service_workers": "block"}  # requests pass by a service worker unseen
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "locale": "en-GB"}
SECONDS = 60_000  # milliseconds; only a page that hangs takes that long

DIFFERS = (  # by the judge B+3, and W+4 if the white stone at B5 lives
    "(;SZ[7]KM[0]RU[Japanese]RE[W+4]AB[ba][da][ab][bb][cb][db][fb][dc][dd][ae][be][ce][de][bf][df][ag][bg][cg][dg]"
    "AW[ea][ga][eb][bc][ec][fc][gc][ed][gd][ee][fe][ge][ef][eg][fg];B[];W[])"
)
DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const dropped = new DataTransfer();
  dropped.items.add(new File([bytes], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""
SPOTS = {"black stone": (7, 0), "white stone": (5, 0), "wood": (0, 4)}  # of GAME: H19, F19, above A15
# Columns and rows of Black's and of White's stones: those of a colour are one path, in which every stone begins with M.
PLACES = """...["black", "white"].map(colour => [...document.querySelectorAll(`.stones .${colour}`)].flatMap(path =>
  [...path.getAttribute("d").matchAll(/M(\\S+) ([\\d.]+)/g)].map(([, x, y]) => [Math.floor(x), Math.floor(y)])))"""


@pytest.fixture(scope="module")
def address():
    with served("--quiet") as (_, port):
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, address):
    contexts = []

    def open_page(options=DESKTOP, fragment=""):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(SECONDS)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda message: page.problems.append(message.text) if "Security" in message.text else None)
        page.goto(f"{address}{fragment}")
        return page

    yield open_page
    for context in contexts:
        assert [page.problems for page in context.pages if hasattr(page, "problems") and page.problems] == []
        context.close()


def drop(page, text, name="game.sgf"):
    data = text.encode() if isinstance(text, str) else text
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def place(page, x, y, size):
    box = page.locator(".goban svg").bounding_box()  # with a rim of one point for the coordinates
    return box["x"] + (x + 1.5) * box["width"] / (size + 2), box["y"] + (y + 1.5) * box["height"] / (size + 2)


def mode(page, name):
    page.get_by_role("tab", name=name, exact=True).click()


def reached(page, number):
    page.wait_for_function("n => parseInt(document.querySelector('.walk span').textContent) === n", arg=number)


def test_a_dropped_game_is_counted_and_a_tap_counts_it_anew(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    assert page.locator(".result").inner_text() == "W+15.5"
    assert page.locator(".badge.dead").count() == 5
    totals = page.locator(".count tfoot td")
    before = totals.all_inner_texts()
    page.mouse.click(*place(page, 6, 3, 19))  # the dead white stone at G16: dead, seki, alive
    page.get_by_text("It was marked as seki.").wait_for()
    page.mouse.click(*place(page, 6, 3, 19))
    page.get_by_text("It was marked alive.").wait_for()
    page.wait_for_function("before => document.querySelector('.count tfoot td').textContent !== before", arg=before[0])
    assert page.locator(".differs").count() or page.locator(".result small").count()
    page.get_by_role("button", name="Remove my marks").click()
    page.wait_for_function("before => document.querySelector('.count tfoot td').textContent === before", arg=before[0])
    page.locator("select").first.select_option("chinese")
    page.get_by_role("rowheader", name="stones").wait_for()


def test_a_person_walks_through_a_game(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    reached(page, 180)
    page.locator("h1").click()
    page.keyboard.press("Home")
    reached(page, 0)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    reached(page, 5)
    page.locator(".walk input").fill("90")
    mode(page, "Estimate")
    page.locator("meter").wait_for()
    page.wait_for_function("() => document.querySelectorAll('.marks .own').length > 50")
    mode(page, "Moves")
    page.locator(".candidates .row").first.click()
    reached(page, 91)


def test_a_tapped_point_is_explained(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    mode(page, "Estimate")
    page.locator("meter").wait_for()
    page.mouse.click(*place(page, 0, 0, 19))
    page.locator(".point h2").wait_for()
    assert page.locator(".point h2").inner_text().startswith("A19: ")
    assert page.locator(".point li").count() > 1
    assert page.locator(".marks .chosen").count() == 1
    page.mouse.click(*place(page, 0, 0, 19))
    page.locator(".point").wait_for(state="detached")


def test_the_group_that_explains_a_difference_is_counted_the_other_way_round(opened):
    page = opened()
    drop(page, DIFFERS)
    page.locator(".differs").wait_for()
    page.get_by_role("button", name="Show").click()
    assert page.locator(".card.open").count() == 1
    page.get_by_role("button", name="Count it so").click()
    page.locator(".differs").wait_for(state="detached")
    assert page.locator(".result").inner_text().split()[0] == "W+4"


def test_stones_set_up_in_the_middle_of_a_game(opened):
    page = opened()
    drop(page, "(;SZ[5];B[cc];W[bb];AW[aa]AE[cc];B[dd];W[cc])")
    page.locator(".walk").wait_for()
    reached(page, 4)
    stones(page, 1, 3)
    page.locator("h1").click()
    for left, black, white in [(3, 1, 2), (2, 0, 2), (1, 1, 0)]:
        page.keyboard.press("ArrowLeft")
        reached(page, left)
        stones(page, black, white)
    mode(page, "Moves")
    page.mouse.click(*place(page, 4, 4, 5))
    stones(page, 1, 1)  # the line from here on is the user's
    reached(page, 1)


HALF_ARRIVED = """() => {
  const send = window.fetch;
  window.fetch = async (path, options) => {
    const answer = await send(path, options);
    const stopped = (_, fail) => options.signal.addEventListener("abort", () => fail(options.signal.reason));
    if (path === "api/game") answer.json = () => new Promise(stopped);
    return answer;
  };
}"""


def test_a_review_that_is_dropped_while_it_arrives_is_no_answer(opened):
    page = opened()
    page.evaluate(HALF_ARRIVED)
    with page.expect_response("**/api/game"):
        drop(page, GAME)
    page.locator(".count").wait_for()
    mode(page, "Set up")
    page.locator(".count").wait_for(state="detached")
    mode(page, "Count")
    page.locator(".count").wait_for()
    page.get_by_text("Reviewing").wait_for()


def test_a_link_holds_the_position(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    page.wait_for_function("() => location.hash")  # follows after a moment
    other = opened(fragment="#" + page.url.partition("#")[2])
    other.locator(".count").wait_for()
    assert other.locator(".result").inner_text() == page.locator(".result").inner_text()


def test_a_link_opened_in_the_same_tab_is_followed(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    page.goto(page.url.partition("#")[0] + "#s=9&b=aabb&w=cc")
    stones(page, black=2, white=1)
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("180/180").wait_for()


def test_the_same_game_dropped_again_is_reviewed(opened):
    page = opened()
    for _ in range(2):
        drop(page, GAME)
        page.get_by_text("Reviewing").wait_for()
        page.locator(".graph .lead").wait_for()


def test_a_refused_review_is_asked_once(opened):
    page = opened(PLAIN)
    asked = []

    def answer(route):
        asked.append(route)  # the first is never answered
        if len(asked) > 1:
            route.fulfill(
                status=429, content_type="application/json", body='{"schema": 1, "error": "too many requests"}'
            )

    page.route("**/api/game", answer)
    with page.expect_request("**/api/game"):
        drop(page, GAME)
    page.get_by_label("Rules").select_option("chinese")
    page.get_by_text("too many requests").wait_for()
    page.wait_for_timeout(400)  # a second one would come after 150 ms
    assert len(asked) == 2


def test_a_board_is_set_up_by_touch(opened):
    page = opened(PHONE)
    page.get_by_role("button", name="New 9×9").click()
    page.touchscreen.tap(*place(page, 4, 4, 9))
    swipe(page, 3)
    page.get_by_role("button", name="White", exact=True).click()
    swipe(page, 5)
    stones(page, black=10, white=9)
    mode(page, "Count")
    page.locator(".count").wait_for()
    assert page.locator(".result").inner_text() == "W+6.5"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def stones(page, black, white):
    """Wait until the board has these numbers of stones."""
    page.wait_for_function(f"wanted => [{PLACES}].map(all => all.length).join() === wanted", arg=f"{black},{white}")


@pytest.mark.parametrize("size", [9, 19, 25])
def test_marks_lie_on_their_points(opened, size):
    page = opened(PHONE)
    drop(page, f"(;SZ[{size}]AB[ba][ab][bb]AW[ca][cb][cc][bc][ac];B[];W[])")
    page.locator(".marks .own").first.wait_for()
    corner = page.locator(".marks .own").first.bounding_box()
    assert centre(corner) == pytest.approx(place(page, 0, 0, size), abs=0.3)
    stones = page.locator(".stones .black.dead").bounding_box()  # three of the four points in the corner
    assert centre(stones) == pytest.approx(place(page, 0.5, 0.5, size), abs=0.3)


def centre(box):
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def swipe(page, column):
    page.mouse.move(*place(page, column, 0, 9))
    page.mouse.down()
    for row in range(1, 9):
        page.mouse.move(*place(page, column, row, 9))
    page.mouse.up()


def test_ten_moves_are_played_against_the_engine(opened):
    page = opened(PHONE)
    mode(page, "Play")
    page.get_by_label("Seconds per move").fill("0.5")
    page.get_by_role("button", name="Start").click()
    for number in range(10):
        page.touchscreen.tap(*place(page, *free_point(page), 9))
        reached(page, 2 * number + 2)
    reached(page, 20)
    page.get_by_role("button", name="Undo").click()
    reached(page, 18)


def free_point(page):
    """Return the first empty point beside an empty one of a 9×9 board: a move there is always legal."""
    taken = {tuple(point) for stones in page.evaluate(f"[{PLACES}]") for point in stones}
    return next((x, y) for y in range(9) for x in range(8) if not taken & {(x, y), (x + 1, y)})


def test_undo_after_the_engine_resigns_goes_on_with_the_game(opened):
    page = opened({**DESKTOP, "service_workers": "block"})  # one that is active would hide requests from `route`
    page.route("**/api/play", lambda route: route.fulfill(json={"move": "resign", "hopeless": 3}))
    mode(page, "Play")
    page.get_by_role("button", name="Start").click()
    page.mouse.click(*place(page, 4, 4, 9))
    page.get_by_text("White resigns").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("White resigns").wait_for(state="detached")
    page.unroute("**/api/play")
    page.mouse.click(*place(page, 4, 4, 9))
    reached(page, 2)


def test_the_page_opens_without_a_connection(opened):
    page = opened()
    page.wait_for_function("() => navigator.serviceWorker.ready.then(() => true)")  # unlike evaluate, with a time limit
    page.get_by_role("button", name="New 9×9").click()
    page.context.set_offline(True)
    page.reload()
    page.locator(".goban").wait_for()
    mode(page, "Estimate")
    page.get_by_text("The service does not answer").wait_for()


def test_what_cannot_be_read_is_said_and_nothing_is_lost(opened):
    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    drop(page, "this is not a record")
    page.get_by_role("alert").wait_for()
    assert page.locator(".result").inner_text() == "W+15.5"
    drop(page, "(;SZ[25]PB[<img src=x onerror=alert(1)>];B[aa];W[yy]")  # not closed
    page.get_by_text("<img src=x onerror=alert(1)>").wait_for()
    assert page.locator("aside img, .players img").count() == 0
    assert page.locator(".goban .names text").count() == 100
    drop(page, "(;SZ[9]PB[古力]CA[GB18030];B[ee])".encode("gb18030"))
    page.get_by_text("古力").wait_for()


def test_downloads(opened, tmp_path):
    import tengen

    page = opened()
    drop(page, GAME)
    page.locator(".count").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="SGF", exact=True).click()
    saved.value.save_as(tmp_path / "game.sgf")
    game = tengen.read(tmp_path / "game.sgf")
    assert game.moves == tengen.Game.from_sgf(GAME).moves
    assert len(game.territory.black) == 93
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG", exact=True).click()
    saved.value.save_as(tmp_path / "board.png")
    picture = Image.open(tmp_path / "board.png").convert("L")
    assert picture.size == (21 * 40, 21 * 40)
    at = {name: picture.getpixel((40 * (column + 1) + 20, 40 * (row + 1) + 8)) for name, (column, row) in SPOTS.items()}
    assert at["black stone"] < 60 < at["wood"] < 220 < at["white stone"]


def test_languages_and_themes(opened):
    page = opened({**DESKTOP, "locale": "de-DE", "color_scheme": "dark"})
    page.get_by_role("tab", name="Zählen").wait_for()
    drop(page, GAME)
    page.locator(".cards .row").last.click()
    page.locator(".reasons li").filter(has_text=re.compile("Freiheiten|bedingungslos")).first.wait_for()
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_role("button", name="Hell oder dunkel").click()
    page.wait_for_function(f"dark => {background} !== dark", arg=dark)
    page.get_by_role("button", name="EN English").click()
    page.get_by_role("tab", name="Count").wait_for()


def test_the_board_is_used_with_the_keyboard(opened):
    page = opened()
    page.get_by_role("button", name="New 9×9").click()
    page.locator(".goban").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.locator(".goban[aria-label*='E6']").wait_for()
    stones(page, 1, 0)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make page")
@pytest.mark.parametrize(
    "options", [DESKTOP, {**DESKTOP, "color_scheme": "dark"}, PHONE], ids=["light", "dark", "phone"]
)
def test_axe_has_no_serious_finding(opened, options):
    page = opened(options)
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    shows = {
        "Count": ".count",
        "Estimate": "meter",
        "Moves": ".candidates",
        "Set up": "text=Erase",
        "Play": "text=Start",
    }
    for name, content in shows.items():
        mode(page, name)
        page.locator(content).wait_for()
        found = page.wait_for_function("() => axe.run().then((report) => [report.violations])").json_value()[0]
        bad = [each for each in found if each["impact"] in ("serious", "critical")]
        assert [(each["id"], each["nodes"][0]["html"]) for each in bad] == [], name


def test_a_refused_count_is_said_and_the_review_stays(opened):
    page = opened(PLAIN)
    refused = []

    def refuse(route):
        refused.append(route.request.post_data)
        route.fulfill(status=429, content_type="application/json", body='{"schema": 1, "error": "too many requests"}')

    page.route("**/api/score", refuse)
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    assert page.locator(".problem").inner_text() == "too many requests"
    assert page.locator(".result").count() == 0
    assert len(refused) == 2  # while the record was read, and when the count was wanted
    page.unroute("**/api/score")
    mode(page, "Estimate")
    mode(page, "Count")
    page.locator(".result").wait_for()
    assert page.locator(".problem").count() == 0


def test_the_review_stays_on_the_way_to_the_empty_board_and_back(opened):
    page = opened(PLAIN)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/api/game") else None)
    drop(page, GAME)
    page.locator(".graph .lead").wait_for()
    page.keyboard.press("Home")
    reached(page, 0)
    assert page.locator(".graph .lead").count() == 1
    page.keyboard.press("End")
    page.locator(".result").wait_for()
    assert page.locator(".graph .lead").count() == 1
    assert len(asked) == 1


def test_the_record_that_was_dropped_last_is_shown(opened):
    page = opened(PLAIN)
    slow = []

    def later(route):
        if not slow:
            slow.append(route)  # the first record is answered after the second
        else:
            route.continue_()

    page.route("**/api/record", later)
    drop(page, GAME)
    page.wait_for_function("() => performance.getEntriesByType('resource').some((each) => each.name.endsWith('score'))")
    drop(page, DIFFERS)
    page.locator(".differs").wait_for()
    slow[0].continue_()
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').filter((each) => each.name.endsWith('record')).length === 2"
    )
    assert page.locator(".goban .names text").count() == 28
    assert page.locator(".problem").count() == 0


def test_times_of_first_paint_and_count_are_reported(opened, capsys):
    paint, first = _times_of_counts(opened(), 1)
    _, counts = _times_of_counts(opened(), 5)
    with capsys.disabled():
        print(f"\nfirst paint {paint:.0f} ms; a 19×19 score painted {', '.join(f'{each:.0f}' for each in first)} and")
        print(", ".join(f"{each:.0f}" for each in counts), "ms after the drop on two new pages")
    assert len(counts) == 5


def _times_of_counts(page, number):
    """Drop games that were not counted before; return the first paint and the milliseconds until each is on screen."""
    page.locator(".goban").wait_for()
    paint = page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    page.wait_for_load_state("networkidle")  # nobody drops a game while the browser still opens the page
    times = []
    for each in range(number):
        watched = """result => {
            const start = performance.now();
            window.painted = 0;
            new PerformanceObserver((list, watch) => {
              const found = list.getEntries().find((each) => each.renderTime > start);
              if (!found) return;
              watch.disconnect();
              window.painted = found.renderTime - start;
            }).observe({ type: "element", buffered: true });
            new MutationObserver((_, watch) => {
              const shown = document.querySelector(".result");
              if (shown?.textContent !== result) return;
              watch.disconnect();
              shown.setAttribute("elementtiming", "result");
              const late = () => { window.painted ||= performance.now() - start; }; // if the browser says nothing
              setTimeout(late, 5000);
            }).observe(document.body, { childList: true, subtree: true, characterData: true });
        }"""
        page.evaluate(watched, f"W+{9 + number + each}.5")
        drop(page, GAME.replace("KM[6.5]", f"KM[{number + each}.5]"))
        times.append(page.wait_for_function("() => window.painted").json_value())
        mode(page, "Set up")
    return paint.json_value(), times
