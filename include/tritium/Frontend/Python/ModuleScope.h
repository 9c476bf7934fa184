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

class ModuleScope : public Scope, public std::enable_shared_from_this<ModuleScope> {
public:
  /// Reads a file. Null with a rendered error if it cannot be read or parsed.
  static std::shared_ptr<ModuleScope> load(const std::string &path, std::string &error);
  /// The same for a text; imports are looked for beside `path`.
  static std::shared_ptr<ModuleScope> parse(std::string text, const std::string &path,
                                            std::string &error);

  std::optional<External> lookup(std::string_view name) override;
  /// The kernel function of that name, or null.
  std::shared_ptr<FunctionSource> function(std::string_view name);
  /// The names of all functions that are marked as kernels, in the file's order.
  const std::vector<std::string> &functionNames() const { return kernels; }

private:
  friend class ModuleReader;
  std::string path;
  std::map<std::string, External, std::less<>> names;
  std::vector<std::string> kernels;
};

} // namespace tritium::frontend

#endif // TRITIUM_FRONTEND_PYTHON_MODULESCOPE_H
