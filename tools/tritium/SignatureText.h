//===- SignatureText.h - signatures and values as text ----------*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_SIGNATURETEXT_H
#define TRITIUM_TOOLS_TRITIUM_SIGNATURETEXT_H

#include "tritium/tritium.hpp"

#include <optional>

namespace tritium::tool {

/// Splits at the commas that are outside of brackets and quotes.
std::vector<std::string> splitItems(const std::string &text);

/// A compile-time value: 128, 0x10, 1.5, inf, True, None, 'text', fp16, tl.float32,
/// (1, 2). Any other word is a string. `text` names it in errors.
Value parseValue(const std::string &text);

/// One item of a signature: a type with an optional `:16` or `:1`, or a literal.
struct SignatureItem {
  std::optional<Value> value; ///< a constant
  tritium_dtype type = {};
  int64_t divisibility = 1;
};
/// Throws UsageError if `text` is neither.
SignatureItem parseSignatureItem(const std::string &text);

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_SIGNATURETEXT_H
