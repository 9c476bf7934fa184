"""Times of kernels, by scopes of the program: the host interface of Triton's profiler, Proton.

    import tritium.profiler as proton

    proton.start("matmul", hook="triton")
    with proton.scope("first layer"):
        matmul[grid](a, b, c, M, N, K)
    proton.finalize()               # writes matmul.hatchet

    $ python -m tritium.profiler.viewer -m time/ms matmul.hatchet

`tritium.profile()` and `tritium profile SCRIPT` answer the times themselves, without a file.
Launches are timed by the hooks of `knobs.runtime`: on a GPU between two events in the current
stream, on the host by its clock. So kernels of other libraries are not seen, and where the GPU
waits for the next launch, that wait counts as the kernel's.
"""

from . import context, data
from .scope import cpu_timed_scope, enter_scope, enter_state, exit_scope, exit_state, scope, state
from .session import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start

__all__ = ["DEFAULT_PROFILE_NAME", "activate", "context", "cpu_timed_scope", "data", "deactivate",
           "enter_scope", "enter_state", "exit_scope", "exit_state", "finalize", "profile",
           "scope", "start", "state"]
