//===- Builtins.h - the names of the language's library ---------*- C++ -*-===//
//
// Which names exist in `triton`, `triton.language` and its modules, `math` and
// Python's builtins, and how each is called. Library functions are either built by
// Sema or written in the kernel language (lib/Frontend/Library).
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_SEMA_BUILTINS_H
#define TRITIUM_FRONTEND_SEMA_BUILTINS_H

#include "tritium/Frontend/Sema/Value.h"

namespace tritium::sema {

class Sema;

/// A parameter of a library function.
struct Parameter {
  std::string name;
  std::optional<Value> defaultValue;
  bool isVariadic = false; ///< `*args`
  bool isKeywordOnly = false;
  bool isKeywords = false; ///< `**kwargs`, which binds a Dict
};

/// Arguments bound to a builtin's parameters, in their order; a variadic parameter
/// holds a Tuple.
using BoundArguments = std::vector<Value>;

struct Builtin {
  std::string name;      ///< canonical name
  std::string signature; ///< as shown in errors: "(pointer, mask=None, ...)"
  std::vector<Parameter> parameters;
  bool isMethod = false; ///< also a method of tensors
  Result (*build)(Sema &, const BoundArguments &) = nullptr;
  /// Set instead of `build` for a function written in the kernel language.
  std::shared_ptr<frontend::FunctionSource> function;
  /// Of a function of the device library: the types that it takes, a letter an argument
  /// (Libdevice.cpp), and what its function gets besides the arguments; empty: nothing.
  std::vector<std::string> overloads;
  std::string rounding;
};

/// The library function of that canonical name, or null.
const Builtin *findBuiltin(std::string_view name);

/// What `name` is in the library module `module` ("triton.language", "triton",
/// "triton.language.math", "math", ...): a Library function, a module, a constant or
/// a dtype. "tritium..." means the same as "triton...".
std::optional<Value> libraryName(std::string_view module, std::string_view name);
/// The same for one dotted name: "triton.language.load".
std::optional<Value> libraryName(std::string_view qualifiedName);
/// True for the dotted names of modules that the library has.
bool isLibraryModule(std::string_view qualifiedName);

/// Iterator classes that the walker of the syntax tree handles: "builtins.range",
/// "range", "static_range", "condition".
bool isIteratorClass(const Value &value);

/// The functions of a library module, sorted.
std::vector<std::string> libraryFunctions(std::string_view module);

/// The closest name to `name` in the library module, for "did you mean".
std::string suggestName(std::string_view module, std::string_view name);

} // namespace tritium::sema

#endif // TRITIUM_FRONTEND_SEMA_BUILTINS_H
