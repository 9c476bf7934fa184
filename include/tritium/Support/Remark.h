//===- Remark.h - what the compiler says of its decisions -------*- C++ -*-===//

#ifndef TRITIUM_SUPPORT_REMARK_H
#define TRITIUM_SUPPORT_REMARK_H

#include <map>
#include <string>

namespace tritium {

/// An optimisation that was applied or missed, at the user's line. docs/remarks.md lists
/// them.
struct Remark {
  std::string pass;
  std::string kind; ///< "missed", "applied"; "warning" of the front end
  std::string message, file;
  int line = 0, column = 0;
  std::map<std::string, std::string> arguments; ///< numbers and names in the message
  std::string rendered; ///< `FILE:LINE:COLUMN: remark: message`, the line, and a caret line
};

} // namespace tritium

#endif // TRITIUM_SUPPORT_REMARK_H
