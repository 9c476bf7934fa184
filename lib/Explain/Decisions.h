//===- Decisions.h - what a stage decided, as data --------------*- C++ -*-===//

#ifndef TRITIUM_LIB_EXPLAIN_DECISIONS_H
#define TRITIUM_LIB_EXPLAIN_DECISIONS_H

#include "Operations.h"

#include "llvm/Support/JSON.h"

namespace tritium::explain {

/// The lists `layouts`, `conversions`, `groups`, `buffers`, `barriers` and `schedule` of a
/// document, whose operations begin with number `base`.
llvm::json::Object decisionsOf(const Stage &stage, int64_t base);

} // namespace tritium::explain

#endif // TRITIUM_LIB_EXPLAIN_DECISIONS_H
