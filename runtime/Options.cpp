//===- Options.cpp - the options of a launch ------------------------------===//
//
// Options that mean something on other targets (warps, stages, registers) are checked
// and kept in the metadata, so that a launch written for a GPU runs unchanged.
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::runtime;

namespace {

enum class Check { Any, Bool, BoolOrNone, Positive, PowerOfTwo, NonNegative };

struct Option {
  const char *name;
  Check check;
};

constexpr Option knownOptions[] = {
    {"num_warps", Check::PowerOfTwo},
    {"num_ctas", Check::PowerOfTwo},
    {"num_stages", Check::NonNegative},
    {"split_k", Check::Positive},
    {"stream_k", Check::BoolOrNone},
    {"warp_size", Check::Positive},
    {"maxnreg", Check::Any},
    {"ptx_version", Check::Any},
    {"ptx_options", Check::Any},
    {"enable_fp_fusion", Check::Bool},
    {"enable_reflect_ftz", Check::Bool},
    {"launch_cooperative_grid", Check::Bool},
    {"launch_pdl", Check::BoolOrNone},
    {"tensor_copies", Check::Bool},
    {"warp_specialize", Check::Bool},
    {"dynamic_scheduling", Check::Bool},
    {"persistent", Check::BoolOrNone},
    {"clc", Check::Bool},
    {"default_dot_input_precision", Check::Any},
    {"max_num_imprecise_acc_default", Check::Any},
    {"debug", Check::Bool},
    {"device_asserts", Check::Bool},
    {"sanitize_overflow", Check::Bool},
    {"arch", Check::Any},
    {"fpsan_homomorphic_casts", Check::Any},
    {"min_shared_mem", Check::Any},
};

const char *expectation(Check check) {
  switch (check) {
  case Check::Bool:
    return "True or False";
  case Check::BoolOrNone:
    return "True, False or None";
  case Check::Positive:
    return "a positive int";
  case Check::PowerOfTwo:
    return "a power of two";
  case Check::NonNegative:
    return "an int of at least 0";
  case Check::Any:
    break;
  }
  return "";
}

bool passes(Check check, const tritium_value &value) {
  if (check == Check::Any)
    return true;
  if (value.kind == TRITIUM_NONE && check == Check::BoolOrNone)
    return true;
  if (value.kind == TRITIUM_BOOL)
    return check == Check::Bool || check == Check::BoolOrNone;
  if (value.kind != TRITIUM_INT || value.as.integer.high != 0)
    return false;
  uint64_t number = value.as.integer.low;
  switch (check) {
  case Check::Bool:
  case Check::BoolOrNone:
    return number <= 1;
  case Check::Positive:
    return number >= 1;
  case Check::PowerOfTwo:
    return number >= 1 && number <= 1024 && (number & (number - 1)) == 0;
  default:
    return true;
  }
}

const Option *findOption(llvm::StringRef name) {
  for (const Option &option : knownOptions)
    if (name == option.name)
      return &option;
  return nullptr;
}

} // namespace

bool Signature::isOption(const char *name) { return findOption(name) || unusedOption(name); }

bool Signature::takesKeywords() const {
  return !params.empty() && params.back().name.starts_with("**");
}

CompileError Signature::unknownName(const std::string &name) const {
  llvm::StringRef nearest;
  unsigned best = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3) + 1;
  auto consider = [&](llvm::StringRef candidate) {
    unsigned distance = candidate.edit_distance_insensitive(name, true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  };
  std::string list;
  for (const Parameter &parameter : params) {
    consider(parameter.name);
    list += (list.empty() ? "" : ", ") + parameter.name;
  }
  for (const Option &option : knownOptions)
    consider(option.name);
  std::string message = "kernel '" + kernelName + "' has no parameter or option '" + name + "'; ";
  if (!nearest.empty())
    message += "did you mean '" + nearest.str() + "'? ";
  return launchError("OptionError", message + "its parameters are: " + list);
}

bool Signature::applyOptions(const tritium_option *options, size_t count, CompileOptions &result,
                             CompileError &error) const {
  for (size_t i = 0; i < count; ++i) {
    const Option *known = findOption(options[i].name);
    if (!known && !unusedOption(options[i].name)) {
      error = unknownName(options[i].name);
      return false;
    }
    const tritium_value &value = options[i].value;
    if (known && !passes(known->check, value)) {
      error = launchError("OptionError", "kernel '" + kernelName + "': option '" + options[i].name +
                                             "' must be " + expectation(known->check) +
                                             ", but got " + toConstant(value).repr());
      return false;
    }
    if (llvm::StringRef(options[i].name) == "debug")
      result.debug = value.kind == TRITIUM_BOOL ? value.as.boolean != 0 : value.as.integer.low != 0;
    result.extra[options[i].name] = toConstant(value);
  }
  return true;
}
