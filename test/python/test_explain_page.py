"""The page of tritium explain, in a browser."""

import base64
import json
import re
import zlib

import pytest
from browser import Browser
from explaining import ROOT, tritium

EXAMPLES = {  # a product whose threads copy, and hold tiles in layouts of several kinds
    "matmul": ["--signature", "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "--constexpr",
               "BM=128", "--constexpr", "BN=128", "--constexpr", "BK=64", "--target", "cuda:90",
               "--option", "tensor_copies=0"],
    "softmax_kernel": ["--signature", "*fp32,*fp32,i32,i32,i32", "--constexpr", "BLOCK_SIZE=1024",
                       "--target", "cpu:sapphirerapids"],
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("browser"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for kernel, arguments in EXAMPLES.items():
        file = ROOT / "examples" / (kernel.split("_")[0] + ".py")
        tritium("explain", file, "--kernel", kernel, *arguments, "--html",
                folder / f"{kernel}.html")
    return folder


def lineOf(kernel, text):
    rows = (ROOT / "examples" / (kernel + ".py")).read_text().splitlines()
    (number,) = [i for i, row in enumerate(rows, 1) if text in row]
    return number


def chosenIn(browser, column):
    return browser.value(f"[...document.querySelectorAll('#{column} .row.chosen')]"
                         ".map(row => row.textContent)")


def withDocument(page, document):
    """The page as it would carry another document."""
    text = json.dumps(document).encode()
    packed = base64.b64encode(zlib.compress(text)).decode()
    return re.sub(r'data-bytes="\d+">[^<]*<', f'data-bytes="{len(text)}">{packed}<', page)


@pytest.mark.parametrize("kernel", EXAMPLES)
def test_opens_from_a_file_and_asks_for_nothing(browser, pages, kernel):
    path = pages / f"{kernel}.html"
    assert path.stat().st_size < 300 << 10
    browser.open(path.as_uri())
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert browser.value("performance.getEntriesByType('resource').length") == 0
    assert browser.value("document.querySelector('h1').textContent") == kernel
    assert len(chosenIn(browser, "source")) == 1
    assert chosenIn(browser, "ir")


def test_columns_follow_the_address_and_a_click(browser, pages):
    dot, load = lineOf("matmul", "acc = tl.dot(a, b, acc)"), lineOf("matmul", "a = tl.load(")
    browser.open((pages / "matmul.html").as_uri() + f"#{dot}")
    (source,) = chosenIn(browser, "source")
    assert "acc = tl.dot(a, b, acc)" in source
    assert any("warp_group_dot" in row for row in chosenIn(browser, "ir"))
    assert any("wgmma.mma_async" in row for row in chosenIn(browser, "asm"))
    browser.value("[...document.querySelectorAll('#ir .row')]"
                  ".find(row => row.textContent.includes('async_copy')).click()")
    assert browser.value("location.hash") == f"#{load}"
    assert "16 bytes a lane" in browser.value("document.getElementById('detail').textContent")
    assert browser.problems == []


def test_tiles_that_change_hands_and_warp_groups(browser, pages):
    browser.open((pages / "matmul.html").as_uri())
    table = ("[...document.querySelectorAll('h2')].find(h => h.textContent === '{}')"
             ".nextElementSibling.textContent")
    hands = browser.value(table.format("Tiles that change hands between threads"))
    assert "shared memory" in hands and f":{lineOf('matmul', 'tl.store(c_ptrs')}" not in hands
    assert str(lineOf("matmul", "tl.store(c_ptrs")) in hands and "mma" in hands
    assert "All warps run the same code" in browser.value(table.format("Warp groups"))


def test_loops_of_a_cpu(browser, pages):
    rows = (ROOT / "examples" / "softmax.py").read_text().splitlines()
    exponential = 1 + next(i for i, row in enumerate(rows) if "tl.exp(" in row)
    browser.open((pages / "softmax_kernel.html").as_uri() + f"#{exponential - 1}")
    table = browser.value("[...document.querySelectorAll('h2')]"
                          ".find(h => h.textContent.startsWith('Clocks of a round'))"
                          ".nextElementSibling.textContent")
    assert re.search(rf"SPRPort\d\d.*line {exponential} ", table) and "estimated" in table
    browser.value("[...document.querySelectorAll('#asm .row')]"
                  ".find(row => row.textContent.includes('vfmadd')).click()")
    assert browser.value("location.hash") == f"#{exponential}"
    assert browser.problems == []


def test_keys(browser, pages):
    load = lineOf("matmul", "a = tl.load(")
    browser.open((pages / "matmul.html").as_uri() + f"#{load}")
    browser.press("j")
    assert browser.value("location.hash") == f"#{load + 1}"
    browser.press("k")
    assert browser.value("location.hash") == f"#{load}"
    title = "document.querySelector('#layout h2').textContent"
    before = browser.value(title)
    browser.press("l")
    assert browser.value(title) != before
    pressed = "document.querySelector('[data-colour][aria-pressed=true]').textContent"
    assert browser.value(pressed) == "lane"
    browser.press("c")
    assert browser.value(pressed) == "warp"
    theme = browser.value("document.documentElement.dataset.theme")
    browser.press("t")
    assert browser.value("document.documentElement.dataset.theme") != theme
    browser.press("/")
    assert browser.value("document.activeElement.id") == "search"
    assert browser.problems == []


@pytest.mark.parametrize("document, shown", [
    ({}, "version unknown"),
    ({"format": "tritium-explain", "version": 0, "kernel": "old", "lines": [
        {"file": 0, "line": 3, "text": "</script>é<img src=x onerror=alert(1)>"}]}, "version 0"),
    ({"format": "tritium-explain", "version": 1, "lines": [{"file": 0, "line": 3, "remarks": [0]}],
      "remarks": [{"kind": "missed", "message": "one byte a lane"}], "hints": []},
     "Nothing would help"),
    ({"format": "tritium-explain", "version": 1, "lines": [{"file": 0, "line": 3}], "hints": [
        {"title": "num_warps=2", "reason": "issue 9", "certainty": "tried", "gain": 3}]},
     "num_warps=2"),
    ({"format": "tritium-explain", "version": 1, "lines": [{"file": 0, "line": 6, "text": "x"}],
      "error": "wrong.py:6:5: error: <nothing>"}, "wrong.py:6:5: error: <nothing>"),
])
def test_documents_of_other_versions_and_with_little_in_them(browser, pages, tmp_path, document,
                                                             shown):
    path = tmp_path / "page.html"
    path.write_text(withDocument((pages / "matmul.html").read_text(), document))
    browser.open(path.as_uri())
    assert browser.problems == []
    assert shown in browser.value("document.body.textContent")
    assert browser.value("document.querySelectorAll('img').length") == 0
    if document.get("lines"):
        text = document["lines"][0].get("text", "")
        assert text in browser.value("document.getElementById('source').textContent")
