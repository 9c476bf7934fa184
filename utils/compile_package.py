"""Compiles every kernel of a package of other people's for a GPU that is not there.

    utils/compile_package.py FOLDER [--skip REGEX] [--report FILE] [--jobs N]

FOLDER is the folder of an importable package, unpacked from its wheel. All its modules are
imported with Tritium in Triton's place (what is not installed is stood for by empty modules; few
packages can do without torch), each kernel is compiled for compute capability 9.0 through ptxas,
in a process of its own with a time limit, with signatures that utils/guess_signatures.py guesses,
until one compiles. A kernel is a JIT function that returns nothing and that no other calls; the
others are compiled as parts of these. Of kernels whose text the package transforms before it uses
them those that it makes are compiled, see utils/made_kernels.py.

Prints how many there are and how many compile, and of each that does not the first error.
--with-triton has the Triton that is installed compile instead, to tell a wrong guess from a fault:
it takes the guess of each kernel that stands in the report of an earlier run.
"""

import argparse
import contextlib
import functools
import importlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import pkgutil
import re
import resource
import signal
import sys
import tempfile
import traceback
import types

import guess_signatures
import made_kernels

SECONDS = 60  # of processor time, of each process
ENOUGH = 0.6  # of this, after which nothing else is tried
H200 = types.SimpleNamespace(
    name="NVIDIA H200", major=9, minor=0, multi_processor_count=132, warp_size=32,
    regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048,
    max_threads_per_block=1024, total_memory=140 << 30, shared_memory_per_block=48 << 10,
    shared_memory_per_block_optin=227 << 10, shared_memory_per_multiprocessor=228 << 10,
    L2_cache_size=60 << 20, gcnArchName="")


def anyOf(name):
    """A class of this name whose objects may be called, and asked for anything. What is compared
    is a version, above all, of what is not installed: the newest."""
    if name.startswith("__"):
        raise AttributeError(name)
    newer = dict.fromkeys(("__gt__", "__ge__"), lambda self, other: True)
    older = dict.fromkeys(("__lt__", "__le__"), lambda self, other: False)
    return AnyType(name, (), {"__init__": lambda self, *args, **kwargs: None,
                              "__getattr__": lambda self, name: anyOf(name),
                              "__call__": lambda self, *args, **kwargs: self, **newer, **older})


class AnyType(type):
    """The type of what stands for something in a module that is not installed."""

    def __getattr__(cls, name):
        return anyOf(name)

    def __getitem__(cls, index):
        return cls

    def __iter__(cls):
        return iter(())


class Anything(types.ModuleType):
    """Stands for a module that is not installed, and for everything in it."""

    __path__ = []

    def __getattr__(self, name):
        return anyOf(name)


class Standing:
    """Finds `Anything` for modules that are not there."""

    def __init__(self):
        self.names = set()

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Anything(spec.name)

    def exec_module(self, module):
        pass


def pretend(triton, own):
    """Tells torch and, if `own` is false, Triton of a GPU."""
    def constant(value):
        return lambda *args, **kwargs: value

    device = "cuda:0"
    if importlib.util.find_spec("torch"):
        import torch

        device = torch.device("cuda", 0)
        for name, value in {
                "is_available": True, "device_count": 1, "current_device": 0, "synchronize": None,
                "get_device_properties": H200, "get_device_capability": (9, 0),
                "_lazy_init": None, "get_device_name": H200.name,
                "is_bf16_supported": True}.items():
            setattr(torch.cuda, name, constant(value))
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    base = triton.runtime.driver.CUDADriver if own else object
    names = {"get_current_target": target, "get_current_device": 0,
             "get_active_torch_device": device,
             "get_device_properties": {"multiprocessor_count": 132, "max_shared_mem": 232448}}
    driver = type("Driver", (base,), {
        name: constant(value) for name, value in names.items()})()
    if not own:
        driver.utils = driver
    triton.runtime.driver.set_active(driver)
    return target


class Collection:
    """The kernels that a package makes, with what is around them."""

    def __init__(self, triton):
        self.kernels, self.wrappers = [], {}
        jit, tuner = triton.runtime.jit, triton.runtime.autotuner
        self.note(jit.JITFunction, lambda made: self.kernels.append(made))
        for kind in (tuner.Autotuner, tuner.Heuristics):
            self.note(kind, self.wrapped)

    def wrapped(self, made):
        inner = made.fn
        while hasattr(inner, "fn") and not hasattr(inner, "params"):
            inner = inner.fn
        self.wrappers.setdefault(id(inner), []).append(made)

    @staticmethod
    def note(kind, function):
        make = kind.__init__

        def noted(self, *args, **kwargs):
            make(self, *args, **kwargs)
            function(self)

        kind.__init__ = noted


def load(folder, skip):
    """Imports the modules of a package; name -> why, of those that cannot be."""
    folder, standing, failed = pathlib.Path(folder).resolve(), Standing(), {}
    sys.path.insert(0, str(folder.parent))
    sys.meta_path.append(standing)
    todo = [(folder.name, folder)]
    for name, path in todo:
        failure = bring(name, standing, folder.name)
        if failure and path.is_dir():  # its modules may be imported all the same
            bare = types.ModuleType(name)
            bare.__path__ = [str(path)]
            sys.modules[name] = bare
        if failure:
            failed[name] = failure
        if path.is_dir():
            for found in pkgutil.iter_modules([str(path)]):
                inner = f"{name}.{found.name}"
                if not (skip and re.search(skip, inner)):
                    todo.append((inner, path / found.name if found.ispkg
                                 else path / f"{found.name}.py"))
    return failed


def bring(name, standing, package):
    """Imports one module, with others standing for what is not installed."""
    for _ in range(40):
        try:
            importlib.import_module(name)
            return None
        except ModuleNotFoundError as error:
            missing = (error.name or "").split(".")[0]
            if not missing or missing in (package, "triton", *standing.names):
                return f"{type(error).__name__}: {error}"
            standing.names.add(missing)
        except BaseException as error:  # a module may do anything
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"[:600]
    return "too many modules are not installed"


def attempt(triton, target, kernel, guess):
    """Compiles one guess: (error or None, seconds of processor time)."""
    begin = sum(os.times()[:4])
    try:
        source = triton.compiler.ASTSource(fn=kernel, signature=guess.signature, constexprs={
            (kernel.arg_names.index(name),): value for name, value in guess.constexprs.items()})
        compiled = triton.compile(source, target=target, options=guess.options)
        error = None if compiled.asm["cubin"] else "no code"
    except Exception as failure:
        cause = failure.__cause__ or getattr(failure, "error_message", None)
        error = f"{type(failure).__name__}: {failure}" + (f" / {cause}" if cause else "")
    return error, sum(os.times()[:4]) - begin


def compileAll(triton, target, kernel, wrappers, only):
    """What became of a kernel: a dict for the report."""
    errors, slowest, guess = [], 0.0, None
    try:
        for number, guess in enumerate(guess_signatures.tries(kernel, wrappers, triton)):
            if only is not None and number not in only:
                continue
            error, seconds = attempt(triton, target, kernel, guess)
            slowest = max(slowest, seconds)
            if error is None:
                return {"ok": True, "try": number, "seconds": slowest, "errors": errors,
                        "guess": str(guess)}
            errors.append([number, error[:3000], str(guess)])
            if sum(os.times()[:4]) > ENOUGH * SECONDS:
                break
    except Exception:
        errors.append([-1, "guessing failed: " + traceback.format_exc()[-1500:], ""])
    return {"ok": False, "seconds": slowest, "errors": errors}


def inChildren(works, jobs):
    """name -> result of `work()` of each (name, work), each in a process of its own, `jobs` at a
    time; a crash or a hang is a result, too."""
    todo, running, results = list(reversed(works)), {}, {}
    while todo or running:
        while todo and len(running) < jobs:
            name, work = todo.pop()
            answer = tempfile.TemporaryFile()
            child = os.fork()
            if not child:
                os.setsid()
                resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
                signal.alarm(10 * SECONDS)
                answer.write(json.dumps(work()).encode())
                answer.flush()
                os._exit(0)
            running[child] = name, answer
        child, status = os.wait()
        name, answer = running.pop(child)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # an assembler that it left
        answer.seek(0)
        text = answer.read()
        number = os.waitstatus_to_exitcode(status)
        slow = (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL)
        why = f"no answer in {SECONDS} s" if number in slow else f"status {number}"
        result = results[name] = json.loads(text) if text else {
            "ok": False, "seconds": float(SECONDS), "errors": [[-1, why, ""]]}
        print(f"{name}: " + (f"{result['seconds']:.1f} s" if result["ok"]
                             else result["errors"][0][1]), flush=True)
    return results


def kernelsOf(collection, package):
    """(name, kernel) of the kernels of a package, and how many functions they call."""
    found, called, unread = {}, set(), 0
    for kernel in collection.kernels:
        if kernel.fn.__module__.split(".")[0] == package:
            code = kernel.fn.__code__
            found[(code.co_filename, code.co_firstlineno)] = kernel
    for kernel in found.values():
        try:
            called |= guess_signatures.Usage.of(kernel.fn).callees
        except Exception:
            unread += 1
    kernels, templates = [], made_kernels.templates(found.values())
    for kernel in found.values():
        usage = guess_signatures.Usage.known.get(kernel.fn)
        if not (usage and usage.returnsValue) and kernel.fn not in called | templates:
            kernels.append((made_kernels.nameOf(kernel), kernel))
    return kernels, len(found) - len(kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--skip", help="modules that are left out: a regular expression")
    parser.add_argument("--only", help="kernels that are compiled: a regular expression")
    parser.add_argument("--report", help="where results are written, as JSON")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--with-triton", metavar="REPORT", help="the report of an earlier run")
    arguments = parser.parse_args()
    os.environ.setdefault("TRITON_ALWAYS_COMPILE", "1")
    # A kernel guessed too large takes ptxas minutes otherwise.
    os.environ.setdefault("DISABLE_PTXAS_OPT", "1")
    earlier = {}
    if arguments.with_triton:
        earlier = json.loads(pathlib.Path(arguments.with_triton).read_text())["kernels"]
    else:
        import tritium
        tritium.install_as_triton()
    import triton

    target = pretend(triton, not arguments.with_triton)
    collection = Collection(triton)
    sys.argv = sys.argv[:1]  # some modules are programs
    failed = load(arguments.folder, arguments.skip)
    package = pathlib.Path(arguments.folder).resolve().name
    made_kernels.make(package, triton.runtime.jit.JITFunction)
    kernels, functions = kernelsOf(collection, package)
    chosen = [(name, kernel) for name, kernel in kernels
              if (not arguments.only or re.search(arguments.only, name))
              and (not earlier or not earlier.get(name, {"ok": True})["ok"])]

    def work(name, kernel):
        only = [e[0] for e in earlier[name]["errors"]] if earlier else None
        return compileAll(triton, target, kernel, collection.wrappers.get(id(kernel), []), only)

    results = inChildren([(name, functools.partial(work, name, kernel))
                          for name, kernel in chosen], arguments.jobs)
    for name, why in failed.items():
        print(f"not imported: {name}: {why}")
    good = sum(result["ok"] for result in results.values())
    print(f"{len(results)} kernels and {functions} functions: {good} kernels compile, "
          f"{100 * good / max(1, len(results)):.1f} %")
    if arguments.report:
        pathlib.Path(arguments.report).write_text(json.dumps(
            {"failed": failed, "functions": functions, "kernels": results}, indent=1))


if __name__ == "__main__":
    main()
