"""Just enough of the CUDA driver to run a kernel: libcuda by ctypes."""

import ctypes

import numpy as np


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with {status}")

    def run(self, image, case):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, case.entry.encode())
        if case.shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, 8, case.shared)  # MAX_DYNAMIC_SHARED
        values, buffers = [], []
        for argument in case.arguments:
            if isinstance(argument, np.ndarray):
                pointer = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(argument.nbytes))
                self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(argument.ctypes.data),
                          ctypes.c_size_t(argument.nbytes))
                buffers.append((pointer, argument))
                values.append(pointer)
            else:
                values.append(ctypes.create_string_buffer(argument.tobytes()))
        table = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        self.call("cuLaunchKernel", function, *case.grid, *case.block, case.shared, None,
                  table, None)
        self.call("cuCtxSynchronize")
        results = []
        for pointer, argument in buffers:
            result = np.empty_like(argument)
            self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(result.ctypes.data), pointer,
                      ctypes.c_size_t(result.nbytes))
            self.call("cuMemFree_v2", pointer)
            results.append(result)
        self.call("cuModuleUnload", module)
        return results
