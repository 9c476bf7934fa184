"""The program of test_exit.py: it ends while a thread of it does something without end.

    exiting.py WORK FOLDER [FUNCTION OF ATEXIT]
"""

import atexit
import os
import pathlib
import sys
import threading
import time


def late():
    values = np.zeros(32, np.float32)
    made.tuned[(1,)](np.ones(32, np.float32), values, 32)
    print("late:", values.sum(), flush=True)


def in_a_child():
    child = os.fork()
    if child == 0:
        late()
        os._exit(0)
    os.waitpid(child, 0)


# What is registered first is called last: behind what the package registers.
if len(sys.argv) > 3:
    atexit.register(globals()[sys.argv[3]])

import numpy as np

import tritium as triton
import tritium.language as tl
from tuned_modules import Kernels


@triton.jit
def talk(n):
    for i in range(n):
        tl.device_print("value", i)


def tune(kernels):
    module, _ = kernels.make()
    module.tuned[(1,)](np.zeros(32, np.float32), np.zeros(32, np.float32), 32)


def talks(kernels):
    talk[(8,)](200)


kernels = Kernels(pathlib.Path(sys.argv[2]))
made, _ = kernels.make()
work = globals()[sys.argv[1]]


def for_ever():
    while True:
        work(kernels)


work(kernels)
threading.Thread(target=for_ever, daemon=True).start()
time.sleep(0.05)
