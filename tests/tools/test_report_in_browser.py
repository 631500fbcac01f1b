"""The page of `treadle.report` as a browser shows it: nothing sticks out, scripts run, lines mark instructions."""

import os

import browser
import pytest
import treadle
from treadle import cuda, float32, void

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(
        not browser.find() and os.environ.get("CI") != "true", reason="needs a browser: chromium-headless-shell"
    ),
]

LONG = "a_name_that_is_much_longer_than_any_that_people_write_but_which_pages_must_show_nonetheless"


@cuda.jit
def kernel(a, b, a_name_that_is_much_longer_than_any_that_people_write_but_which_pages_must_show_nonetheless):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = b[i] * 2 + a_name_that_is_much_longer_than_any_that_people_write_but_which_pages_must_show_nonetheless[i]


FIRST = kernel.py_func.__code__.co_firstlineno
STORE = FIRST + 4


@pytest.fixture(scope="module", params=["ptx", "cpu"])
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / f"{request.param}.html"
    kernel.report(path, void(float32[:], float32[:], float32[:]), (9, 0) if request.param == "ptx" else "cpu")
    return path


@pytest.mark.parametrize("width", [1280, 700])
def test_the_text_is_there_and_nothing_sticks_out(page, width):
    script = """
const rows = [...document.querySelectorAll("#source .line")];
const boxes = [...document.querySelectorAll("body *")].filter(e => !e.closest(".column, section"));
return {
  title: document.title,
  text: document.body.innerText,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  outside: boxes.filter(e => e.getBoundingClientRect().right > window.innerWidth + 1).map(e => e.outerHTML),
  rows: rows.map(e => e.getBoundingClientRect()).map(r => [r.top, r.bottom]),
  columns: [...document.querySelectorAll(".column")].map(e => e.getBoundingClientRect()).map(
    r => [r.left, r.right, r.height]),
};
"""
    found, errors = browser.evaluate(page, script, width=width)
    assert errors == []
    assert found["title"] == "kernel – Treadle"
    for wanted in ("Resources", "Warnings", "Launches so far", f"{STORE}", LONG, "b[i]: float32"):
        assert wanted in found["text"]
    assert found["overflow"] <= 0 and found["outside"] == []
    # Rows lie below each other, columns beside each other.
    assert all(below[0] >= above[1] - 0.5 for above, below in zip(found["rows"], found["rows"][1:], strict=False))
    (left, right) = found["columns"]
    assert left[1] <= right[0] and min(left[2], right[2]) > 300


def test_lines_mark_their_instructions(page):
    script = f"""
const line = document.querySelector('#source .line[data-line="{STORE}"]');
if (!line) return null;
const marked = name => [...document.querySelectorAll("#code ." + name)].map(e => e.innerText.trim());
const background = () => getComputedStyle(document.querySelector("#code .line[data-of='{STORE}']")).backgroundColor;
const before = [marked("marked"), background()];
line.dispatchEvent(new MouseEvent("mouseenter"));
const pointed = [marked("marked"), background()];
line.dispatchEvent(new MouseEvent("mouseleave"));
const left = marked("marked");
line.click();
const kept = marked("kept");
const column = document.querySelector("#code").getBoundingClientRect();
const first = document.querySelector("#code .kept").getBoundingClientRect();
line.click();
return {{ before, pointed, left, kept, again: marked("kept"), scrolled: window.scrollY,
         isVisible: first.top >= column.top - 1 && first.bottom <= column.bottom + 1 }};
"""
    found, errors = browser.evaluate(page, script)
    assert errors == []
    store = "st.global" if page.stem == "ptx" else "mov"
    assert found["before"][0] == found["left"] == found["again"] == []
    assert any(store in text for text in found["kept"]) and found["kept"] == found["pointed"][0]
    assert found["before"][1] != found["pointed"][1]
    assert found["isVisible"] and found["scrolled"] == 0


def test_a_picture_shows_the_page(page, tmp_path):
    browser.picture(page, tmp_path / "page.png")
    # A page without text is a few KB.
    assert (tmp_path / "page.png").stat().st_size > 20_000


def test_the_version_is_told(page):
    found, _ = browser.evaluate(page, "return document.body.innerText")
    assert f"Treadle {treadle.__version__}" in found
