"""Machine code in `tritium explain`: by nvdisasm or cuobjdump where they are, whose output is
imitated where they are not."""

import os
import re
import shutil
import stat

import pytest
from browser import Browser
from explaining import ROOT, explained, tritium

FILE = ROOT / "examples" / "vector_add.py"
ADD = ("examples/vector_add.py", "--kernel", "add_kernel", "--signature",
       "*fp32:16,*fp32:16,*fp32:16,i32", "--constexpr", "BLOCK_SIZE=1024", "--target", "cuda:90")
TEXT = FILE.read_text().splitlines()
(LOAD,) = [i for i, row in enumerate(TEXT, 1) if "x = tl.load(" in row]
(STORE,) = [i for i, row in enumerate(TEXT, 1) if "tl.store(" in row]

# As nvdisasm 13.0 prints it.
PRINTED = f"""
	.section	.text.add_kernel,"ax",@progbits
add_kernel:
.text.add_kernel:
	//## File "examples/vector_add.py", line {LOAD}
        /*0000*/                   LDG.E.128 R4, desc[UR4][R2.64] ;      /* 0x0000000402047981 */
                                                                       /* 0x000ea2000c1e1d00 */
	//## File "examples/vector_add.py", line {STORE}
        /*0010*/                   FADD R4, R4, R8 ;                   /* 0x0000000804047221 */
                                                                       /* 0x004fca0000000000 */
        /*0020*/                   STG.E.128 desc[UR4][R10.64], R4 ;       /* 0x000000040a007986 */
                                                                       /* 0x000fe2000c101d04 */
        /*0030*/                   EXIT ;                              /* 0x000000000000794d */
                                                                       /* 0x000fea0003800000 */
.L_x_0:
        /*0040*/                   BRA `(.L_x_0);                      /* 0xfffffffc00fc7947 */
                                                                       /* 0x000fc0000383ffff */
"""


def found(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/local/cuda/bin")


def program(path, body):
    path.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "release 99.0, V99.0.1" && exit\n'
                    + body)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def imitated(tmp_path, monkeypatch):
    """A ptxas that writes a cubin of three bytes, and what nvdisasm prints."""
    (tmp_path / "printed").write_text(PRINTED)
    ptxas = 'while [ "$1" != -o ]; do shift; done\nprintf abc > "$2"\n'
    nvdisasm = (f'echo "$@" > {tmp_path}/arguments\necho a warning >&2\n'
                f'for last; do :; done\n[ "$(cat $last)" = abc ] && cat {tmp_path}/printed\n')
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_PTXAS_PATH", program(tmp_path / "ptxas", ptxas))
    monkeypatch.setenv("TRITON_NVDISASM_PATH", program(tmp_path / "nvdisasm", nvdisasm))
    return tmp_path


def line(document, number):
    (found,) = [line for line in document["lines"] if line["line"] == number]
    return found


def test_lines_have_their_instructions(imitated):
    document = explained(*ADD)
    assert re.match(r"-g -c -hex \S* ?\S+\.cubin$", (imitated / "arguments").read_text())
    assert document["sass"] == {
        "grade": "decided", "from": "nvdisasm 99.0.1", "instructions": 4, "stall": 12, "waits": 1,
        "classes": {"global_load": 1, "float": 1, "global_store": 1, "control": 1}}
    assert line(document, LOAD)["sass"] == {
        "instructions": 1, "classes": {"global_load": 1}, "stall": 1, "waits": 0, "rows": [[3, 3]]}
    store = line(document, STORE)["sass"]
    assert (store["instructions"], store["waits"], store["rows"]) == (3, 1, [[4, 6]])
    assert document["stages"]["sass"].splitlines()[2:4] == [
        "000000  ------  - 2   1  LDG.E.128 R4, desc[UR4][R2.64]",
        "000010  --2---  - -   5  FADD R4, R4, R8"]
    assert "no_sass" not in document


def test_text_and_page(imitated):
    page = imitated / "page.html"
    text = tritium("explain", *ADD, "--html", page)
    assert "4 instructions (nvdisasm 99.0.1): control 1, float 1, global_load 1," in text
    assert "3 of SASS, 1 wait" in text
    browser = Browser(imitated / "browser")
    try:
        browser.open(page.as_uri())
        browser.value("document.querySelector('[data-stage=sass]').click()")
        browser.value("[...document.querySelectorAll('#asm .row')]"
                      ".find(row => row.textContent.includes('LDG.E.128')).click()")
        assert browser.value("location.hash") == f"#{LOAD}"
        assert "global load 1" in browser.value("document.getElementById('detail').textContent")
        browser.value("document.querySelector('[data-stage=ptx]').click()")
        assert "ld.global" in browser.value("document.getElementById('asm').textContent")
        assert browser.problems == []
    finally:
        browser.close()


@pytest.mark.parametrize("nvdisasm, reason", [
    ("exit 1", r"/nvdisasm failed with status 1"),
    ("echo out of memory >&2; exit 3", r"failed with status 3: out of memory"),
    ("echo nothing", "nvdisasm 99.0.1 prints no instructions that can be read"),
    (None, "there is neither nvdisasm nor cuobjdump"),
])
def test_why_there_is_none(imitated, tmp_path, monkeypatch, nvdisasm, reason):
    path = program(tmp_path / "nvdisasm", nvdisasm + "\n") if nvdisasm else "none"
    monkeypatch.setenv("TRITON_NVDISASM_PATH", path)
    monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", "none")
    document = explained(*ADD)
    assert re.search(reason, document["no_sass"])
    assert "sass" not in document and "sass" not in document["stages"]
    assert all("sass" not in line for line in document["lines"])
    assert re.search(reason.split()[0], tritium("explain", *ADD, "-a"))


def test_there_is_none_without_ptxas(imitated, monkeypatch):
    monkeypatch.setenv("TRITON_PTXAS_PATH", "none")
    assert explained(*ADD)["no_sass"] == "there is no ptxas, which makes machine code"


@pytest.mark.skipif(not found("ptxas"), reason="there is no ptxas")
@pytest.mark.parametrize("name", ["nvdisasm", "cuobjdump"])
def test_real_ones(name, monkeypatch):
    other = {"nvdisasm": "TRITON_CUOBJDUMP_PATH", "cuobjdump": "TRITON_NVDISASM_PATH"}[name]
    chosen = os.environ.get(f"TRITON_{name.upper()}_PATH")
    if not (found(chosen) if chosen else found(name)):
        pytest.skip(f"there is no {name}")
    monkeypatch.setenv(other, "none")
    document = explained(*ADD)
    code = document["sass"]
    assert code["from"].startswith(name) and code["classes"].get("other", 0) == 0
    # Two loads of as many elements for each store.
    assert code["classes"]["global_load"] == 2 * code["classes"]["global_store"] > 0
    assert code["classes"]["float"] >= 4 and code["waits"] >= 1 and code["stall"] > 20
    text = document["stages"]["sass"].splitlines()
    assert sum(row.split()[-1] == "EXIT" for row in text) >= 1
    if name == "cuobjdump":
        assert "does not print which lines" in code["no_lines"]
        return
    load, store = line(document, LOAD)["sass"], line(document, STORE)["sass"]
    assert load["classes"]["global_load"] == code["classes"]["global_store"]
    assert store["classes"]["global_store"] == code["classes"]["global_store"]
    # What a load brings is waited for by what adds it up.
    assert store["waits"] >= 1
    for part, word in ((load, "LDG"), (store, "STG")):
        rows = [text[row - 1] for first, last in part["rows"] for row in range(first, last + 1)]
        assert len(rows) == part["instructions"] and any(word in row for row in rows)
