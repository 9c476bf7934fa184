//===- Wait.h - waiting for a GPU, until interrupted ------------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_BACKENDS_CUDA_WAIT_H
#define TRITIUM_RUNTIME_BACKENDS_CUDA_WAIT_H

#include "Device.h"

#include <functional>
#include <optional>

namespace tritium::runtime::cuda {

/// Makes a call of the driver that blocks, in the device's context. None: the wait was ended
/// from outside (Interrupt.h); the call then goes on in a thread of its own, so `blocking` holds
/// all that it needs.
std::optional<Result> waitFor(const Device &device, std::function<Result()> blocking);
/// The same for all that is queued on `stream`.
std::optional<Result> waitForStream(const Device &device, Stream stream);

} // namespace tritium::runtime::cuda

#endif // TRITIUM_RUNTIME_BACKENDS_CUDA_WAIT_H
