//===- CompileRequest.cpp - what is compiled, by a command line -----------===//

#include "CompileRequest.h"
#include "SignatureText.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace tritium;
using namespace tritium::tool;

namespace {

std::pair<std::string, Value> parseBinding(const std::string &option, const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(option + " wants NAME=VALUE, but got '" + text + "'");
  return {text.substr(0, equals), parseValue(text.substr(equals + 1))};
}

/// A target that code can be compiled ahead for.
Target readTarget(const std::string &text) {
  std::string message;
  std::optional<Target> target = Target::parse(text, message);
  if (!target)
    throw UsageError(message);
  if (target->kind().isModel)
    throw UsageError("no target '" + text + "' to compile for: nothing but Tritium runs its code");
  return *target;
}

bool hasParameter(tritium_kernel *kernel, const std::string &name) {
  for (size_t i = 0; i < tritium_kernel_parameter_count(kernel); ++i)
    if (name == tritium_kernel_parameter(kernel, i)->name)
      return true;
  return false;
}

/// Fills `specialization` with constants from --constexpr, items of the signature, and
/// defaults, in this order of preference.
void specialize(const CompileRequest &request, tritium_kernel *kernel,
                std::vector<tritium_specialization> &specialization,
                std::vector<SignatureItem> &items) {
  for (const auto &[name, value] : request.constants)
    if (!hasParameter(kernel, name)) {
      tritium_error error = {};
      tritium_kernel_unknown_name(kernel, name.c_str(), &error);
      throw Error(error);
    }
  std::vector<std::string> texts = splitItems(request.signature);
  for (const std::string &text : texts)
    items.push_back(parseSignatureItem(text));
  size_t used = 0;
  for (size_t i = 0; i < tritium_kernel_parameter_count(kernel); ++i) {
    const tritium_parameter *parameter = tritium_kernel_parameter(kernel, i);
    tritium_specialization spec = {};
    auto constant = request.constants.find(parameter->name);
    if (constant != request.constants.end()) {
      spec.is_constexpr = 1;
      spec.value = constant->second.get();
    } else if (used < items.size()) {
      const SignatureItem &item = items[used];
      if (parameter->is_constexpr && !item.value)
        throw UsageError("signature item '" + texts[used] + "' is for parameter '" +
                         parameter->name + "', a constexpr: give a literal, or --constexpr " +
                         parameter->name + "=VALUE");
      ++used;
      spec.is_constexpr = item.value.has_value();
      if (item.value)
        spec.value = item.value->get();
      spec.type = item.type;
      spec.divisibility = item.divisibility;
    } else if (parameter->default_value) {
      spec.is_constexpr = 1;
      spec.value = *parameter->default_value;
    } else {
      throw UsageError(std::string("nothing is said of parameter '") + parameter->name + "': " +
                       (parameter->is_constexpr
                            ? std::string("add --constexpr ") + parameter->name + "=VALUE"
                            : "add its type to --signature"));
    }
    specialization.push_back(spec);
  }
  if (used < items.size())
    throw UsageError("the signature has " + std::to_string(items.size()) + " items, but only " +
                     std::to_string(used) + " parameters are without --constexpr");
}

std::string readWhole(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Failure(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

bool CompileRequest::take(CommandLine &line) {
  const std::string &name = line.name;
  if (name == "--signature") {
    signature = line.value();
  } else if (name == "--constexpr") {
    constants.insert(parseBinding(name, line.value()));
  } else if (name == "--option") {
    options.push_back(parseBinding(name, line.value()));
  } else if (name == "--debug") {
    line.noValue();
    options.emplace_back("debug", true);
  } else if (name == "--from") {
    from = line.value();
  } else if (name == "--target") {
    target = readTarget(line.value());
  } else {
    return program.take(line);
  }
  return true;
}

void CompileRequest::finish(const std::string &command) {
  if (file.empty() == from.empty())
    throw UsageError(command + ": name one file: FILE, or --from FILE.ttir");
  kernel = program.kernel;
  program.file = file;
  if (!isTritonC(file) &&
      !(program.defines.empty() && program.includePaths.empty() && program.numWarps.empty()))
    throw UsageError(command + ": -D, -I and --num-warps are for files in Triton-C (.tc); give "
                               "constants of a Python kernel with --constexpr NAME=VALUE");
}

std::vector<tritium_option> CompileRequest::nativeOptions() const {
  std::vector<tritium_option> native;
  for (const auto &[name, value] : options)
    native.push_back({name.c_str(), value.get()});
  // Others launch the code, make no tensor maps, and start a CTA for each program.
  auto isAsked = [&](const char *name) {
    return std::any_of(options.begin(), options.end(),
                       [&](const auto &option) { return option.first == name; });
  };
  auto leaveOut = [&](const char *hidden, const Value &out) {
    if (!isAsked(hidden) && !forLaunches && target.isGPU())
      native.push_back({hidden, out.get()});
  };
  leaveOut("tensor_copies", Value(false));
  // Of programs that are shared out there is no code without.
  if (!isAsked("stream_k"))
    leaveOut("persistent", Value(false));
  leaveOut("num_ctas", Value(1));
  return native;
}

CompiledHandle tool::compileRequest(const CompileRequest &request) {
  std::vector<tritium_option> options = request.nativeOptions();
  std::string target = request.target.str();
  tritium_error error = {};
  tritium_compiled *compiled = nullptr;
  if (!request.from.empty()) {
    compiled = tritium_compile_ttir(readWhole(request.from).c_str(), request.from.c_str(),
                                    options.data(), options.size(), target.c_str(), &error);
  } else {
    Module module = load(request.file);
    std::vector<std::string> names = module.kernelNames();
    std::string name = request.kernel;
    if (name.empty() && names.size() == 1)
      name = names[0];
    if (name.empty()) {
      std::string list;
      for (const std::string &known : names)
        list += (list.empty() ? "" : ", ") + known;
      throw UsageError(request.file +
                       (names.empty() ? " has no kernels" : ": say --kernel, one of: " + list));
    }
    // Tile IR can be seen even where the rest of the compiler fails.
    tritium_kernel_config config = {};
    config.interpret = request.emit == "ttir" && request.header.empty() ? 1 : -1;
    Kernel kernel = module.kernel(name.c_str(), {}, &config);
    std::vector<tritium_specialization> specialization;
    std::vector<SignatureItem> items;
    specialize(request, kernel.get(), specialization, items);
    compiled = tritium_kernel_specialize(kernel.get(), specialization.data(), specialization.size(),
                                         options.data(), options.size(), target.c_str(), &error);
  }
  if (!compiled)
    throw Error(error);
  return CompiledHandle(compiled);
}
