//===- Kernels.cpp - kernels and variants of the C interface --------------===//

#include "../StageSeal.h"
#include "Internal.h"

#include <cstring>

using namespace tritium;
using namespace tritium::capi;
using runtime::Kernel;
using runtime::Variant;

bool capi::readTarget(const char *name, std::optional<Target> &target, CompileError &error) {
  if (!name || !*name)
    return true;
  std::string message;
  target = Target::parse(name, message);
  if (!target && !std::strchr(name, ':'))
    target = Target::cpu(name);
  if (!target)
    error = runtime::launchError("CompilationError", message);
  return target.has_value();
}

tritium_kernel *capi::release(llvm::IntrusiveRefCntPtr<Kernel> kernel) {
  if (kernel)
    kernel->Retain();
  return reinterpret_cast<tritium_kernel *>(kernel.get());
}

tritium_compiled *capi::release(runtime::VariantRef variant) {
  if (variant)
    variant->Retain();
  return reinterpret_cast<tritium_compiled *>(variant.get());
}

//===-- Kernels -----------------------------------------------------------===//

tritium_kernel *tritium_kernel_create(const tritium_source *source,
                                      const tritium_kernel_config *config, tritium_error *error) {
  return guarded(error, static_cast<tritium_kernel *>(nullptr), [&]() -> tritium_kernel * {
    CompileError failure;
    auto kernel = Kernel::create(makeSource(*source), config, failure);
    if (!kernel)
      report(failure, error);
    return release(std::move(kernel));
  });
}

void tritium_kernel_retain(tritium_kernel *kernel) {
  if (kernel)
    unwrap(kernel)->Retain();
}

void tritium_kernel_release(tritium_kernel *kernel) {
  if (kernel)
    unwrap(kernel)->Release();
}

const char *tritium_kernel_name(const tritium_kernel *kernel) {
  return unwrap(kernel)->signature().name().c_str();
}

size_t tritium_kernel_parameter_count(const tritium_kernel *kernel) {
  return unwrap(kernel)->signature().parameters().size();
}

const tritium_parameter *tritium_kernel_parameter(const tritium_kernel *kernel, size_t index) {
  const auto &parameters = unwrap(kernel)->signature().parameters();
  return index < parameters.size() ? &parameters[index].view : nullptr;
}

void tritium_kernel_invalidate(tritium_kernel *kernel) {
  guarded(nullptr, [&] { unwrap(kernel)->invalidate(); });
}

void tritium_kernel_unknown_name(const tritium_kernel *kernel, const char *name,
                                 tritium_error *error) {
  guarded(error, [&] { report(unwrap(kernel)->signature().unknownName(name), error); });
}

int tritium_kernel_launch(tritium_kernel *kernel, const tritium_argument *arguments, size_t count,
                          const tritium_option *options, size_t optionCount, const uint32_t grid[3],
                          tritium_compiled **variant, tritium_error *error) {
  return tritium_kernel_launch_on(kernel, arguments, count, options, optionCount, grid, nullptr,
                                  variant, error);
}

int tritium_kernel_launch_on(tritium_kernel *kernel, const tritium_argument *arguments,
                             size_t count, const tritium_option *options, size_t optionCount,
                             const uint32_t grid[3], void *stream, tritium_compiled **variant,
                             tritium_error *error) {
  return guarded(error, 1, [&] {
    CompileError failure;
    Variant *used = nullptr;
    bool done = unwrap(kernel)->launch({arguments, count, options, optionCount, stream}, grid, used,
                                       failure);
    if (variant)
      *variant = reinterpret_cast<tritium_compiled *>(used);
    if (done) [[likely]]
      return 0;
    report(failure, error);
    return 1;
  });
}

tritium_compiled *tritium_kernel_compile(tritium_kernel *kernel, const tritium_argument *arguments,
                                         size_t count, const tritium_option *options,
                                         size_t optionCount, tritium_error *error) {
  return guarded(error, static_cast<tritium_compiled *>(nullptr), [&]() -> tritium_compiled * {
    CompileError failure;
    auto variant = unwrap(kernel)->variantFor({arguments, count, options, optionCount}, failure);
    if (!variant)
      report(failure, error);
    return release(std::move(variant));
  });
}

static ArgumentSpec toSpec(const tritium_specialization &from) {
  ArgumentSpec spec;
  if (from.items) {
    for (size_t i = 0; i < from.item_count; ++i)
      spec.parts.push_back(toSpec(from.items[i]));
    spec.isDescriptor = from.is_descriptor != 0;
    if (from.value.kind == TRITIUM_TUPLE)
      spec.value = runtime::toConstant(from.value);
    // A tuple without items has nothing that is known at run time only.
    spec.isConstexpr = spec.parts.empty();
    if (spec.isConstexpr)
      spec.value = {Constant::Tuple{}};
    return spec;
  }
  spec.isConstexpr = from.is_constexpr != 0;
  if (spec.isConstexpr) {
    spec.value = runtime::toConstant(from.value);
  } else {
    spec.type = runtime::toDType(from.type);
    spec.divisibility = from.divisibility;
  }
  return spec;
}

tritium_compiled *tritium_kernel_specialize(tritium_kernel *kernel,
                                            const tritium_specialization *parameters, size_t count,
                                            const tritium_option *options, size_t optionCount,
                                            const char *target, tritium_error *error) {
  return guarded(error, static_cast<tritium_compiled *>(nullptr), [&]() -> tritium_compiled * {
    std::vector<ArgumentSpec> arguments;
    for (size_t i = 0; i < count; ++i)
      arguments.push_back(toSpec(parameters[i]));
    CompileError failure;
    std::optional<Target> parsed;
    runtime::VariantRef variant;
    if (readTarget(target, parsed, failure))
      variant =
          unwrap(kernel)->specialize(std::move(arguments), options, optionCount, parsed, failure);
    if (!variant)
      report(failure, error);
    return release(std::move(variant));
  });
}

//===-- Variants ----------------------------------------------------------===//

tritium_compiled *tritium_compile_ttir(const char *ttir, const char *file,
                                       const tritium_option *options, size_t optionCount,
                                       const char *target, tritium_error *error) {
  return guarded(error, static_cast<tritium_compiled *>(nullptr), [&]() -> tritium_compiled * {
    CompileError failure;
    runtime::Recipe recipe;
    recipe.ttir = ttir;
    if (file)
      recipe.file = file;
    std::optional<Target> parsed;
    if (!readTarget(target, parsed, failure)) {
      report(failure, error);
      return nullptr;
    }
    recipe.options.target = parsed.value_or(Target());
    if (recipe.options.target.isGPU())
      recipe.options.mayAlias = recipe.options.isUnconditional = false; // launches look
    // What was compiled for some launches looks at each of them.
    if (std::optional<runtime::Sealed> sealed = runtime::unseal(recipe.ttir)) {
      recipe.options.mayAlias = sealed->mayAlias;
      recipe.options.isUnconditional = sealed->isUnconditional;
      recipe.options.debug = sealed->debug;
    }
    runtime::Signature checker({"ttir", {}}, nullptr);
    runtime::VariantRef variant;
    if (checker.applyOptions(options, optionCount, recipe.options, failure))
      variant = Variant::create(std::move(recipe), failure);
    if (!variant)
      report(failure, error);
    return release(std::move(variant));
  });
}

void tritium_compiled_retain(tritium_compiled *compiled) {
  if (compiled)
    unwrap(compiled)->Retain();
}

void tritium_compiled_release(tritium_compiled *compiled) {
  if (compiled)
    unwrap(compiled)->Release();
}

const char *tritium_compiled_stage(tritium_compiled *compiled, const char *stage, size_t *size,
                                   tritium_error *error) {
  return guarded(error, static_cast<const char *>(nullptr), [&]() -> const char * {
    CompileError failure;
    const std::string *text = unwrap(compiled)->stage(stage, failure);
    if (!text) {
      report(failure, error);
      return nullptr;
    }
    if (size)
      *size = text->size();
    return text->c_str();
  });
}

const char *tritium_compiled_metadata(const tritium_compiled *compiled) {
  return guarded(nullptr, "{}", [&] {
    return unwrap(const_cast<tritium_compiled *>(compiled))->describe().c_str();
  });
}

const char *tritium_compiled_remarks(const tritium_compiled *compiled, int all) {
  return guarded(nullptr, "", [&] {
    return unwrap(const_cast<tritium_compiled *>(compiled))->remarks(all != 0).c_str();
  });
}

/// Whether a variant's parameter can hold an integer: a launch through the kernel chooses the type.
static bool fitsParameter(const tritium_argument &argument, const ParameterInfo &parameter,
                          const std::string &kernel, CompileError &error) {
  bool isSigned = argument.kind == TRITIUM_ARG_INT;
  if ((!isSigned && argument.kind != TRITIUM_ARG_UINT) || runtime::isFloat(parameter.type.kind) ||
      runtime::fitsInteger(argument, parameter.type.kind))
    return true;
  error = runtime::launchError("ArgumentError",
                               "kernel '" + kernel + "': it was compiled for a '" + parameter.name +
                                   "' of type " + parameter.type.signature() + ", but it is " +
                                   (isSigned ? std::to_string(static_cast<int64_t>(argument.bits))
                                             : std::to_string(argument.bits)));
  return false;
}

bool capi::bindAll(const Variant &variant, const tritium_argument *arguments, size_t count,
                   llvm::SmallVectorImpl<runtime::BoundArgument> &bound, CompileError &error) {
  const auto &parameters = variant.metadata().parameters;
  const std::string &kernel = variant.metadata().name;
  bool fits = count == parameters.size();
  for (size_t i = 0; fits && i < count; ++i) {
    bool isPointer = arguments[i].kind == TRITIUM_ARG_POINTER;
    if (isPointer != parameters[i].type.isPointer() || arguments[i].kind == TRITIUM_ARG_ABSENT ||
        arguments[i].kind >= TRITIUM_ARG_VALUE) {
      error = runtime::launchError("ArgumentError",
                                   "kernel '" + kernel + "': argument '" + parameters[i].name +
                                       "' must be " +
                                       (parameters[i].type.isPointer() ? "an array" : "a number"));
      return false;
    }
    if (!fitsParameter(arguments[i], parameters[i], kernel, error))
      return false;
    runtime::bindArgument(arguments[i], parameters[i].type, bound.emplace_back());
  }
  if (!fits)
    bound.resize(count);
  return true;
}

int tritium_compiled_launch(tritium_compiled *compiled, const tritium_argument *arguments,
                            size_t count, const uint32_t grid[3], tritium_error *error) {
  return tritium_compiled_launch_on(compiled, arguments, count, grid, nullptr, error);
}

int tritium_compiled_launch_on(tritium_compiled *compiled, const tritium_argument *arguments,
                               size_t count, const uint32_t grid[3], void *stream,
                               tritium_error *error) {
  return guarded(error, 1, [&] {
    Variant *variant = unwrap(compiled);
    CompileError failure;
    llvm::SmallVector<runtime::BoundArgument, 12> bound;
    if (bindAll(*variant, arguments, count, bound, failure) &&
        runtime::checkGrid(variant->metadata().name, grid, failure) &&
        variant->launch({bound, grid, stream}, failure))
      return 0;
    report(failure, error);
    return 1;
  });
}
