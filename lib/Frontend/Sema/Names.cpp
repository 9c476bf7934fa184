//===- Names.cpp - what the modules of the library contain ----------------===//

#include "BuiltinSupport.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Signatures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <numbers>

using namespace tritium;
using namespace tritium::sema;
using frontend::External;

/// Built on first use and never changed, so threads share it.
static const Registry &registry() {
  static const Registry instance = [] {
    Registry r;
    addCreationBuiltins(r);
    addMemoryBuiltins(r);
    addAtomicBuiltins(r);
    addDescriptorBuiltins(r);
    addBlockPointerBuiltins(r);
    addMathBuiltins(r);
    addShapeBuiltins(r);
    addJoinBuiltins(r);
    addRearrangeBuiltins(r);
    addSortBuiltins(r);
    addHistogramBuiltins(r);
    addReductionBuiltins(r);
    addScanBuiltins(r);
    addDotBuiltins(r);
    addElementBuiltins(r);
    addAggregateBuiltins(r);
    addDotScaledBuiltins(r);
    addHintBuiltins(r);
    addDebugBuiltins(r);
    addPythonBuiltins(r);
    addSequenceBuiltins(r);
    addTypeBuiltins(r);
    addTextBuiltins(r);
    addKernelLanguageBuiltins(r);
    return r;
  }();
  return instance;
}

const Builtin *sema::findBuiltin(std::string_view name) { return registry().find(name); }

const std::vector<BuiltinSignature> &sema::builtinSignatures() {
  static const std::vector<BuiltinSignature> signatures = [] {
    std::vector<BuiltinSignature> all;
    for (const auto &[name, builtin] : registry().all())
      all.push_back(
          {name, builtin.signature, llvm::join(builtin.overloads, " "), builtin.isMethod});
    return all;
  }();
  return signatures;
}

static llvm::StringRef toRef(std::string_view text) { return {text.data(), text.size()}; }

/// "tritium.language" -> "triton.language".
static std::string canonicalModule(std::string_view name) {
  llvm::StringRef rest = toRef(name);
  if (rest == "tritium" || rest.starts_with("tritium."))
    return "triton" + rest.drop_front(strlen("tritium")).str();
  return rest.str();
}

/// The modules of the library; those that gather the same names as `triton.language`
/// are aliases of it.
static bool isModule(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("triton", "triton.language", "triton.language.math", "triton.language.core", true)
      .Cases("triton.language.standard", "triton.language.random", true)
      .Cases("triton.language.target_info", "triton.language.extra", true)
      .Cases("triton.language.extra.libdevice", "triton.language.extra.cuda",
             "triton.language.extra.cuda.libdevice", "triton.language.libdevice", true)
      .Cases("math", "builtins", true)
      .Default(false);
}

bool sema::isLibraryModule(std::string_view qualifiedName) {
  return isModule(canonicalModule(qualifiedName));
}

static std::optional<Value> languageDType(llvm::StringRef name) {
  if (name == "pi32_t")
    return makeDType({DTypeKind::Int32, 1, false});
  for (auto kind = DTypeKind::Void;; kind = static_cast<DTypeKind>(static_cast<int>(kind) + 1)) {
    if (toRef(DType{kind}.languageName()) == name)
      return makeDType({kind});
    if (kind == DTypeKind::Float64)
      return std::nullopt;
  }
}

/// Names of `triton.language` that are not functions of the registry.
static std::optional<Value> languageName(llvm::StringRef name) {
  if (auto dtype = languageDType(name))
    return dtype;
  if (name == "TRITON_MAX_TENSOR_NUMEL")
    return makeInt(tt::kMaxTileElements);
  bool isClass = llvm::StringSwitch<bool>(name)
                     .Cases("range", "static_range", "condition", true)
                     .Cases("tensor", "const", "PropagateNan", "tensor_descriptor", true)
                     .Cases("tensor_descriptor_base", "tensor_descriptor_type", true)
                     .Default(false);
  if (isClass)
    return Value(Library{name.str()});
  bool isPublic = !name.contains('.') && name != "to" && name != "item" &&
                  name != "next_power_of_2" &&
                  (!name.starts_with("_") || name.starts_with("_experimental_"));
  if (isPublic && findBuiltin(name))
    return Value(Library{name.str()});
  return std::nullopt;
}

static std::optional<Value> mathConstant(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Value>>(name)
      .Case("pi", makeFloat(std::numbers::pi))
      .Case("e", makeFloat(std::numbers::e))
      .Case("tau", makeFloat(2 * std::numbers::pi))
      .Case("inf", makeFloat(INFINITY))
      .Case("nan", makeFloat(NAN))
      .Default(std::nullopt);
}

static std::optional<Value> prefixed(llvm::StringRef prefix, llvm::StringRef name) {
  std::string canonical = (prefix + name).str();
  if (findBuiltin(canonical))
    return Value(Library{canonical});
  return std::nullopt;
}

static std::optional<Value> memberOf(llvm::StringRef module, llvm::StringRef name) {
  if (module == "builtins") {
    if (name == "range")
      return Value(Library{"builtins.range"});
    return prefixed("builtins.", name);
  }
  if (module == "math") {
    if (auto constant = mathConstant(name))
      return constant;
    return prefixed("math.", name);
  }
  if (module == "triton") {
    if (name == "cdiv" || name == "next_power_of_2")
      return Value(Library{name.str()});
    return std::nullopt;
  }
  if (module == "triton.language.target_info")
    return prefixed("target_info.", name);
  if (module.ends_with("libdevice"))
    return prefixed("libdevice.", name);
  if (module == "triton.language.extra.cuda")
    return prefixed("cuda.", name);
  if (module == "triton.language.extra")
    return std::nullopt;
  bool isInternal = name == "_unwrap_if_constexpr" ? module == "triton.language.core"
                                                   : module == "triton.language.standard";
  if (isInternal && name.starts_with("_"))
    return prefixed("", name);
  auto value = languageName(name);
  // Triton 2 had the device library in tl.math.
  return value || module != "triton.language.math" ? value : prefixed("libdevice.", name);
}

std::optional<Value> sema::libraryName(std::string_view module, std::string_view name) {
  std::string canonical = canonicalModule(module);
  if (!isModule(canonical))
    return std::nullopt;
  std::string inner = canonical + "." + std::string(name);
  if (isModule(inner))
    return Value(External::Module{inner, nullptr});
  return memberOf(canonical, toRef(name));
}

std::optional<Value> sema::libraryName(std::string_view qualifiedName) {
  if (isLibraryModule(qualifiedName))
    return Value(External::Module{canonicalModule(qualifiedName), nullptr});
  auto [module, name] = toRef(qualifiedName).rsplit('.');
  if (module == toRef(qualifiedName))
    return std::nullopt;
  return libraryName(module, name);
}

bool sema::isIteratorClass(const Value &value) {
  auto *library = value.getIf<Library>();
  return library && (library->name == "builtins.range" || library->name == "range" ||
                     library->name == "static_range" || library->name == "condition");
}

std::vector<std::string> sema::libraryFunctions(std::string_view module) {
  std::vector<std::string> names;
  for (const auto &[candidate, builtin] : registry().all()) {
    llvm::StringRef last = toRef(candidate);
    if (last.contains('.'))
      last = last.rsplit('.').second;
    auto value = libraryName(module, last);
    if (value && value->is<Library>() && value->get<Library>().name == candidate)
      names.push_back(last.str());
  }
  llvm::sort(names);
  return names;
}

std::string sema::suggestName(std::string_view module, std::string_view name) {
  // Of two candidates at one distance the one with the same first letter is closer.
  std::string best;
  unsigned limit = name.size() <= 3 ? 1 : 2, bestScore = 2 * limit + 1;
  for (const std::string &candidate : libraryFunctions(module)) {
    unsigned distance = toRef(name).edit_distance(candidate, true, limit);
    unsigned score = 2 * distance + (toRef(candidate).take_front() != toRef(name).take_front());
    if (distance <= limit && score < bestScore) {
      bestScore = score;
      best = candidate;
    }
  }
  return best;
}
