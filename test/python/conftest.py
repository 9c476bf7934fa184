"""Each test has a cache of its own and starts without the variables that change launches."""

import signal

import pytest

VARIABLES = ("TRITON_INTERPRET", "TRITIUM_BACKEND", "TRITIUM_CPU", "TRITON_DEBUG",
             "TRITON_ALWAYS_COMPILE", "TRITON_KERNEL_DUMP", "TRITON_KERNEL_OVERRIDE")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRITIUM_VERIFY", "1")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture(autouse=True, scope="session")
def interruptible():
    """A shell without job control starts what it puts into the background with SIGINT ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
