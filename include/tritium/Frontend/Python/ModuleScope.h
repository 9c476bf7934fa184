//===- ModuleScope.h - the names of a kernel file ---------------*- C++ -*-===//
//
// What a kernel file defines at its top level, read from its text alone: imports of
// the language, constants, kernel functions, and other kernel files beside it. Hosts
// without Python resolve the free names of kernels with it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_FRONTEND_PYTHON_MODULESCOPE_H
#define TRITIUM_FRONTEND_PYTHON_MODULESCOPE_H

#include "tritium/Frontend/Scope.h"

#include <map>

namespace tritium::frontend {

/// Immutable once loaded, but for a cache of the functions that are in use; one thread
/// at a time may look names up.
class ModuleScope : public Scope, public std::enable_shared_from_this<ModuleScope> {
public:
  /// Reads a file. Null, with a rendered error, if it cannot be read or parsed.
  static std::shared_ptr<ModuleScope> load(const std::string &path, std::string &error);
  /// The same for a text; imports are looked for beside `path`.
  static std::shared_ptr<ModuleScope> parse(std::string text, const std::string &path,
                                            std::string &error);

  std::optional<External> lookup(std::string_view name) override;
  /// The kernel function of that name, or null.
  std::shared_ptr<FunctionSource> function(std::string_view name);
  /// The names of the functions that are marked with `jit`, in the file's order.
  const std::vector<std::string> &functionNames() const { return kernels; }

private:
  friend class ModuleReader;

  /// A function of this file. Functions keep their scope alive, so the scope keeps
  /// only their text, and remembers the sources that are in use.
  struct Definition {
    FunctionSource source;
    std::weak_ptr<FunctionSource> inUse;
  };
  /// A name of another kernel file, or that file itself when `name` is empty.
  struct Import {
    std::shared_ptr<ModuleScope> scope;
    std::string name;
  };
  using Entry = std::variant<External, Definition, Import>;

  std::map<std::string, Entry, std::less<>> entries;
  std::vector<std::string> kernels;
  /// Modules of the library and files of which every name was imported.
  std::vector<std::string> openLibraries;
  std::vector<std::shared_ptr<ModuleScope>> openFiles;
};

} // namespace tritium::frontend

#endif // TRITIUM_FRONTEND_PYTHON_MODULESCOPE_H
