//===- Html.h - what the compiler did, as a page ----------------*- C++ -*-===//

#ifndef TRITIUM_EXPLAIN_HTML_H
#define TRITIUM_EXPLAIN_HTML_H

#include "llvm/Support/JSON.h"

#include <string>

namespace tritium::explain {

/// A page that shows `document`, the JSON of a kernel (docs/explain.schema.json), and needs nothing
/// else: no other file, no request. Fields that the document lacks are shown as absent. Where
/// scripts do not run, it has the kernel's lines and the remarks on them.
std::string page(const llvm::json::Object &document);

} // namespace tritium::explain

#endif // TRITIUM_EXPLAIN_HTML_H
