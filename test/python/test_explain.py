"""tritium explain: what it says of a kernel."""

import json

import pytest
from explaining import ROOT, explained, problems, tritium
from fake_ptxas import ptxas

MATMUL = [ROOT / "examples" / "matmul.py", "--kernel", "matmul", "--signature",
          "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16", "--constexpr", "BM=128",
          "--constexpr", "BN=128", "--constexpr", "BK=64", "--option", "num_warps=8"]


@pytest.fixture(scope="module")
def matmul():
    return explained(*MATMUL, "--target", "cuda:90", "--option", "tensor_copies=False",
                     "--option", "persistent=False")


def lineWith(document, text):
    (line,) = [line for line in document["lines"] if text in line.get("text", "")]
    return line


def opsOf(document, line, name):
    ops = [document["ops"][number] for number in line["ops"]]
    return [op for op in ops if op["name"] == name]


def test_a_field_that_the_schema_does_not_have_is_found(matmul):
    wrong = matmul | {"ops": matmul["ops"] + [{"id": "one"}]}
    assert len(list(problems(wrong))) == 4


def test_operations_are_where_the_text_has_them(matmul):
    assert [op["id"] for op in matmul["ops"]] == list(range(len(matmul["ops"])))
    for op in matmul["ops"]:
        assert op["name"] in matmul["stages"][op["stage"]].splitlines()[op["text_line"] - 1]


def test_operations_of_warp_groups_are_where_the_text_has_them():
    document = explained(*MATMUL, "--target", "cuda:90", "--option", "warp_specialize=True")
    for op in document["ops"]:
        assert op["name"] in document["stages"][op["stage"]].splitlines()[op["text_line"] - 1]


def test_warp_groups():
    command = [*MATMUL, "--target", "cuda:90", "--option", "warp_specialize=True"]
    document = explained(*command)
    groups = document["groups"]
    assert len(groups) >= 2 and len({group["op"] for group in groups}) == 1
    ops = document["ops"]
    assert ops[groups[0]["op"]]["name"] == "ttg.warp_groups"
    # One copies, the others multiply; no operation is in two.
    copying = [any("tma_load" in op["name"] or "copy" in op["name"]
                   for op in ops[group["first"]:group["last"] + 1]) for group in groups]
    assert sorted(copying) == [False] * (len(groups) - 1) + [True]
    for one, next_one in zip(groups, groups[1:], strict=False):
        assert groups[0]["op"] < one["first"] <= one["last"] < next_one["first"]
    assert sum(group["warps"] for group in groups) <= document["resources"]["warps"]["value"]
    text = " ".join(tritium("explain", *command).split())
    assert f"{groups[0]['name']} of {groups[0]['warps']} warps" in text


def test_tiles_that_change_hands(tmp_path):
    path = tmp_path / "turn.py"
    path.write_text("import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"
                    "def turn(x, out, T: tl.constexpr):\n"
                    "    i, j = tl.arange(0, T)[:, None], tl.arange(0, T)[None, :]\n"
                    "    tl.store(out + j * T + i, tl.load(x + i * T + j))\n")
    command = [path, "--signature", "*fp32:16,*fp32:16", "--constexpr", "T=64",
               "--target", "cuda:90"]
    document = explained(*command)
    ops = document["ops"]
    (turned,) = document["conversions"]
    assert turned["way"] == "shared memory" and turned["bytes"] >= 4 * 64 * 64
    assert turned["from"] != turned["to"]
    (reader,) = turned["readers"]
    assert ops[reader]["name"] == "ttg.local_load" and ops[reader]["layout"] == turned["to"]
    (stored,) = [op for op in ops if op["name"] == "tt.load" and op["stage"] == "ttgir"]
    assert turned["from"] == stored["layout"]
    assert "exchanges 1 by shared memory" in " ".join(tritium("explain", *command).split())
    assert document["groups"] == []


def test_what_was_written_is_shown(tmp_path):
    path, page = tmp_path / "matmul.json", tmp_path / "matmul.html"
    text = tritium("explain", *MATMUL, "--target", "cuda:90", "--json", path)
    assert tritium("explain", path, "--html", page) == text
    assert "<body>" in page.read_text()
    assert "nothing to say" in text and "nothing to say" not in tritium("explain", path, "-a")
    written = path.read_text()
    path.write_text(written.replace('"version":1', '"version":7', 1))
    assert tritium("explain", path).startswith("This document is of version 7; this program reads "
                                               "version 1. What it does not\nknow")
    assert "explained already" in tritium("explain", path, "--target", "cuda:90", status=2)
    path.write_text(written.replace("tritium-explain", "another", 1))
    assert "is not what tritium explain --json writes" in tritium("explain", path, status=1)
    path.write_text(written[:100])
    assert "is no JSON" in tritium("explain", path, status=1)
    assert "cannot be read" in tritium("explain", tmp_path / "none.json", status=1)


def test_a_kernel_in_triton_c():
    file = ROOT / "examples" / "triton-c" / "matmul.tc"
    command = [file, "-DTYPE=half", "-DTM=128", "-DTN=128", "-DTK=64", "--num-warps", "8",
               "--signature", ",".join([":16"] * 9), "--target", "cuda:90"]
    launch = [part for item in ("A=M*K", "B=K*N", "C=M*N", "M=256", "N=256", "K=128", "lda=128",
                                "ldb=256", "ldc=256") for part in ("--arg", item)]
    document = explained(*command, *launch, "--grid", "cdiv(M, TM) * cdiv(N, TN)",
                         "--keep-options")
    assert document["kernel"] == "matmul" and document["launch"]["grid"] == [4, 1, 1]
    dot = lineWith(document, "c += (OP_A a) @ (OP_B b)")
    shares = [line["share"]["value"] for line in document["lines"] if "share" in line]
    assert dot["counters"]["matrix_operations"] and dot["share"]["value"] == max(shares)
    assert opsOf(document, dot, "ttng.warp_group_dot")
    assert "give one value each" in tritium("explain", file, "-DTYPE=half", "-DTM=[64,128]",
                                            "-DTN=128", "-DTK=64", status=2)
    assert "takes -DNAME=TEXT" in tritium("explain", *command, "--constexpr", "TM=64", status=2)


def test_a_line_leads_to_its_operations_and_to_assembly(matmul):
    line = lineWith(matmul, "acc = tl.dot(a, b, acc)")
    (before,) = opsOf(matmul, line, "tt.dot")
    (dot,) = opsOf(matmul, line, "ttng.warp_group_dot")
    assert dot["from"] == [before["id"]]
    ptx = matmul["stages"]["ptx"].splitlines()
    own = [row for first, last in dot["assembly"] for row in ptx[first - 1:last]]
    every = [row for row in ptx if "wgmma.mma_async" in row]
    assert every and [row for row in own if "wgmma.mma_async" in row] == every
    # The copies of other lines that run between the products keep their own.
    assert not any("cp.async.c" in row for row in own)


def test_buffers_barriers_and_copies_ahead(matmul):
    (a, b, c) = matmul["buffers"]
    assert (a["offset"], a["count"], b["offset"], b["count"]) == (0, 3, a["bytes"], 3)
    assert c["first"] > a["last"] and c["offset"] == 0
    hazards = [barrier["hazard"] for barrier in matmul["barriers"] if barrier["kind"] == "threads"]
    assert any(hazard.startswith("write after read") for hazard in hazards)
    # The first two iterations in front of the loop, and in it what comes two later.
    assert {place["ahead"] for place in matmul["schedule"]} == {0, 1, 2}
    assert matmul["resources"]["shared_bytes"] == {"value": a["bytes"] + b["bytes"],
                                                   "grade": "decided"}


def test_a_layout_has_each_element_of_its_tile(matmul):
    (_, store) = opsOf(matmul, lineWith(matmul, "tl.store(c_ptrs"), "tt.store")
    layout = matmul["layouts"][store["layout"]]
    places = {(0,) * len(layout["shape"])}
    for bases in layout["bases"].values():
        for base in bases:
            places |= {tuple(x ^ y for x, y in zip(place, base, strict=True)) for place in places}
    cores = layout["repeats"][0] * layout["repeats"][1]
    assert layout["shape"] == [128, 128] and len(places) * cores == 128 * 128


def test_remarks_lead_to_operations(matmul):
    line = lineWith(matmul, "tl.store(c_ptrs")
    texts = [matmul["remarks"][number]["message"] for number in line["remarks"]]
    assert any("changes hands between threads" in text for text in texts)
    for number in line["remarks"]:
        assert set(matmul["remarks"][number]["ops"]) <= set(line["ops"])


def test_zeros_to_count_from_are_no_conversion(tmp_path):
    path = tmp_path / "count.py"
    path.write_text("import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"
                    "def count(x, out):\n"
                    "    counts = tl.histogram(tl.load(x + tl.arange(0, 512)), 128)\n"
                    "    tl.store(out + tl.arange(0, 128), counts)\n")
    document = explained(path, "--signature", "*i32:16,*i32:16", "--target", "cuda:90")
    (buffer,) = document["buffers"]
    names = [document["ops"][number]["name"] for number in range(buffer["first"],
                                                                 buffer["last"] + 1)]
    assert "ttg.local_count" in names and names[-1] == "ttg.local_load"
    assert document["conversions"] == []


def test_remarks_say_what_would_change_them(tmp_path):
    path = tmp_path / "shift.py"
    path.write_text("import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"
                    "def shift(x, out, n, B: tl.constexpr):\n"
                    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
                    "    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)\n")
    document = explained(path, "--signature", "*fp16,*fp16:16,i32:16", "--constexpr", "B=4096",
                         "--target", "cuda:90")
    (narrow,) = [remark for remark in document["remarks"] if remark["kind"] == "missed"]
    assert narrow["code"] == "coalesce/narrow"
    assert narrow["fix"] == {"kind": "promise", "text": "16 divides x", "apply": {"x": 16}}
    assert document["ops"][narrow["op"]]["name"] == "tt.load"
    assert narrow["op"] in narrow["ops"]
    few = explained(path, "--signature", "*fp16:16,*fp16:16,i32:16", "--constexpr", "B=128",
                    "--target", "cuda:90", "--option", "num_warps=16")
    assert [remark["fix"] for remark in few["remarks"] if remark["code"] == "idle-threads"] == [
        {"kind": "option", "text": "num_warps=4", "apply": {"num_warps": 4}}]


def launched(*options, m=256, n=256, k=256):
    return explained(*MATMUL, "--target", "cuda:90", "--arg", "a_ptr=M*K", "--arg", "b_ptr=K*N",
                     "--arg", "c_ptr=M*N", "--arg", f"M={m}", "--arg", f"N={n}", "--arg", f"K={k}",
                     "--grid", "cdiv(M, BM) * cdiv(N, BN)", "--keep-options", *options)


def test_a_launch_is_counted_by_line():
    document = launched()
    assert document["launch"]["grid"] == [4, 1, 1]
    # Rows and columns of 128, of all of k, for each of the four programs, 32 bytes a sector.
    for load in ("a = tl.load", "b = tl.load"):
        assert lineWith(document, load)["counters"]["global_sectors"] == 4 * 128 * 256 * 2 // 32
    assert lineWith(document, "tl.store")["counters"]["global_sectors"] == 256 * 256 * 2 // 32
    assert lineWith(document, "tl.dot")["counters"]["matrix_operations"] > 0
    assert document["counters"]["ctas"] == document["counters"]["grid"] == 4
    assert document["model"]["waves"] == pytest.approx(
        4 / (132 * document["model"]["resident"]))
    assert sum(line.get("share", {"value": 0})["value"]
               for line in document["lines"]) == pytest.approx(1)


def test_of_a_large_grid_some_programs_run():
    document = launched(m=16384, n=1024, k=1024)
    counters = document["counters"]
    assert 2 <= counters["ctas"] < counters["grid"]
    load = lineWith(document, "a = tl.load")["counters"]
    assert load["global_sectors"] == counters["ctas"] * 128 * 1024 * 2 // 32


def test_a_launch_that_the_code_does_not_take():
    error = tritium("explain", *MATMUL, "--target", "cuda:90", "--arg", "a_ptr=1", "--arg",
                    "b_ptr=1", "--arg", "c_ptr=1", "--arg", "M=7", "--arg", "N=16", "--arg",
                    "K=16", "--grid", "1", status=1)
    assert "compiled for a 'M' that 16 divides, but it is 7" in error


def test_a_kernel_that_does_not_compile(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("import tritium as triton\nimport tritium.language as tl\n\n@triton.jit\n"
                    "def wrong(x):\n    tl.store(x, unknown)\n")
    command = ["explain", path, "--signature", "*fp32", "--target", "cuda:90"]
    error = tritium(*command, status=1)
    assert f"{path}:6:" in error and "unknown" in error
    # What is known of it: the lines, and the error on its own.
    kept, page = tmp_path / "wrong.json", tmp_path / "wrong.html"
    assert tritium(*command, "--json", kept, "--html", page, status=1) == error
    document = json.loads(kept.read_text())
    assert list(problems(document)) == [] and document["error"].strip() == error.strip()
    (line,) = [line for line in document["lines"] if line.get("remarks")]
    assert line["line"] == 6 and "unknown" in document["remarks"][0]["message"]
    assert document["stages"] == {} and document["target"] == "cuda:90"
    assert "It does not compile" in page.read_text()
    shown = tritium("explain", kept)
    assert "does not compile: " in shown and "tl.store(x, unknown)" in shown


def test_a_kernel_that_an_assembler_refuses(tmp_path, monkeypatch):
    """Its tile IR is known."""
    path = ptxas(tmp_path, "sys.exit('out of luck')")
    monkeypatch.setenv("TRITON_PTXAS_PATH", path)
    kept = tmp_path / "refused.json"
    error = tritium("explain", *MATMUL, "--target", "cuda:90", "--json", kept, status=1)
    document = json.loads(kept.read_text())
    assert "out of luck" in error and list(problems(document)) == []
    assert list(document["stages"]) == ["ttir"] and "out of luck" in document["error"]
    assert opsOf(document, lineWith(document, "tl.dot("), "tt.dot")


def test_the_terminal_has_80_columns():
    text = tritium("explain", *MATMUL, "--target", "cuda:90", "-a")
    assert max(map(len, text.splitlines())) <= 80
    assert "acc = tl.dot(a, b, acc)" in text


def test_a_kernel_for_a_cpu():
    document = explained(*MATMUL, "--target", "cpu:skylake-avx512")
    assert list(document["stages"]) == ["asm", "plan", "ttir"]
    assert {op["stage"] for op in document["ops"]} == {"ttir"}
    codes = {remark["code"] for remark in document["remarks"]}
    assert {"tile-to-cpu/lanes", "tile-to-cpu/product", "tile-to-cpu/scratch"} <= codes
    (dot,) = [document["remarks"][number] for number in lineWith(document, "tl.dot(")["remarks"]
              if document["remarks"][number]["code"] == "tile-to-cpu/product"]
    assert dot["arguments"]["unit"] == "registers"
    (scratch,) = [remark for remark in document["remarks"]
                  if remark["code"] == "tile-to-cpu/scratch"]
    assert scratch["fix"]["kind"] == "source"
    assert int(scratch["arguments"]["bytes"]) == document["resources"]["scratch_bytes"]["value"]
