//===- Scope.h - what names outside a kernel mean ---------------*- C++ -*-===//
//
// A kernel's text refers to names that it does not define: the library (`tl`), other
// kernel functions, constants. A Scope answers for one function (or module) what such
// a name stands for. The Python host looks in the function's globals and closure; a
// C++ host uses ModuleScope, which reads the module-level definitions of the same file.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SCOPE_H
#define TRITIUM_FRONTEND_SCOPE_H

#include "tritium/Support/Constant.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tritium::frontend {

class Scope;

enum class Language : uint8_t { Python, TritonC };

/// The text of one function that the compiler may compile, with the scope its free
/// names resolve in. For Triton-C it is a whole file with its definitions.
struct FunctionSource {
  Language language = Language::Python;
  /// As written after `def`. Triton-C: empty for the file's first kernel.
  std::string name;
  std::string file;     ///< path shown in diagnostics
  int firstLine = 1;    ///< line of the first line of `text` in `file`
  int columnOffset = 0; ///< columns removed from each line by dedenting
  std::string text;     ///< decorators (ignored), `def` line and body, dedented
  std::shared_ptr<Scope> scope;
  bool noinline_ = false;
  /// Triton-C: macros, NAME -> text, in order (one value each), and where includes are
  /// looked for.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePaths;
};

/// What a name stands for.
struct External {
  /// A module. `library` is its path when it belongs to the language
  /// ("triton", "triton.language", "triton.language.math", "math", ...), else empty
  /// and `scope` answers for its attributes. Any other object of the host has a name besides.
  struct Module {
    std::string library;
    std::shared_ptr<Scope> scope;
    std::string object = {}; ///< a Constant::Object's name
  };
  /// A function or type of the library by its qualified name, "triton.language.load",
  /// "triton.cdiv", or a Python builtin, "builtins.min".
  struct Library {
    std::string name;
  };
  /// A host function over constants (`@constexpr_function`): called while compiling, with the
  /// names of the arguments that are given as keywords, which are the last ones. Throws nothing;
  /// an error is returned as text in `error`.
  struct HostFunction {
    std::string name;
    std::function<std::optional<Constant>(const std::vector<Constant> &arguments,
                                          const std::vector<std::string> &keywords,
                                          std::string &error)>
        call;
  };
  /// Defined, but not usable in a kernel, with the reason and what to do.
  struct Unusable {
    std::string reason;
  };

  std::variant<Constant, std::shared_ptr<FunctionSource>, Module, Library, HostFunction, Unusable>
      value;
};

class Scope {
public:
  virtual ~Scope() = default;
  /// What `name` means here; nothing if it is not defined. Called while compiling, on
  /// the compiling thread, without the GIL.
  virtual std::optional<External> lookup(std::string_view name) = 0;
};

/// How a kernel's scope is asked for an object of the host. No name of Python's looks like it.
inline std::string objectQuestion(std::string_view name) { return "<object>" + std::string(name); }

} // namespace tritium::frontend

#endif // TRITIUM_FRONTEND_SCOPE_H
