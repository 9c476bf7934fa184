"""Shows that a change of the compiler's structure leaves its code as it was, byte for byte.

    utils/compare_code.py collect DIR           every kernel's code, as this build makes it
    utils/compare_code.py compare BEFORE AFTER  exit status 1 if a kernel's code differs

`collect` runs the integration suite and the examples on the CPU and on simulated GPUs, with
all stages written out, and keeps the code of each compiled kernel once: PTX, or the LLVM IR for
the CPU, behind a line with what a launch must know. A file is named after the kernel, the target,
and a hash of what was compiled (tile IR, options): nothing that changes with the compiler's
version or between two runs. Collect before and after on the same machine.

A kernel whose tile IR has changed has another name. Kernels that stand on one side alone count as
differences.
"""

import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHON = ROOT / ".venv" / "bin" / "python"
BACKENDS = ("cpu", "sim:sm_80", "sim:sm_90")
CODE = (".ptx", ".llir")  # what a kernel is known by: the first that it has
LAUNCH = ("parameters", "launch_rules", "scratch_bytes", "num_warps", "num_ctas", "shared")
# The macros of the examples in Triton-C, as the heads of the files name them.
MACROS = re.compile(r"(?<![\w\[])-D\w+=\w+")
SHOWN_LINES = 6
SHOWN_KERNELS = 20


def environment(folder, backend):
    """What makes a run the same each time: one thread, no cache, nothing that hangs on chance."""
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    return {**os.environ, "TRITIUM_BACKEND": backend, "TRITIUM_TEST_BACKENDS": backend,
            "TRITON_KERNEL_DUMP": "1", "TRITON_DUMP_DIR": str(folder / "dump"),
            "TRITON_CACHE_DIR": str(folder / "cache"), "TMPDIR": str(temporary),
            "TRITIUM_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
            "TRITIUM_VERIFY": "0"}


def commandsFor(folder, backend):
    """What compiles the kernels of one back end."""
    yield [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp",
           folder / "tmp" / "pytest", "-k", backend, "test/integration"]
    # Those in Python run here at the sizes of the examples; a simulator would take minutes for
    # them, and the suite runs the same kernels on it.
    if backend == "cpu":
        for path in sorted((ROOT / "examples").glob("*.py")):
            yield [PYTHON, path]
    target = "cpu" if backend == "cpu" else f"cuda:{backend.removeprefix('sim:sm_')}"
    stage = "llir" if backend == "cpu" else "ptx"
    for path in sorted((ROOT / "examples").glob("*/*.tc")):
        macros = MACROS.findall("".join(re.findall(r"^//.*\n", path.read_text(), re.M)))
        yield [ROOT / "build" / "bin" / "tritium", "compile", path, *macros,
               "--target", target, "--emit", stage, "-o", os.devnull]


def runAll(folder, backend):
    """Compiles the kernels of one back end; returns the commands that failed."""
    variables = environment(folder, backend)
    failed = []
    with open(folder / "log", "wb") as log:
        for command in commandsFor(folder, backend):
            # -R: the addresses of arrays, and with them what kernels are told of their alignment,
            # are the same each time.
            status = subprocess.run(["setarch", "-R", *command], cwd=ROOT, env=variables,
                                    stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
            if status:
                failed.append(f"{' '.join(map(str, command))}: exit status {status}")
    return failed


def neutral(text, folder):
    """`text` without names of this run: of its temporary files, and of this checkout."""
    text = re.sub(re.escape(str(folder / "tmp")) + r"/(?:[\w.]+-)*\w+", "/tmp/T", text)
    return text.replace(str(ROOT), "/tritium")


def isSeal(line):
    """Whether a line is the comment with the metadata, which has file names in base 64."""
    return line.startswith(("// tritium: ", "; tritium: "))


def keep(dumped, folder, into):
    """Puts the code of one dumped kernel into `into`, once."""
    metadata = json.loads(neutral(dumped.read_text(), folder))
    stage = next((dumped.with_suffix(end) for end in CODE if dumped.with_suffix(end).exists()),
                 None)
    if stage is None:
        return
    ttir = neutral(dumped.with_suffix(".ttir").read_text(), folder)
    choice = [ttir, metadata["options"], metadata["debug"], metadata["launch_rules"]]
    digest = hashlib.sha256(json.dumps(choice, sort_keys=True).encode()).hexdigest()[:16]
    launch = json.dumps({key: metadata[key] for key in LAUNCH if key in metadata}, sort_keys=True)
    lines = neutral(stage.read_text(errors="surrogateescape"), folder).splitlines()
    code = "\n".join([f"launch: {launch}", *(line for line in lines if not isSeal(line)), ""])
    target = metadata["target"].replace("cuda:", "gpu").replace("sim:", "gpu")
    name = f"{metadata['name']}.{target}.{digest}"
    into.setdefault(name, set()).add(code)


def collect(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    kernels, failed = {}, []
    with tempfile.TemporaryDirectory(prefix="tritium-code-") as work:
        folders = {name: pathlib.Path(work) / name.replace(":", "-") for name in BACKENDS}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(runAll, folders.values(), folders):
                failed += found
        for folder in folders.values():
            for dumped in sorted((folder / "dump").glob("*/*.json")):
                keep(dumped, folder, kernels)
            shutil.copy(folder / "log", directory / f"{folder.name}.log")
    for name, codes in kernels.items():
        # Options that the metadata does not name (arguments that overlap, streamed stores) make
        # more than one code of the same tile IR: a file has them all.
        text = "\n".join(sorted(codes))
        (directory / f"{name}.code").write_text(text, errors="surrogateescape")
    print(f"{directory}: {sum(map(len, kernels.values()))} codes of {len(kernels)} kernels")
    # Tests that fail before and after make no difference; the code counts.
    for command in failed:
        print(f"warning: {command}; see the logs in {directory}")
    return 0 if kernels else 1


def firstDifferences(before, after):
    """The first lines that differ, of both."""
    before, after = before.splitlines(), after.splitlines()
    changed = [line for line in difflib.unified_diff(before, after, n=0, lineterm="")
               if not line.startswith(("---", "+++"))]
    rest = len(changed) - SHOWN_LINES
    return changed[:SHOWN_LINES] + ([f"... and {rest} more lines"] if rest > 0 else [])


def compare(first, second):
    def codes(directory):
        return {path.name: path.read_text(errors="surrogateescape")
                for path in directory.glob("*.code")}
    before, after = codes(first), codes(second)
    if not before or not after:
        print(f"{second if before else first}: no kernels; see `collect`")
        return 2
    lone = sorted(before.keys() ^ after.keys())
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    for name in lone[:SHOWN_KERNELS]:
        print(f"{name}: only in {first if name in before else second}")
    for name in changed[:SHOWN_KERNELS]:
        print(f"{name}:")
        for line in firstDifferences(before[name], after[name]):
            print(f"    {line}")
    print(f"{len(before.keys() & after.keys())} kernels on both sides, {len(changed)} differ; "
          f"{len(before.keys() - after.keys())} only in {first}, "
          f"{len(after.keys() - before.keys())} only in {second}")
    return 1 if changed or lone else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("collect").add_argument("directory", type=pathlib.Path)
    comparison = commands.add_parser("compare")
    comparison.add_argument("before", type=pathlib.Path)
    comparison.add_argument("after", type=pathlib.Path)
    options = parser.parse_args()
    if options.command == "collect":
        return collect(options.directory.resolve())
    return compare(options.before, options.after)


if __name__ == "__main__":
    sys.exit(main())
