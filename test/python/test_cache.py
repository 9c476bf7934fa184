"""The cache on disk, dumps and overrides: each script runs in a process of its own."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

import tritium

SCRIPT = """
import sys
import numpy as np
import tritium as triton
import tritium.language as tl
import helpers

SIZE = tl.constexpr({size})

@triton.jit
def kernel(out_ptr, n):
    tl.store(out_ptr, helpers.double(n) + SIZE + helpers.ADD + helpers.host(3))

out = np.zeros(1, np.int32)
compiled = kernel[(1,)](out, 5)
print(out[0], "cached" if compiled.metadata.cached else "compiled", compiled.hash)
"""

HELPERS = """
import tritium as triton
ADD = {add}

@triton.jit
def double(n):
    return n * {factor}

@triton.constexpr_function
def host(n):
    return n * {host}
"""


class Program:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"

    def write(self, size=100, add=0, factor=2, host=0):
        (self.folder / "script.py").write_text(SCRIPT.format(size=size))
        (self.folder / "helpers.py").write_text(
            HELPERS.format(add=add, factor=factor, host=host))
        for compiled in self.folder.glob("__pycache__/*"):
            compiled.unlink()

    def run(self, **environment):
        result = subprocess.run([sys.executable, "script.py"], cwd=self.folder, text=True,
                                capture_output=True, timeout=100,
                                env={**os.environ, "TRITON_CACHE_DIR": str(self.cache),
                                     "PYTHONDONTWRITEBYTECODE": "1", **environment})
        assert result.returncode == 0, result.stderr
        value, how, self.hash = result.stdout.split()
        return int(value), how

    def files(self):
        return [path for path in self.cache.rglob("*") if path.is_file()]


@pytest.fixture
def program(tmp_path):
    result = Program(tmp_path)
    result.write()
    return result


def test_second_process_finds_it(program):
    assert program.run() == (110, "compiled")
    assert program.run() == (110, "cached")
    assert program.run(TRITON_ALWAYS_COMPILE="1") == (110, "compiled")
    assert len(program.files()) == 1


@pytest.mark.parametrize("change,value", [
    ({"size": 200}, 210), ({"add": 1}, 111), ({"factor": 3}, 115), ({"host": 1}, 113)])
def test_whatever_the_kernel_saw_counts(program, change, value):
    assert program.run() == (110, "compiled")
    program.write(**change)
    assert program.run() == (value, "compiled")
    assert program.run() == (value, "cached")
    program.write()
    assert program.run() == (110, "cached")


def test_other_settings_are_other_entries(program):
    program.run()
    assert program.run(TRITIUM_CPU="haswell") == (110, "compiled")
    assert program.run(TRITON_DEBUG="1") == (110, "compiled")
    assert program.run(TRITIUM_BACKEND="interpret") == (110, "compiled")
    assert len(program.files()) == 4


@pytest.mark.parametrize("damage", [b"", b"x", b"TRITIUM1" + bytes(100)])
def test_damaged_entries(program, damage):
    program.run()
    program.files()[0].write_bytes(damage)
    assert program.run() == (110, "compiled")
    assert program.run() == (110, "cached")


def pipe(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()
    (path / "something").write_text("x")


def absurd(path):
    """Larger than memory, and all of it a hole."""
    with open(path, "wb") as file:
        file.write(b"TRITIUM1")
        file.truncate(1 << 42)


def unreadable(path):
    path.write_bytes(b"TRITIUM1")
    path.chmod(0)


def endless(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [pipe, folder, absurd, unreadable, endless])
def test_what_is_no_entry(program, make):
    """Neither fails nor stops a launch, and `tritium cache` shows what else there is."""
    command = pathlib.Path(tritium.__file__).absolute().parents[2] / "bin" / "tritium"
    program.run()
    entry, = program.files()
    other = entry.parent.parent / "other" / "damaged.kernel"
    other.parent.mkdir()
    entry.unlink()
    make(entry)
    make(other)
    assert program.run()[0] == 110
    program.write(add=1)
    assert program.run() == (111, "compiled")
    assert program.run() == (111, "cached")

    def cache(*arguments):
        environment = {**os.environ, "TRITON_CACHE_DIR": str(program.cache)}
        return subprocess.run([command, "cache", *arguments], text=True, capture_output=True,
                              timeout=60, env=environment)

    listed = cache("ls")
    assert listed.returncode == 0 and "damaged" in listed.stdout and "kernel" in listed.stdout
    assert str(other) in cache("ls", "--paths").stdout
    assert cache("clear").returncode == 0
    assert not other.exists() and not list(program.cache.glob("*/*.kernel"))


def test_a_pipe_where_tuning_keeps_its_times(tmp_path):
    script = """
import glob, os, sys
import numpy as np
import tritium as triton
import tritium.language as tl

@triton.autotune([triton.Config({"B": b}) for b in (16, 32)], key=[])
@triton.jit
def kernel(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 1)

kernel[(1,)](np.zeros(64, np.float32))
print(kernel.source)
"""
    (tmp_path / "script.py").write_text(script)

    def run():
        return subprocess.run([sys.executable, "script.py"], cwd=tmp_path, text=True, timeout=60,
                              stdout=subprocess.PIPE, check=True,
                              env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}).stdout.strip()

    assert (run(), run()) == ("measured", "recorded")
    record, = tmp_path.glob("tuning/*/*.json")
    record.unlink()
    os.mkfifo(record)
    assert (run(), run()) == ("measured", "recorded")


def test_unusable_directories(program):
    (program.folder / "file").write_text("x")
    for place in ("/proc/no/such", program.folder / "file", "/dev/null"):
        program.cache = pathlib.Path(place)
        assert program.run() == (110, "compiled")


def test_home_of_the_cache(program):
    home = program.folder / "home"
    assert program.run(TRITON_CACHE_DIR="", TRITON_HOME=str(home)) == (110, "compiled")
    assert list(home.glob(".tritium/cache/*/*.kernel"))


def test_processes_at_once(program):
    environment = {**os.environ, "TRITON_CACHE_DIR": str(program.cache)}
    processes = [subprocess.Popen([sys.executable, "script.py"], cwd=program.folder, text=True,
                                  stdout=subprocess.PIPE, env=environment) for _ in range(4)]
    for process in processes:
        output, _ = process.communicate(timeout=100)
        assert output.split()[0] == "110" and process.returncode == 0
    assert len(program.files()) == 1


def test_dump_and_override(program):
    dump, override = program.folder / "dump", program.folder / "override"
    program.run(TRITON_KERNEL_DUMP="1", TRITON_DUMP_DIR=str(dump))
    folder = dump / program.hash
    assert sorted(path.name for path in folder.iterdir()) == [
        "kernel.json", "kernel.llir", "kernel.o", "kernel.plan", "kernel.s", "kernel.ttir"]
    assert json.loads((folder / "kernel.json").read_text())["name"] == "kernel"
    text = (folder / "kernel.ttir").read_text()
    assert "100 : i32" in text
    # What was dumped is taken back from a folder of the same name, also while dumping.
    target = override / folder.name
    target.mkdir(parents=True)
    (target / "kernel.ttir").write_text(text.replace("100 : i32", "500 : i32"))
    settings = {"TRITON_KERNEL_OVERRIDE": "1", "TRITON_OVERRIDE_DIR": str(override)}
    assert program.run(**settings)[0] == 510
    assert program.hash == folder.name
    assert program.run(**settings, TRITON_KERNEL_DUMP="1", TRITON_DUMP_DIR=str(dump))[0] == 510
    assert "500 : i32" in (folder / "kernel.ttir").read_text()
    assert program.run()[0] == 110
