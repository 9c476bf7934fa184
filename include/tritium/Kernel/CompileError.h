//===- CompileError.h - an error as its reader sees it ----------*- C++ -*-===//

#ifndef TRITIUM_KERNEL_COMPILEERROR_H
#define TRITIUM_KERNEL_COMPILEERROR_H

#include <string>

namespace tritium {

/// A note or an error, rendered with file, line, column, caret and notes.
struct CompileError {
  std::string kind;    ///< "CompilationError", "CompileTimeAssertionFailure",
                       ///< "UnsupportedLanguageConstruct", "InternalError"
  std::string message; ///< one line, without position
  std::string file;
  int line = 0, column = 0;
  std::string rendered; ///< what a terminal shows: all errors and notes with carets
};

} // namespace tritium

#endif // TRITIUM_KERNEL_COMPILEERROR_H
