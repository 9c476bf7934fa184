//===- Tuning.h - results of the tuner, for the C interface -----*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_CAPI_TUNING_H
#define TRITIUM_RUNTIME_CAPI_TUNING_H

#include "../Tuner.h"

namespace tritium::capi {

/// Hands a result over to the caller.
tritium_tuned *release(runtime::TuningResult result);

} // namespace tritium::capi

#endif // TRITIUM_RUNTIME_CAPI_TUNING_H
