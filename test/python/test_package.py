"""An installed tree is enough to build and run a C++ program: find_package(Tritium)."""

import os
import pathlib
import shutil
import subprocess

import pytest

import tritium

BUILD = pathlib.Path(tritium.__file__).absolute().parents[2]

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(Host C CXX)
find_package(Tritium 0.1 REQUIRED)
add_executable(host host.cpp plain.c)
target_link_libraries(host PRIVATE Tritium::tritium)
"""

HOST = r"""
#include <tritium/tritium.hpp>
#include <cstdio>

extern "C" const char *version(void);

int main(int, char **arguments) {
  std::vector<float> x(1000, 2), y(1000, 3), out(1000);
  int n = 1000;
  auto add = tritium::load(arguments[1], {.defines = {{"TYPE", "float"}, {"SIZE", "[64, 128]"}}})
                 .kernel("add");
  add.launch([&](const tritium::Options &opt) {
    return tritium::Grid(tritium::cdiv(n, opt["SIZE"])); }, tritium::Stream{}, x, y, out, n);
  try {
    tritium::load(arguments[1]).kernel("add");
  } catch (const tritium::Error &error) {
    std::printf("%s\n", error.kind.c_str());
  }
  std::printf("%g %g %s\n", out.front(), out.back(), version());
  return 0;
}
"""

PLAIN = """
#include <tritium/tritium.h>
const char *version(void) { return tritium_version(); }
"""

KERNEL = """
__global__ void add(TYPE *x, TYPE *y, TYPE *out, int n) {
  int i[SIZE] = get_program_id(0) * SIZE + 0 ... SIZE;
  bool inside[SIZE] = i < n;
  TYPE *px[SIZE] = x + i;
  TYPE *py[SIZE] = y + i;
  TYPE *pout[SIZE] = out + i;
  *?(inside)pout = *?(inside)px + *?(inside)py;
}
"""


def call(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            timeout=300, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("c++"), reason="no compiler")
def test_find_package(tmp_path):
    prefix, source, build = tmp_path / "prefix", tmp_path / "source", tmp_path / "build"
    call("cmake", "--install", BUILD, "--prefix", prefix, "--component", "Tritium")
    installed = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    assert {"include/tritium/tritium.h", "include/tritium/tritium.hpp"} <= installed
    assert any(path.endswith("cmake/Tritium/TritiumConfig.cmake") for path in installed)
    # Nothing of the source tree or the build tree is left in the package's files.
    for path in prefix.rglob("*.cmake"):
        assert str(BUILD) not in path.read_text()
    source.mkdir()
    for name, text in (("CMakeLists.txt", CMAKE), ("host.cpp", HOST), ("plain.c", PLAIN),
                       ("add.tc", KERNEL)):
        (source / name).write_text(text)
    call("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    call("cmake", "--build", build)
    shutil.move(source / "add.tc", tmp_path / "add.tc")
    output = call(build / "host", tmp_path / "add.tc", cwd="/",
                  env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")})
    assert output == f"CompilationError\n5 5 {tritium._C.version()}\n"
