//===- GPUOptions.cpp - options of a launch that code for GPUs depends on -===//

#include "GPU.h"

#include "tritium/Support/Settings.h"

using namespace mlir;

namespace tritium {

namespace {

class OptionReader {
public:
  OptionReader(const CompileOptions &options, CompileError &error)
      : options(options), error(error) {}

  /// An int from `least` to `most`; None is as good as nothing.
  void number(const char *name, unsigned least, unsigned most, unsigned &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    const auto *integer = std::get_if<Constant::Int>(&value->value);
    if (!integer || *integer < least || *integer > most)
      return refuse(name, "an int from " + std::to_string(least) + " to " + std::to_string(most),
                    *value);
    result = static_cast<unsigned>(*integer);
  }

  /// Whether it is given.
  bool flag(const char *name, bool &result) {
    const Constant *value = find(name);
    if (!value)
      return false;
    if (const bool *given = std::get_if<bool>(&value->value))
      result = *given;
    else if (const auto *integer = std::get_if<Constant::Int>(&value->value))
      result = *integer != 0;
    else
      refuse(name, "True or False", *value);
    return good;
  }
  bool flag(const char *name, std::optional<bool> &result) {
    bool given = false;
    if (!flag(name, given))
      return false;
    result = given;
    return true;
  }

  void words(const char *name, std::vector<std::string> &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    if (const auto *text = std::get_if<std::string>(&value->value))
      split(*text, result);
    else
      refuse(name, "a string of arguments", *value);
  }

  void architecture(const char *name, std::string &result) {
    const Constant *value = find(name);
    if (!value)
      return;
    if (const auto *text = std::get_if<std::string>(&value->value))
      result = *text;
    else if (const auto *number = std::get_if<Constant::Int>(&value->value))
      result = "sm_" + std::to_string(static_cast<int64_t>(*number));
    else
      refuse(name, "a name such as 'sm_90'", *value);
  }

  static void split(StringRef text, std::vector<std::string> &result) {
    SmallVector<StringRef> parts;
    text.split(parts, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      result.push_back(part.str());
  }

  bool isGood() const { return good; }

private:
  const Constant *find(const char *name) const {
    auto found = options.extra.find(name);
    return found == options.extra.end() || found->second.isNone() ? nullptr : &found->second;
  }

  void refuse(const char *name, const std::string &rule, const Constant &found) {
    good = false;
    error.kind = "OptionError";
    error.message =
        std::string("option '") + name + "' must be " + rule + " on a GPU, but got " + found.repr();
    error.rendered = error.message;
  }

  const CompileOptions &options;
  CompileError &error;
  bool good = true;
};

} // namespace

bool readGPUOptions(const CompileOptions &options, GPUOptions &result, CompileError &error) {
  OptionReader reader(options, error);
  result = GPUOptions();
  result.fpFusion = settings::DefaultFPFusion.isOn();
  result.lineInfo = !settings::DisableLineInfo.isOn();
  result.optimize = !settings::DisablePtxasOpt.isOn();
  reader.number("num_warps", 1, 32, result.numWarps);
  reader.number("num_ctas", 1, 16, result.numCtas);
  reader.number("num_stages", 0, 64, result.numStages);
  reader.number("split_k", 1, 64, result.splitK);
  reader.flag("stream_k", result.streamK);
  reader.number("maxnreg", 16, 255, result.maxRegisters);
  reader.number("ptx_version", 63, 99, result.ptxVersion);
  reader.flag("enable_fp_fusion", result.fpFusion);
  reader.flag("enable_reflect_ftz", result.flushSubnormals);
  reader.flag("launch_pdl", result.programmaticLaunch);
  reader.flag("tensor_copies", result.tensorCopies);
  bool specializes = false;
  if (reader.flag("warp_specialize", specializes))
    result.specializeWarps = specializes ? "always" : "never";
  bool isDynamic = false;
  if (reader.flag("dynamic_scheduling", isDynamic))
    result.takePrograms = isDynamic ? "always" : "never";
  reader.flag("persistent", result.persistent);
  reader.flag("launch_cooperative_grid", result.cooperative);
  reader.number("warp_size", 1, 1024, result.warpSize);
  reader.architecture("arch", result.architecture);
  OptionReader::split(settings::PtxasOptions.text(), result.assembler);
  reader.words("ptx_options", result.assembler);
  result.clocks = settings::Clocks.text();
  if (reader.isGood() && !result.clocks.empty() && result.clocks != "scopes" &&
      result.clocks != "lines") {
    error.kind = "OptionError";
    error.rendered = error.message = std::string(settings::Clocks.variable) +
                                     " must be scopes or lines, but is '" + result.clocks + "'";
    return false;
  }
  return reader.isGood();
}

} // namespace tritium
