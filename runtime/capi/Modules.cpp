//===- Modules.cpp - kernel files of the C interface ----------------------===//

#include "Internal.h"

#include "tritium/Frontend/Python/ModuleScope.h"

using namespace tritium;
using namespace tritium::capi;

struct tritium_module {
  std::shared_ptr<frontend::ModuleScope> scope;
};

tritium_module *tritium_module_load(const char *path, tritium_error *error) {
  return guarded(error, static_cast<tritium_module *>(nullptr), [&]() -> tritium_module * {
    std::string failure;
    auto scope = frontend::ModuleScope::load(path, failure);
    if (scope)
      return new tritium_module{std::move(scope)};
    CompileError found = runtime::launchError("CompilationError", failure);
    found.file = path;
    report(found, error);
    return nullptr;
  });
}

void tritium_module_release(tritium_module *module) { delete module; }

size_t tritium_module_kernel_count(const tritium_module *module) {
  return module->scope->functionNames().size();
}

const char *tritium_module_kernel_name(const tritium_module *module, size_t index) {
  const auto &names = module->scope->functionNames();
  return index < names.size() ? names[index].c_str() : nullptr;
}

tritium_kernel *tritium_module_kernel(tritium_module *module, const char *name,
                                      const tritium_kernel_config *config, tritium_error *error) {
  return guarded(error, static_cast<tritium_kernel *>(nullptr), [&]() -> tritium_kernel * {
    CompileError failure;
    auto function = module->scope->function(name);
    if (!function) {
      std::string list;
      for (const std::string &known : module->scope->functionNames())
        list += (list.empty() ? "" : ", ") + known;
      report(runtime::launchError(
                 "ArgumentError",
                 "no kernel '" + std::string(name) + "' in this file; " +
                     (list.empty() ? "it has none at its top level" : "there are: " + list)),
             error);
      return nullptr;
    }
    auto kernel = runtime::Kernel::create(*function, config, failure);
    if (!kernel)
      report(failure, error);
    return release(std::move(kernel));
  });
}
