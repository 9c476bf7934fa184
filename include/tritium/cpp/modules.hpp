//===- modules.hpp - files of kernels --------------------------*- C++ -*-===//

#ifndef TRITIUM_CPP_MODULES_HPP
#define TRITIUM_CPP_MODULES_HPP

#include "tritium/cpp/kernels.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tritium {

/// What `load` takes for files in Triton-C.
struct LoadOptions {
  /// NAME, text. The text `[a, b]` is a list to tune over: the first launch with new
  /// integer arguments tries every combination and keeps the fastest.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includePaths; ///< for #include
  std::vector<int> numWarps;             ///< values of the option to try
  /// Parameters whose values choose anew: by default those marked __retune, else all
  /// integers.
  std::vector<std::string> key;
};

namespace detail {

/// How Triton-C spells an element type; null for those that it has not.
inline const char *macroName(tritium_dtype_kind kind) {
  switch (kind) {
  case TRITIUM_VOID:
    return "void";
  case TRITIUM_INT1:
    return "bool";
  case TRITIUM_INT8:
    return "char";
  case TRITIUM_INT16:
    return "short";
  case TRITIUM_INT32:
    return "int";
  case TRITIUM_INT64:
    return "long";
  case TRITIUM_UINT8:
    return "unsigned char";
  case TRITIUM_UINT16:
    return "unsigned short";
  case TRITIUM_UINT32:
    return "unsigned int";
  case TRITIUM_UINT64:
    return "unsigned long";
  case TRITIUM_FLOAT16:
    return "half";
  case TRITIUM_BFLOAT16:
    return "bfloat16";
  case TRITIUM_FLOAT32:
    return "float";
  case TRITIUM_FLOAT64:
    return "double";
  default:
    return nullptr;
  }
}

/// A macro's text for a value.
inline std::string macroText(const Value &given) {
  const tritium_value &value = given.get();
  switch (value.kind) {
  case TRITIUM_BOOL:
    return value.as.boolean ? "1" : "0";
  case TRITIUM_INT:
    return value.as.integer.high < 0 ? std::to_string(static_cast<int64_t>(value.as.integer.low))
                                     : std::to_string(value.as.integer.low);
  case TRITIUM_FLOAT: {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value.as.number);
    // Without a point it would be an integer.
    return std::strpbrk(text, ".en") ? std::string(text) : std::string(text) + ".0";
  }
  case TRITIUM_STRING:
    return {value.as.string.data, value.as.string.size};
  case TRITIUM_DTYPE: {
    if (const char *name = macroName(static_cast<tritium_dtype_kind>(value.as.dtype.kind)))
      return name + std::string(value.as.dtype.pointer_depth, '*');
    break;
  }
  default:
    break;
  }
  throw Error("a macro is text, a number, a bool or an element type");
}

} // namespace detail

/// A file of kernels.
class Module {
public:
  explicit Module(tritium_module *owned) : handle(owned) {}
  /// A file in Triton-C, which is read when a kernel of it is asked for.
  Module(std::string path, LoadOptions given) : path(std::move(path)), given(std::move(given)) {}

  /// The kernel of that name; `bindings` gives its constexpr parameters by name, or, in
  /// Triton-C, more macros. A null name is the first kernel of a Triton-C file.
  Kernel kernel(const char *name, Kernel::Bindings bindings = {},
                const tritium_kernel_config *config = nullptr) const {
    tritium_error error = {};
    if (!handle)
      return Kernel(newProgram(name, bindings, config));
    tritium_kernel *kernel = tritium_module_kernel(handle.get(), name, config, &error);
    if (!kernel)
      throw Error(error);
    return Kernel(kernel, bindings);
  }

  /// The kernels of the file, in its order. Throws for a file of Triton-C that has none, or
  /// has an error.
  std::vector<std::string> kernelNames() const {
    std::vector<std::string> names;
    if (!handle) {
      detail::Handle<tritium_program, tritium_program_release> first(
          newProgram(nullptr, {}, nullptr));
      for (size_t i = 0; i < tritium_program_kernel_count(first.get()); ++i)
        names.push_back(tritium_program_kernel_name(first.get(), i));
      return names;
    }
    for (size_t i = 0; i < tritium_module_kernel_count(handle.get()); ++i)
      names.push_back(tritium_module_kernel_name(handle.get(), i));
    return names;
  }

private:
  tritium_program *newProgram(const char *name, Kernel::Bindings bindings,
                              const tritium_kernel_config *config) const {
    std::vector<std::pair<std::string, std::string>> all = given.defines;
    for (const auto &[macro, value] : bindings)
      all.emplace_back(macro, detail::macroText(value));
    std::vector<tritium_define> defines;
    for (const auto &[macro, text] : all)
      defines.push_back({macro.c_str(), text.c_str(), nullptr, 0});
    std::vector<const char *> paths, key;
    for (const std::string &folder : given.includePaths)
      paths.push_back(folder.c_str());
    for (const std::string &parameter : given.key)
      key.push_back(parameter.c_str());
    tritium_program_source source = {};
    source.file = path.c_str();
    source.name = name;
    source.defines = defines.data();
    source.define_count = defines.size();
    source.include_paths = paths.data();
    source.include_path_count = paths.size();
    source.num_warps = given.numWarps.data();
    source.num_warps_count = given.numWarps.size();
    source.key = key.data();
    source.key_count = key.size();
    tritium_error error = {};
    tritium_program *made = tritium_program_create(&source, config, &error);
    if (!made)
      throw Error(error);
    return made;
  }

  detail::Handle<tritium_module, tritium_module_release> handle; ///< null: Triton-C
  std::string path;
  LoadOptions given;
};

/// Reads a file of kernels. It needs no Python. Files that end in .tc, .tr, .c, .h or .cu
/// are Triton-C, all others Python's syntax, which takes no options.
inline Module load(const std::string &path, LoadOptions options = {}) {
  for (const char *suffix : {".tc", ".tr", ".c", ".h", ".cu"})
    if (path.ends_with(suffix))
      return Module(path, std::move(options));
  if (!options.defines.empty() || !options.includePaths.empty())
    throw Error(path + ": definitions are for files in Triton-C (.tc)");
  tritium_error error = {};
  tritium_module *module = tritium_module_load(path.c_str(), &error);
  if (!module)
    throw Error(error);
  return Module(module);
}

} // namespace tritium

#endif // TRITIUM_CPP_MODULES_HPP
