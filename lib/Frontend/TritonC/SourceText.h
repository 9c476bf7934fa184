//===- SourceText.h - text as clang's lexer shall see it --------*- C++ -*-===//
//
// C reads `0...TM` as one preprocessing number. Triton-C's ranges may be written so;
// a blank before the dots makes them three tokens. Offsets in the text with blanks are
// mapped back to the text of the user.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_FRONTEND_TRITONC_SOURCETEXT_H
#define TRITIUM_LIB_FRONTEND_TRITONC_SOURCETEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tritium::frontend::tritonc {

/// A text in which every number ends before `..`.
struct SeparatedText {
  std::string text;
  /// Offsets in `text` of the blanks that were put in, ascending.
  std::vector<uint32_t> blanks;
  /// Where in `text` a directive has so many operators and parentheses that reading its
  /// expression would exhaust the stack.
  std::optional<uint32_t> deepDirective;

  uint32_t original(uint32_t offset) const;
};
SeparatedText separateRanges(std::string_view text);

} // namespace tritium::frontend::tritonc

#endif // TRITIUM_LIB_FRONTEND_TRITONC_SOURCETEXT_H
