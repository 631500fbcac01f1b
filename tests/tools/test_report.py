"""`treadle.report`: what the page says, what it links, and what is refused. tests/tools/test_report_in_browser.py shows
it in a browser."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import treadle
from treadle import cuda, float32, int32, literal_unroll, void
from treadle.kernels.occupancy_tables import blocks_per_multiprocessor, table


@cuda.jit(device=True)
def twice(x):
    return x * 2


@cuda.jit
def scaled(a, n, order):
    i = cuda.grid(1)
    if i < n:
        a[i] = twice(a[order[i]]) + 1  # 2 < 3 & "text"


SIGNATURE = void(float32[:], int32, int32[:])
FIRST = scaled.py_func.__code__.co_firstlineno


class Page(HTMLParser):
    """Its texts by the elements' ids, and the lines of both columns."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.lines, self.outside = [], {}, [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.outside += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append((tag, given))
        if given.get("class") == "line":
            self.lines.append((given, []))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, given in self.open:
            if "id" in given:
                self.texts[given["id"]] = self.texts.get(given["id"], "") + data
        if any(given.get("class") == "line" for _, given in self.open):
            self.lines[-1][1].append(data)

    def source(self, number):
        """(text, the types below it) of a line of the source."""
        for given, texts in self.lines:
            if texts[0] == str(number):
                return texts[1], "".join(texts[2:]), given
        raise AssertionError(f"no line {number}")

    def marked_by(self, number):
        """The instructions of a line of the source."""
        return [t[0].strip() for given, t in self.lines if str(number) == given.get("data-of", "")]


def page_of(tmp_path, *arguments, **options):
    path = tmp_path / "page.html"
    treadle.report(*arguments[:1], path, *arguments[1:], **options)
    return Page(path.read_text(encoding="utf-8"))


def test_lines_have_types_and_instructions(tmp_path):
    page = page_of(tmp_path, scaled, SIGNATURE, cc=(9, 0))
    text, types, given = page.source(FIRST + 4)
    assert text == '        a[i] = twice(a[order[i]]) + 1  # 2 < 3 & "text"'
    assert "order[i]: int32" in types and "a[order[i]]: float32" in types and "i: int64" in types
    assert given["data-line"] == str(FIRST + 4)
    marked = page.marked_by(FIRST + 4)
    assert any(line.startswith("ld.global") for line in marked) and any(line.startswith("st.global") for line in marked)
    assert any(line.startswith("setp") for line in page.marked_by(FIRST + 3))
    assert "a: array(float32, 1d, A)" in page.source(FIRST + 1)[1]


def test_instructions_of_an_inlined_function_have_its_lines(tmp_path):
    page = page_of(tmp_path, scaled, SIGNATURE, cc=(9, 0))
    own = page.marked_by(twice.py_func.__code__.co_firstlineno + 2)
    assert own and not set(own) & set(page.marked_by(FIRST + 4))


def test_the_line_of_the_definition_has_no_directives(tmp_path):
    page = page_of(tmp_path, scaled, SIGNATURE, cc=(9, 0))
    marked = [text[0].strip() for given, text in page.lines if "data-of" in given]
    assert marked and not [text for text in marked if text.startswith((".", "//", "$", "}"))]


def test_the_page_needs_nothing_from_outside(tmp_path):
    page = page_of(tmp_path, scaled, SIGNATURE, cc=(9, 0))
    assert page.outside == []
    text = (tmp_path / "page.html").read_text()
    assert "http" not in text and "url(" not in text and "@import" not in text


def test_code_for_the_cpu_says_what_falls_back_and_has_lines(tmp_path):
    page = page_of(tmp_path, scaled, SIGNATURE, cc="cpu")
    assert "gather, 4 places: elements are read one by one" in page.texts["warnings"]
    assert any("gather" in line or "mov" in line for line in page.marked_by(FIRST + 4))
    assert not set(page.marked_by(FIRST + 4)) <= set(page.marked_by(FIRST + 3))
    assert "occupancy" not in page.texts
    assert re.search(r"\bret", page.texts["code"])


@pytest.mark.parametrize("cc", [(9, 0), "cpu"])
def test_pages_of_debug_kernels_have_no_sections_for_debuggers(tmp_path, cc):
    kernel = cuda.jit(scaled.py_func, debug=True, opt=False)
    page = page_of(tmp_path, kernel, SIGNATURE, cc=cc)
    assert page.marked_by(FIRST + 4) and ".debug_info" not in page.texts["code"]


def test_launches_of_the_process_are_counted(tmp_path):
    kernel = cuda.jit(scaled.py_func)
    a, order = cuda.to_device(np.ones(8, np.float32)), cuda.to_device(np.arange(8, dtype=np.int32))
    for _ in range(3):
        kernel[(2, 1), 64](a, 8, order)
    kernel.report(tmp_path / "page.html", cc="cpu")
    page = Page((tmp_path / "page.html").read_text())
    assert page.texts["launches"].endswith("2 × 1 × 164 × 1 × 103")
    assert "None in this process" in page_of(tmp_path, scaled, SIGNATURE, cc="cpu").texts["launches"]


def test_names_are_escaped(tmp_path):
    scope = {"cuda": cuda}
    exec('def k(a):\n    a[0] = 1 if a[0] < 2 else 3  # <b> & "é"\n', scope)
    page = page_of(tmp_path, cuda.jit(scope["k"]), "void(int32[:])", cc=(8, 0))
    assert page.source(2)[0].endswith('# <b> & "é"')


def test_wrong_arguments(tmp_path):
    path = tmp_path / "page.html"
    for wrong in (twice, scaled.py_func, 3):
        with pytest.raises(TypeError, match="a report is about a kernel"):
            treadle.report(wrong, path)
    with pytest.raises(ValueError, match="scaled is not compiled yet: launch it, or call compile"):
        treadle.report(cuda.jit(scaled.py_func), path)
    with pytest.raises(ValueError, match="cc must be a tuple"):
        treadle.report(scaled, path, SIGNATURE, cc="new")
    with pytest.raises(treadle.CompileError):
        treadle.report(scaled, path, "void(float32, int32, int32)", cc=(9, 0))
    with pytest.raises(TypeError):
        treadle.report(scaled, 3, SIGNATURE)
    assert not path.exists()
    with pytest.raises(FileNotFoundError):
        treadle.report(scaled, tmp_path / "none" / "page.html", SIGNATURE)


@pytest.mark.parametrize(
    "cc, threads, registers, shared, expected",
    [
        # From NVIDIA's occupancy calculator.
        (90, 256, 32, 0, (8, "warps")),
        (90, 32, 32, 0, (32, "blocks")),
        (90, 256, 64, 0, (4, "registers")),
        (90, 1024, 64, 0, (1, "registers")),
        (90, 1024, 255, 0, (0, "registers")),
        (90, 128, 32, 48 << 10, (4, "shared memory")),
        (90, 64, 32, 57 << 10, (3, "shared memory")),
        (86, 256, 40, 0, (6, "warps")),
        (75, 1024, 32, 0, (1, "warps")),
        (80, 192, 48, 0, (6, "registers")),
        (120, 64, 0, 0, (24, "warps")),
    ],
)
def test_occupancy(cc, threads, registers, shared, expected):
    assert blocks_per_multiprocessor(cc, threads, registers, shared) == expected


def test_occupancy_is_in_percent_of_the_warps():
    rows = {row[0]: row for row in table(90, 64, 0)}
    assert rows[256] == (256, 4, 50, "registers")
    assert [row[0] for row in table(90, 32, 0, most_threads=128)] == [32, 64, 96, 128]


def test_types_are_those_of_the_source():
    """A tuple that is unpacked is a tuple, items of it are not seen; values are not yet what they are stored as."""

    @cuda.jit
    def kernel(x):
        a, b = cuda.grid(2)
        t = cuda.grid(2)
        x[a] = t[1] + b
        for k in literal_unroll((1, 2.5)):
            x[b] = k

    kernel[1, 32](np.zeros(64))
    first = kernel.py_func.__code__.co_firstlineno
    found = {}
    for line in kernel.inspect("types").splitlines():
        row, column, _, end, name = line.split(maxsplit=4)
        found.setdefault((int(row) - first, int(column), int(end)), []).append(name)
    indent = 8
    assert found[2, indent, indent + 1] == found[2, indent + 3, indent + 4] == ["int64"]
    assert found[2, indent + 7, indent + 19] == ["UniTuple(int64 x 2)"]
    assert found[3, indent + 4, indent + 16] == ["UniTuple(int64 x 2)"]
    assert found[4, indent + 7, indent + 15] == ["int64"]
    assert found[4, indent + 7, indent + 11] == ["int64"]
    assert found[6, indent + 11, indent + 12] == ["float64", "int64"]
    assert all(len(names) == 1 for (row, *_), names in found.items() if row < 5)
