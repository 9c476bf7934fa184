#!/bin/bash
# Builds tritium's Python extension for one Python, in half a minute, from what lies beside
# this script: it needs that Python's headers and a C++20 compiler, and no network.
#
#   ./build-binding.sh [PYTHON] [COMPILER]     default: python3, c++ (g++ 11 or clang 15)
#
# Afterwards `PYTHONPATH=.../python` finds the package.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${1:-python3}
compiler=${2:-${CXX:-c++}}

ask() { "$python" -c "import sysconfig as s; print($1)"; }
include=$(ask 's.get_path("include")')
suffix=$(ask 's.get_config_var("EXT_SUFFIX")')
if [ ! -e "$include/Python.h" ]; then
  echo "$python has no headers ($include/Python.h); install them (python3-dev)" >&2
  exit 1
fi
command -v "$compiler" >/dev/null || { echo "there is no compiler '$compiler'" >&2; exit 1; }

objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
nanobind=$here/src/nanobind
flags=(-std=c++20 -O2 -fPIC -fvisibility=hidden -fno-strict-aliasing -DNDEBUG
       -I"$include" -I"$here/include" -I"$nanobind/include"
       -I"$nanobind/ext/robin_map/include")
sources=("$nanobind/src/nb_combined.cpp" "$here"/src/bindings/*.cpp)
pids=()
for source in "${sources[@]}"; do
  "$compiler" "${flags[@]}" -c "$source" -o "$objects/$(basename "$source").o" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
target=$here/python/tritium/_C$suffix
"$compiler" -shared -o "$target" "$objects"/*.o -L"$here/lib" -ltritium \
  '-Wl,-rpath,$ORIGIN/../../lib'
PYTHONPATH=$here/python "$python" -c \
  'import tritium; print("tritium", tritium.__version__, "is ready")'
