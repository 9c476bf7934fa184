//===- IRGenFunctions.cpp - kernels, calls, variables ---------------------===//
//
// A kernel's run-time parameters are arguments of its tt.func, in order, and then its
// constant tables. A parameter whose value is known is a variable that starts with it.
//
//===----------------------------------------------------------------------===//

#include "Generator.h"

#include "tritium/Analysis/PointerUse.h"
#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

namespace tritium::frontend::tritonc {
using namespace tritium::sema;

/// Of nested trees and calls together; each level takes a few frames of the stack.
static constexpr unsigned kMaxDepth = 1500;
/// Statements and expressions that one kernel may expand to.
static constexpr uint64_t kMaxSteps = 200'000;
/// After so many errors the rest is not looked at.
static constexpr size_t kMaxErrors = 20;

Generator::Generator(mlir::MLIRContext &context, SourceManager &sources,
                     DiagnosticEngine &diagnostics, const GenerateOptions &options)
    : diagnostics(diagnostics), options(options), builder(&context),
      sema(builder, sources, diagnostics, *this,
           {options.debug, /*sanitizeOverflow=*/false, "ieee", options.hints}),
      conversions(sema) {
  context.loadDialect<tt::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, mlir::gpu::GPUDialect>();
}

bool Generator::checkLimits() {
  if (isStopped)
    return false;
  std::string message;
  if (depth > kMaxDepth)
    message = "this is nested too deeply";
  else if (++steps > kMaxSteps)
    message = "the kernel expands to more than " + std::to_string(kMaxSteps) +
              " operations; call fewer functions from functions";
  else if (diagnostics.all().size() >= kMaxErrors && diagnostics.hasErrors())
    message = "too many errors";
  if (message.empty())
    return true;
  isStopped = true;
  sema.error(std::move(message));
  return false;
}

std::nullopt_t Generator::error(SourceRange range, std::string message) {
  sema.setRange(range);
  return sema.error(std::move(message));
}

void Generator::note(SourceRange range, std::string message) {
  std::vector<Diagnostic> last = diagnostics.rollback(diagnostics.all().size() - 1);
  Diagnostic &again = last.front().severity == Severity::Error
                          ? diagnostics.error(last.front().range, last.front().message)
                          : diagnostics.warning(last.front().range, last.front().message);
  again.notes = std::move(last.front().notes);
  again.notes.insert(again.notes.begin(), {Severity::Note, "", range, std::move(message), {}, {}});
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LocalIndex Generator::declare(std::string name, const Type &type, mlir::Value value,
                              SourceRange at) {
  locals.push_back({std::move(name), type, value, at, {}, {}});
  return locals.size() - 1;
}

LocalIndex Generator::declareFlag(bool value) {
  return declare("", {{DTypeKind::Int1}, {}, false}, boolean(value).value, sema.range());
}

std::optional<LocalIndex> Generator::find(std::string_view name) const {
  for (LocalIndex i = locals.size(); i-- > frame->firstLocal;)
    if (locals[i].name == name)
      return i;
  return std::nullopt;
}

std::vector<mlir::Value> Generator::snapshot() const {
  std::vector<mlir::Value> values;
  values.reserve(locals.size());
  for (const Local &local : locals)
    values.push_back(local.value);
  return values;
}

void Generator::restore(llvm::ArrayRef<mlir::Value> values) {
  for (auto [local, value] : llvm::zip(locals, values))
    local.value = value;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Kernels are launched, not called; a built-in may have their name.
bool Generator::isCallable(const Function &function) const {
  if (function.isGlobal)
    return false;
  const FunctionFrame *outermost = frame;
  while (outermost->caller)
    outermost = outermost->caller;
  return outermost->function != &function;
}

Generator::Value Generator::call(const Call &call) {
  const Function *function = unit->find(call.callee);
  bool isBuiltin = findBuiltin(call.callee) != nullptr;
  if (function && isBuiltin && !isCallable(*function))
    function = nullptr;
  if (!function && !isBuiltin) {
    error(call.calleeRange, "'" + call.callee +
                                "' is neither a function of this file nor a built-in" +
                                (find(call.callee) ? "; it is a variable" : ""));
    return std::nullopt;
  }
  std::vector<Tensor> arguments;
  for (const ExprPtr &argument : call.arguments) {
    auto value = expression(*argument);
    if (!value)
      return std::nullopt;
    arguments.push_back(*value);
  }
  sema.setRange(call.range);
  return function ? callUser(*function, call, std::move(arguments)) : builtin(call, arguments);
}

Generator::Value Generator::callUser(const Function &function, const Call &call,
                                     std::vector<Tensor> arguments) {
  for (FunctionFrame *caller = frame; caller; caller = caller->caller) {
    if (caller->function != &function)
      continue;
    std::string chain = function.name;
    for (FunctionFrame *at = frame; at != caller; at = at->caller)
      chain = at->function->name + " -> " + chain;
    error(call.calleeRange,
          "recursion is not supported: " + function.name + " -> " + chain + "; use a loop");
    note(function.nameRange, "the function is defined here");
    return std::nullopt;
  }
  if (function.isGlobal) {
    error(call.calleeRange, "'" + function.name +
                                "' is a kernel, which is launched by the host and cannot be "
                                "called; remove its __global__ to call it");
    note(function.nameRange, "the kernel is defined here");
    return std::nullopt;
  }
  if (arguments.size() != function.parameters.size()) {
    error(call.range, "'" + function.name + "' takes " +
                          std::to_string(function.parameters.size()) + " arguments, found " +
                          std::to_string(arguments.size()));
    note(function.nameRange, "the function is defined here");
    return std::nullopt;
  }
  for (auto [value, parameter, tree] : llvm::zip(arguments, function.parameters, call.arguments)) {
    sema.setRange(tree->range);
    auto converted =
        conversions.assign(value, parameter.type, "initialise parameter '" + parameter.name + "'");
    if (!converted)
      return std::nullopt;
    value = *converted;
  }

  sema.setRange(call.range);
  sema.enterCall(function.name, /*isLibrary=*/false, /*isInlined=*/true);
  FunctionFrame callee{&function, frame, LocalIndex(locals.size()), nullptr, {}, {}, arms};
  frame = &callee;
  for (auto [value, parameter] : llvm::zip(arguments, function.parameters)) {
    Local &local =
        locals[declare(parameter.name, parameter.type, value.value, parameter.nameRange)];
    local.multipleOf = parameter.attributes.multipleOf;
    local.aligned = parameter.attributes.aligned;
    local.isConst = parameter.isConst;
    checkPromises(local);
  }
  body(function);
  Tensor result;
  if (callee.result)
    result = get(*callee.result);
  locals.resize(callee.firstLocal);
  frame = callee.caller;
  sema.leaveCall();
  return result;
}

/// Whether a return stands anywhere but at the end.
static bool returnsEarly(const Function &function) {
  for (const StmtPtr &stmt : function.body->body)
    if (jumpsOf(*stmt).returns &&
        (stmt != function.body->body.back() || stmt->kind != StmtKind::Return))
      return true;
  return false;
}

void Generator::body(const Function &function) {
  Level level(*this);
  if (!checkLimits())
    return;
  sema.setRange(function.nameRange);
  if (!function.result.isVoid())
    frame->result =
        declare("", function.result, conversions.zero(function.result).value, function.nameRange);
  if (returnsEarly(function))
    frame->isLive = declareFlag(true);
  run(function.body->body);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Where hints are checked: `aligned` and `multipleof` hold of the value of a variable.
void Generator::checkPromises(const Local &local) {
  if (!local.type.shape.empty())
    return;
  Tensor value{local.value, local.type.element};
  auto check = [&](std::optional<int64_t> factor, const char *attribute) {
    if (!factor || *factor <= 1 || (!value.dtype.isPointer() && !isInteger(value.dtype)))
      return;
    build::checkHint(sema, tt::HintKind::DIVISIBILITY, value, *factor,
                     "'" + local.name + "' is declared " + attribute + "(" +
                         std::to_string(*factor) + "), which does not hold");
  };
  check(local.multipleOf, "__multipleof");
  check(local.aligned, "__aligned");
}

/// A parameter whose value is part of the specialisation.
Generator::Value Generator::knownArgument(const Variable &parameter, const Constant &value) {
  DType type = parameter.type.element;
  auto *integer = std::get_if<Constant::Int>(&value.value);
  auto *boolean = std::get_if<bool>(&value.value);
  auto *floating = std::get_if<double>(&value.value);
  if (type.isPointer()) {
    Constant::Int address = integer ? *integer : 0;
    if (integer || value.isNone())
      return *sema.cast(
          conversions.constant({Constant::Int(static_cast<int64_t>(address))}, {DTypeKind::Int64}),
          type);
  } else if (isFloat(type) || isBool(type)) {
    if (integer || boolean || floating)
      return conversions.constant(value, type);
  } else if (integer || boolean) {
    // As C converts: modulo the width.
    Constant::Int number = integer ? *integer : *boolean;
    Tensor wide = conversions.constant(
        {Constant::Int(static_cast<int64_t>(static_cast<uint64_t>(number)))}, {DTypeKind::Int64});
    return conversions.convert(wide, type);
  } else if (floating) {
    return conversions.convert(conversions.constant(value, {DTypeKind::Float64}), type);
  }
  return sema.error("parameter '" + parameter.name + "' of type '" + spelling(parameter.type) +
                    "' cannot have the value " + value.repr());
}

bool Generator::bindArguments(const Function &function, const std::vector<ArgumentSpec> &arguments,
                              mlir::Block &entry) {
  unsigned nextArgument = 0;
  for (auto [parameter, spec] : llvm::zip(function.parameters, arguments)) {
    sema.setRange(parameter.nameRange);
    Value value;
    if (spec.isConstexpr)
      value = knownArgument(parameter, spec.value);
    else
      value = Tensor{entry.getArgument(nextArgument++), parameter.type.element};
    if (!value)
      return false;
    Local &local =
        locals[declare(parameter.name, parameter.type, value->value, parameter.nameRange)];
    local.multipleOf = parameter.attributes.multipleOf;
    local.aligned = parameter.attributes.aligned;
    local.isConst = parameter.isConst;
  }
  for (const ConstantTable &table : unit->tables)
    tables[table.name] = {entry.getArgument(nextArgument++), pointerTo(table.element)};
  for (const Local &local : std::vector<Local>(locals)) {
    sema.setRange(local.at);
    checkPromises(local);
  }
  return true;
}

/// `__readonly` and `__writeonly` are hints that kernels contradict; nothing relies on them.
void Generator::checkReadOnly(const Function &function, mlir::Operation *func) {
  bool anyHint = llvm::any_of(function.parameters, [](const Variable &parameter) {
    return parameter.attributes.isReadOnly || parameter.attributes.isWriteOnly;
  });
  if (!anyHint)
    return;
  auto kernel = llvm::cast<tt::FuncOp>(func);
  PointerUse use = findPointerUse(kernel);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    auto name = kernel.getArgAttrOfType<mlir::StringAttr>(i, "tt.name");
    auto parameter = llvm::find_if(function.parameters, [&](const Variable &candidate) {
      return candidate.name == name.getValue();
    });
    if (parameter == function.parameters.end())
      continue;
    auto warn = [&](const char *attribute, const char *access) {
      sema.setRange(parameter->nameRange);
      sema.warning("'" + parameter->name + "' is declared " + attribute + ", but the kernel " +
                   access + " through it; the attribute is ignored");
    };
    if (parameter->attributes.isReadOnly && use.written[i])
      warn("__readonly", "stores");
    if (parameter->attributes.isWriteOnly && use.read[i])
      warn("__writeonly", "loads");
  }
}

/// The bits are the same: pointers may differ in what they point to only by const.
static bool agrees(DType declared, DType specified) {
  declared.isConst = specified.isConst = false;
  return specified == DType() || declared == specified;
}

/// The arguments of a kernel's function.
struct Generator::Entry {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Location> locations;
  llvm::SmallVector<mlir::DictionaryAttr> attributes;
};

void Generator::addArgument(Entry &entry, const std::string &name, DType type,
                            const ArgumentSpec &spec) {
  entry.types.push_back(sema.elementType(type));
  entry.locations.push_back(sema.loc());
  llvm::SmallVector<mlir::NamedAttribute> named;
  if (spec.divisibility > 1 && spec.divisibility <= INT32_MAX)
    named.push_back(builder.getNamedAttr(
        "tt.divisibility", builder.getI32IntegerAttr(static_cast<int32_t>(spec.divisibility))));
  named.push_back(builder.getNamedAttr("tt.name", builder.getStringAttr(name)));
  entry.attributes.push_back(builder.getDictionaryAttr(named));
}

/// A run-time argument for each parameter that is not known, then one for each constant table.
bool Generator::addArguments(Entry &entry, const Function &function,
                             const std::vector<ArgumentSpec> &arguments) {
  size_t expected = function.parameters.size() + unit->tables.size();
  if (arguments.size() != expected) {
    error(function.nameRange, "kernel '" + function.name + "' has " + std::to_string(expected) +
                                  " parameters and constant tables, but " +
                                  std::to_string(arguments.size()) + " arguments are specified");
    return false;
  }
  for (auto [parameter, spec] : llvm::zip(function.parameters, arguments)) {
    sema.setRange(parameter.nameRange);
    if (!parameter.type.shape.empty()) {
      sema.error("parameter '" + parameter.name +
                 "' of a kernel cannot be a tile; pass a pointer and load the tile");
      return false;
    }
    if (spec.isConstexpr)
      continue;
    if (!agrees(parameter.type.element, spec.type)) {
      sema.error("parameter '" + parameter.name + "' is declared '" + spelling(parameter.type) +
                 "', but its argument is '" + spelling({spec.type, {}, false}) + "'");
      return false;
    }
    addArgument(entry, parameter.name, parameter.type.element, spec);
  }
  for (auto [i, table] : llvm::enumerate(unit->tables)) {
    sema.setRange(table.nameRange);
    addArgument(entry, table.name, pointerTo(table.element),
                arguments[function.parameters.size() + i]);
  }
  return true;
}

/// A kernel that passed every check of this front end is valid IR, or this compiler has a bug.
bool Generator::verify(mlir::ModuleOp module, const Function &function) {
  std::string broken;
  mlir::ScopedDiagnosticHandler handler(builder.getContext(), [&](mlir::Diagnostic &found) {
    if (broken.empty())
      broken = found.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(module)))
    return true;
  sema.setRange(function.nameRange);
  sema.error("internal compiler error: the front end built invalid IR: " + broken, "InternalError");
  return false;
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::kernel(const Unit &parsed, const Function &function,
                                                    const std::vector<ArgumentSpec> &arguments) {
  unit = &parsed;
  FunctionFrame own{&function};
  frame = &own;
  sema.setRange(function.nameRange);
  if (!function.result.isVoid()) {
    error(function.nameRange, "a kernel returns void, found '" + spelling(function.result) + "'");
    return nullptr;
  }
  Entry entry;
  if (!addArguments(entry, function, arguments))
    return nullptr;

  sema.setRange(function.nameRange);
  mlir::Location at = sema.loc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(at);
  builder.setInsertionPointToEnd(module->getBody());
  auto func =
      builder.create<tt::FuncOp>(at, function.name, builder.getFunctionType(entry.types, {}),
                                 llvm::ArrayRef<mlir::NamedAttribute>(), entry.attributes);
  mlir::Block *block = builder.createBlock(&func.getBody(), {}, entry.types, entry.locations);
  builder.setInsertionPointToEnd(block);
  if (!bindArguments(function, arguments, *block))
    return nullptr;
  for (const auto &assertion : parsed.assertions)
    staticAssert(*assertion);
  body(function);
  if (diagnostics.hasErrors())
    return nullptr;
  builder.create<tt::ReturnOp>(at);
  // Known operands have been folded away.
  func.walk<mlir::WalkOrder::PostOrder, mlir::ReverseIterator>([](mlir::Operation *op) {
    if (mlir::isOpTriviallyDead(op))
      op->erase();
  });
  if (!verify(*module, function))
    return nullptr;
  checkReadOnly(function, func);
  return module;
}

} // namespace tritium::frontend::tritonc
