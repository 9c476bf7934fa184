#!/bin/bash
# utils/setup.sh STEP...: prepares this checkout. Steps: packages venv configure build link.
#
# Each step looks at what is there and does only what is missing, prints one line, and
# keeps its output in build/logs/STEP.log. On failure it shows the end of the log and says
# what to do.

set -u
cd "$(dirname "$0")/.."
root=$PWD
logs=$root/build/logs
mkdir -p "$logs"
[ -t 1 ] && terminal=1 || terminal=

elapsed() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# The last `[done/total]` that ninja printed, if this step runs ninja.
progress() {
  tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' | grep -o '^\[[0-9]*/[0-9]*\]' | tail -1
}

# run STEP TITLE HINT COMMAND...: one line a step; a line a minute while it runs.
run() {
  local step=$1 title=$2 hint=$3 log=$logs/$1.log begin=$SECONDS shown=0 child status now
  shift 3
  [ -n "$terminal" ] || echo "-- $title ..."
  "$@" >"$log" 2>&1 </dev/null &
  child=$!
  trap 'kill $child 2>/dev/null; exit 130' INT TERM
  while kill -0 $child 2>/dev/null; do
    now=$((SECONDS - begin))
    if [ -n "$terminal" ]; then
      printf '\r\033[K-- %s ... %s %s' "$title" "$(elapsed $now)" "$(progress "$log")"
    elif [ $((now - shown)) -ge 60 ]; then
      shown=$now
      echo "   $title: $(elapsed $now) $(progress "$log")"
    fi
    sleep 0.2
  done
  trap - INT TERM
  wait $child
  status=$?
  now=$(elapsed $((SECONDS - begin)))
  [ -n "$terminal" ] && printf '\r\033[K'
  if [ $status -ne 0 ]; then
    echo "-- $title: FAILED after $now"
    echo "   The end of $log:"
    tail -n 25 "$log" | sed 's/^/   | /'
    echo "   What to do: $hint"
    exit 1
  fi
  echo "-- $title: done ($now)"
}

listedPackages() { sed 's/#.*//' packages.txt | xargs -n1; }

missingPackages() {
  local name
  listedPackages | while read -r name; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || echo "$name"
  done
}

aptInstall() {
  local asRoot=()
  [ "$(id -u)" = 0 ] || asRoot=(sudo -n)
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=600 update || echo "(the package lists may be old)"
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"
}

packages() {
  local missing
  command -v dpkg-query >/dev/null || {
    echo "-- Debian packages: this is not a Debian system."
    echo "   What to do: install by hand what packages.txt lists (LLVM and MLIR must be 19)."
    return
  }
  missing=$(missingPackages)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "-- Debian packages: some are missing, and this is neither root nor is there sudo."
      echo "   What to do: as root, run: apt-get install" $missing
      exit 1
    fi
    # Ask for the password here, where there may be a terminal; the step itself has none.
    if ! sudo -n true 2>/dev/null && ! { [ -n "$terminal" ] && sudo -v; }; then
      echo "-- Debian packages: sudo wants a password and there is no terminal to ask at."
      echo "   What to do: sudo apt-get install" $missing
      exit 1
    fi
  fi
  # shellcheck disable=SC2086
  run packages "Debian packages ($(echo "$missing" | wc -l) missing)" \
    "check the network and /etc/apt/sources.list (Debian 12, main), then run make again." \
    aptInstall $missing
}

makeVenv() {
  # Debian's own interpreter: its headers are what the extension is built against.
  if ! [ -x .venv/bin/python ] || ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    rm -rf .venv
    /usr/bin/python3 -m venv .venv || return 1
  fi
  .venv/bin/python -m pip install --disable-pip-version-check --retries 5 \
    -r requirements.txt || return 1
  cp requirements.txt .venv/installed.txt
}

venv() {
  cmp -s requirements.txt .venv/installed.txt && .venv/bin/python -c '' 2>/dev/null && return 0
  run venv "Python packages into .venv" \
    "check the network (pip needs https://pypi.org), then run make again." makeVenv
}

configure() {
  # ninja runs CMake again by itself when its inputs change.
  [ -f build/build.ninja ] && grep -qF "$root" build/CMakeCache.txt && return 0
  rm -f build/CMakeCache.txt
  run configure "CMake" "read the log; packages.txt lists what must be installed." \
    cmake --preset dev "-DPython_EXECUTABLE=$root/.venv/bin/python"
}

jobs() {
  # One compilation with MLIR's headers takes up to 2 GB.
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  [ "$memory" -lt "$cores" ] && echo "$memory" || echo "$cores"
}

build() {
  if [ -f build/.ninja_log ] && ninja -C build -n 2>/dev/null | grep -q 'no work to do'; then
    return 0
  fi
  run build "Build" "fix the error above; one target alone: ninja -C build TARGET" \
    ninja -C build -j "$(jobs)"
}

# Makes `import tritium` and `.venv/bin/tritium` work from this checkout.
link() {
  local site
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || exit 1
  echo "$root/build/python" >"$site/tritium-dev.pth"
  ln -sfn ../../build/bin/tritium .venv/bin/tritium
}

for step in "$@"; do
  "$step"
done
