#!/bin/bash
# utils/gpu-check.sh BUNDLE.tar.xz OUT [STEP...]: everything that needs a GPU, on the machine
# that has one. Unpacks the bundle, builds its binding for this Python, and then:
#
#   smoke       kernels on torch tensors, the cost of a launch
#   suite       the integration suite with TRITIUM_BACKEND=cuda
#   sanitizer   compute-sanitizer (memcheck, racecheck, synccheck) on the examples
#   sanitized-suite   the integration suite under compute-sanitizer (TOOLS chooses)
#   bench       Tritium and Triton side by side (SECTIONS chooses; bench/gpu/compare.py)
#
# Each step has a limit, writes its output to OUT/STEP.log, and leaves the others alone.

set -u
bundle=$1 out=$2
shift 2
steps=${*:-smoke suite sanitizer bench}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
work=$(mktemp -d)
tar -C "$work" -xf "$bundle" || exit 1
home=$(echo "$work"/*/)
python=${PYTHON:-python3}
"${home}build-binding.sh" "$python" >"$out/binding.log" 2>&1 ||
  { tail -20 "$out/binding.log"; exit 1; }
tail -1 "$out/binding.log"
clean='ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards'
export TRITIUM_TEST_BACKENDS=cuda
export PYTHONPATH=${home}python TRITON_CACHE_DIR=$work/cache PYTHONDONTWRITEBYTECODE=1
cd "$root" || exit 1

# step NAME SECONDS COMMAND...
step() {
  local name=$1 limit=$2 begin=$SECONDS
  shift 2
  case " $steps " in *" $name "*) ;; *) return ;; esac
  timeout "$limit" "$@" >"$out/$name.log" 2>&1
  local status=$?
  echo "== $name: status $status, $((SECONDS - begin)) s"
  tail -"${LINES_SHOWN:-25}" "$out/$name.log"
}

step smoke 60 "$python" utils/gpu_smoke.py
step suite "${SUITE_SECONDS:-240}" "$python" -m pytest -q \
  -p no:cacheprovider -n "${JOBS:-8}" --tb=line --timeout=60 -o timeout_method=thread \
  test/integration ${SUITE_ARGUMENTS:-}
for tool in memcheck racecheck synccheck; do
  case " $steps " in
  *" sanitizer "*)
    timeout 90 compute-sanitizer --tool $tool --error-exitcode 9 --print-limit 5 \
      "$python" utils/gpu_smoke.py --quick >"$out/$tool.log" 2>&1
    echo "== $tool: status $?, $(tail -1 "$out/$tool.log")"
    ;;
  esac
done

# The suite's tests dealt out to JOBS processes, each under the tool; a shard that is not clean is
# named. What fails without the tool is the matter of the step before.
sanitize_suite() {
  local tool jobs=${JOBS:-8}
  mkdir -p "$out/shards"
  "$python" -m pytest --collect-only -q test/integration 2>/dev/null | grep :: |
    split -n "r/$jobs" - "$out/shards/"
  for tool in ${TOOLS:-memcheck racecheck synccheck}; do
    mkdir -p "$out/$tool"
    find "$out/shards" -type f | TOOL=$tool OUT=$out PYTHON=$python xargs -P "$jobs" -n 1 bash -c '
      name=$(basename "$0")
      xargs -d "\n" timeout "${TOOL_SECONDS:-280}" compute-sanitizer --tool "$TOOL" \
        --print-limit 3 --log-file "$OUT/$TOOL/$name.log" "$PYTHON" -m pytest -q \
        -p no:cacheprovider -p no:xdist --tb=line <"$0" >"$OUT/$TOOL/$name.out" 2>&1'
    echo "$tool: $(grep -l "$clean" "$out/$tool"/*.log | wc -l) of $jobs shards clean;" \
      "$(cat "$out/$tool"/*.out | grep -oE "[0-9]+ (passed|failed)" | sort -k2 |
        awk '{n[$2] += $1} END {for (k in n) printf "%d %s ", n[k], k}')"
    grep -L "$clean" "$out/$tool"/*.log
  done
}
case " $steps " in *" sanitized-suite "*) sanitize_suite 2>&1 | tee "$out/sanitized-suite.log" ;; esac

LINES_SHOWN=60 step bench "$((${BENCH_SECONDS:-400} + 60))" "$python" bench/gpu/compare.py \
  --out "$out/bench" --seconds "${SECTION_SECONDS:-60}" --budget "${BENCH_SECONDS:-400}" \
  --rounds "${ROUNDS:-3}" ${SECTIONS:-}
