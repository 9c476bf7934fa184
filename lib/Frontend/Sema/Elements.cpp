//===- Elements.cpp - map_elementwise, inline_asm_elementwise, the machine ---===//

#include "BuiltinSupport.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tritium;
using namespace tritium::sema;

/// The values in a tuple, or the one that is none.
static llvm::ArrayRef<Value> listOf(const Value &value) {
  auto *tuple = value.getIf<Tuple>();
  return tuple ? llvm::ArrayRef<Value>(tuple->elements) : llvm::ArrayRef<Value>(value);
}

/// Tensors in one shape. Absent after an error.
static std::optional<std::vector<Tensor>> broadcastValues(Sema &sema,
                                                          llvm::ArrayRef<Value> values) {
  std::vector<Tensor> tensors;
  for (const Value &value : values) {
    auto tensor = sema.toTensor(value);
    if (!tensor)
      return std::nullopt;
    tensors.push_back(*tensor);
  }
  if (!broadcastAll(sema, tensors))
    return std::nullopt;
  return tensors;
}

//===----------------------------------------------------------------------===//
// map_elementwise
//===----------------------------------------------------------------------===//

/// The file and line of an operation in a function of elements.
static std::string lineOf(mlir::Operation *op) {
  auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  return place ? "line " + std::to_string(place.getLine()) + " of " + place.getFilename().str()
               : "an operation";
}

/// The function may not do this to single elements; empty if it may.
static std::string whyNot(mlir::Operation *op) {
  auto isTile = [](mlir::Type type) { return llvm::isa<mlir::RankedTensorType>(type); };
  auto isPointer = [](mlir::Type type) { return llvm::isa<tt::PointerType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile))
    return "makes or combines tiles";
  if (llvm::isa<tt::LoadOp>(op))
    return "reads memory; load before, and pass the values";
  if (llvm::isa<tt::StoreOp>(op))
    return "writes memory; return the values, and store them behind";
  if (llvm::isa<tt::AtomicRMWOp, tt::AtomicCASOp>(op))
    return "is an atomic operation";
  if (llvm::isa<mlir::gpu::BarrierOp>(op))
    return "is a barrier, which all threads must come to";
  if (llvm::isa<tt::PrintOp>(op))
    return "prints";
  if (llvm::isa<tt::AssertOp>(op))
    return "asserts";
  if (!mlir::isMemoryEffectFree(op) && !op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
    return "has effects besides its result";
  if (llvm::any_of(op->getOperandTypes(), isPointer) ||
      llvm::any_of(op->getResultTypes(), isPointer))
    return "computes with pointers";
  return "";
}

/// Hints go; false, with an error, if something is left that is no computation on scalars.
static bool checkFunction(Sema &sema, mlir::Region &region) {
  region.walk([](mlir::Operation *op) {
    if (llvm::isa<tt::AssumeOp, tt::CheckHintOp>(op))
      op->erase();
  });
  std::string found;
  region.walk([&](mlir::Operation *op) {
    std::string why = whyNot(op);
    if (why.empty())
      return mlir::WalkResult::advance();
    found = lineOf(op) + " " + why;
    return mlir::WalkResult::interrupt();
  });
  if (found.empty())
    return true;
  sema.error("what tl.map_elementwise calls is applied to one element after the other, in any "
             "order: it can only compute, and on scalars; " +
             found);
  return false;
}

/// What the function returns, as scalars: `pack` for each result. Absent after an error.
static std::optional<std::vector<Tensor>> returnedBy(Sema &sema, const Value &returned,
                                                     int64_t pack) {
  std::vector<Tensor> scalars;
  for (const Value &value : listOf(returned)) {
    if (!value.is<Tensor>() && !value.is<Constant>())
      return sema.error("what tl.map_elementwise calls must return scalars, found " +
                        describe(value));
    if (value.isNone())
      return sema.error("what tl.map_elementwise calls must return a value for each element, found "
                        "None");
    auto tensor = sema.toTensor(value);
    if (!tensor)
      return std::nullopt;
    if (!tensor->isScalar() || kindOf(tensor->dtype) == Kind::Other)
      return sema.error("what tl.map_elementwise calls must return scalars, found " +
                        describe(value));
    scalars.push_back(*tensor);
  }
  if (scalars.empty() || scalars.size() % pack)
    return sema.error("with pack=" + std::to_string(pack) +
                      " a function returns a multiple of so many values: those of the first "
                      "result, then those of the second; found " +
                      std::to_string(scalars.size()));
  for (size_t i = 0; i < scalars.size(); ++i)
    if (const Tensor &first = scalars[i - i % pack]; !(scalars[i].dtype == first.dtype))
      return sema.error("the values of one result must have one type, found " +
                        describeType(first.dtype) + " and " + describeType(scalars[i].dtype) +
                        " (with pack=" + std::to_string(pack) + ")");
  return scalars;
}

/// Fills the region with a call of the function. Absent after an error.
static std::optional<Value> buildFunction(Sema &sema, mlir::Region &region, const Value &function,
                                          llvm::ArrayRef<Tensor> inputs, int64_t pack,
                                          std::vector<Tensor> &scalars) {
  mlir::OpBuilder &b = sema.builder();
  mlir::OpBuilder::InsertionGuard guard(b);
  llvm::SmallVector<mlir::Type> types;
  for (const Tensor &input : inputs)
    types.append(pack, sema.elementType(input.dtype));
  mlir::Block *block = b.createBlock(&region, {}, types,
                                     llvm::SmallVector<mlir::Location>(types.size(), sema.loc()));
  Arguments arguments;
  for (auto [i, argument] : llvm::enumerate(block->getArguments()))
    arguments.positional.push_back(Tensor{argument, inputs[i / pack].dtype});
  auto returned = sema.call(function, arguments);
  auto made = returned ? returnedBy(sema, *returned, pack) : std::nullopt;
  if (!made || !checkFunction(sema, region))
    return std::nullopt;
  scalars = std::move(*made);
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &scalar : scalars)
    values.push_back(scalar.value);
  b.create<tt::MapReturnOp>(sema.loc(), values);
  // Constants that stand outside are its own.
  llvm::SetVector<mlir::Value> captured;
  mlir::getUsedValuesDefinedAbove(region, captured);
  b.setInsertionPointToStart(block);
  for (mlir::Value value : captured) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<mlir::OpTrait::ConstantLike>())
      return sema.error("what tl.map_elementwise calls uses a value of the function around it that "
                        "is known only at run time; pass it as another argument");
    mlir::replaceAllUsesInRegionWith(value, b.clone(*op)->getResult(0), region);
  }
  return returned;
}

/// map_elementwise(scalar_fn, *args, pack)
static Result mapElementwise(Sema &sema, const BoundArguments &args) {
  const Value &function = args[0];
  if (!function.is<Function>() && !function.is<Library>())
    return sema.error("the first argument of tl.map_elementwise must be a jit function, found " +
                      describe(function));
  auto pack = constantInt(sema, args[2], "'pack' of tl.map_elementwise");
  if (!pack)
    return std::nullopt;
  constexpr int64_t mostPacked = 64;
  if (*pack < 1 || *pack > mostPacked)
    return sema.error("'pack' of tl.map_elementwise must be from 1 to " +
                      std::to_string(mostPacked) + ", found " + std::to_string(*pack));
  Value given = spread(args[1]);
  auto inputs = broadcastValues(sema, listOf(given));
  if (!inputs)
    return std::nullopt;
  if (inputs->empty())
    return sema.error("tl.map_elementwise needs at least one input");
  bool isScalar = inputs->front().isScalar();
  llvm::SmallVector<mlir::Value> values;
  for (Tensor &input : *inputs) {
    if (kindOf(input.dtype) == Kind::Other)
      return sema.error("tl.map_elementwise takes numbers, found " + describe(Value(input)) +
                        "; load before, and pass the values");
    auto tile = isScalar ? sema.broadcastTo(input, {1}) : std::optional<Tensor>(input);
    if (!tile)
      return std::nullopt;
    input = *tile;
    values.push_back(input.value);
  }
  // The results follow from the function, whose code needs a place to stand first.
  mlir::OpBuilder &b = sema.builder();
  mlir::Location loc = sema.loc();
  auto unfinished = b.create<tt::MapElementwiseOp>(loc, mlir::TypeRange(), values, *pack);
  std::vector<Tensor> scalars;
  auto returned = buildFunction(sema, unfinished.getFunction(), function, *inputs, *pack, scalars);
  if (!returned) {
    unfinished.erase();
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Type> types;
  llvm::ArrayRef<int64_t> shape = inputs->front().shape();
  for (size_t i = 0; i < scalars.size(); i += *pack)
    types.push_back(sema.tensorType(scalars[i].dtype, shape));
  auto map = b.create<tt::MapElementwiseOp>(loc, types, values, *pack);
  map.getFunction().takeBody(unfinished.getFunction());
  unfinished.erase();
  Tuple results;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    Tensor tile{result, scalars[i * *pack].dtype};
    results.elements.push_back(isScalar ? sema.item(tile) : tile);
  }
  // A group of one result is a tuple that the function must return.
  bool isSingle = !returned->is<Tuple>() || (*pack > 1 && results.elements.size() == 1);
  return isSingle ? results.elements[0] : Value(std::move(results));
}

//===----------------------------------------------------------------------===//
// inline_asm_elementwise
//===----------------------------------------------------------------------===//

/// What the verifier has against `op`, without the number of the constraint; empty: nothing.
static std::string mistakeIn(mlir::Operation *op) {
  std::string text;
  mlir::ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
    text = diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::verify(op)))
    return "";
  size_t number = text.find(") ");
  return number == std::string::npos ? text : text.substr(number + 2);
}

/// inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)
static Result inlineAssembly(Sema &sema, const BoundArguments &args) {
  auto text = constantString(sema, args[0], "the text of tl.inline_asm_elementwise");
  auto constraints =
      text ? constantString(sema, args[1], "'constraints' of tl.inline_asm_elementwise")
           : std::nullopt;
  auto inputs = constraints ? broadcastValues(sema, listOf(args[2])) : std::nullopt;
  if (!inputs)
    return std::nullopt;
  std::vector<DType> dtypes;
  for (const Value &type : listOf(args[3])) {
    auto dtype = dtypeArgument(sema, type, "'dtype' of tl.inline_asm_elementwise");
    if (!dtype)
      return std::nullopt;
    dtypes.push_back(*dtype);
  }
  auto isPure = constantBool(sema, args[4], "'is_pure' of tl.inline_asm_elementwise");
  auto pack =
      isPure ? constantInt(sema, args[5], "'pack' of tl.inline_asm_elementwise") : std::nullopt;
  if (!pack)
    return std::nullopt;
  if (dtypes.empty())
    return sema.error("tl.inline_asm_elementwise needs a result: 'dtype' is a type, or a tuple of "
                      "them");
  if (*pack < 1 || *pack > INT32_MAX)
    return sema.error("'pack' of tl.inline_asm_elementwise must be positive, found " +
                      std::to_string(*pack));
  llvm::SmallVector<mlir::Value> values;
  for (const Tensor &input : *inputs)
    values.push_back(input.value);
  llvm::SmallVector<mlir::Type> types;
  for (DType dtype : dtypes) {
    if (is(dtype, DTypeKind::Void))
      return sema.error("tl.inline_asm_elementwise has no result of type void");
    types.push_back(inputs->empty() || inputs->front().isScalar()
                        ? sema.elementType(dtype)
                        : sema.tensorType(dtype, inputs->front().shape()));
  }
  std::string compact = *constraints;
  llvm::erase(compact, ' ');
  auto op = sema.builder().create<tt::InlineAsmOp>(sema.loc(), types, *text, compact, *isPure,
                                                   values, *pack);
  if (std::string mistake = mistakeIn(op); !mistake.empty()) {
    op.erase();
    return sema.error("tl.inline_asm_elementwise: " + mistake);
  }
  Tuple results;
  for (auto [result, dtype] : llvm::zip(op.getResults(), dtypes))
    results.elements.push_back(Tensor{result, dtype});
  return args[3].is<Tuple>() ? Value(std::move(results)) : results.elements[0];
}

//===----------------------------------------------------------------------===//
// extern_elementwise
//===----------------------------------------------------------------------===//

/// The function here that is `symbol` of CUDA's device library. CUDA has a name for each type
/// (`__nv_sinf`, `__nv_umulhi`, `__nv_fadd_rn`, `__nv_clzll`), here one is for all.
static const Builtin *findSymbol(llvm::StringRef symbol) {
  llvm::StringRef name = symbol;
  if (!name.consume_front("__nv_"))
    return nullptr;
  std::string spelt = llvm::StringSwitch<std::string>(name)
                          .Cases("fabs", "fabsf", "llabs", "abs")
                          .Cases("powi", "powif", "pow")
                          .Cases("mul64hi", "umul64hi", "mulhi")
                          .Case("fast_fdividef", "fast_dividef")
                          .Default("");
  llvm::SmallVector<std::string> candidates{spelt, name.str()};
  for (llvm::StringRef suffix : {"f", "d", "ll"})
    if (name.ends_with(suffix))
      candidates.push_back(name.drop_back(suffix.size()).str());
  // Directed rounding: fmaf_rn, fadd_rn, dadd_rn.
  if (auto [stem, direction] = name.rsplit('_'); !direction.empty()) {
    candidates.push_back((stem.ends_with("f") ? stem.drop_back() : stem).str() + "_" +
                         direction.str());
    if (stem.starts_with("f") || stem.starts_with("d"))
      candidates.push_back(name.drop_front().str());
  }
  if (name.starts_with("u"))
    candidates.push_back(name.drop_front().str());
  for (const std::string &candidate : candidates)
    if (const Builtin *builtin =
            candidate.empty() ? nullptr : findBuiltin("libdevice." + candidate))
      return builtin;
  return nullptr;
}

/// The entries of 'arg_type_symbol_dict', each with three parts: the types of the arguments, the
/// symbol, and the type of its result. A function with @tl.core.extern has them so already.
static std::optional<std::vector<Value>> symbolsOf(Sema &sema, const Value &given) {
  if (auto *flat = given.getIf<Tuple>())
    return flat->elements;
  auto *dict = given.getIf<Dict>();
  if (!dict)
    return sema.error("'arg_type_symbol_dict' of tl.core.extern_elementwise must be a dictionary "
                      "such as {(tl.float32,): (\"__nv_sinf\", tl.float32)}, found " +
                      describe(given));
  std::vector<Value> symbols;
  for (const auto &[types, result] : dict->entries) {
    Tuple parts{{fromConstant(types)}, {}};
    for (const Value &part : listOf(result))
      parts.elements.push_back(part);
    symbols.emplace_back(std::move(parts));
  }
  return symbols;
}

/// extern_elementwise(lib_name, lib_path, args, symbols, is_pure)
static Result externElementwise(Sema &sema, const BoundArguments &args) {
  auto inputs = broadcastValues(sema, listOf(args[2]));
  if (!inputs)
    return std::nullopt;
  std::string given, known;
  for (const Tensor &input : *inputs)
    given += (given.empty() ? "" : ", ") + describeType(input.dtype);
  auto symbols = symbolsOf(sema, args[3]);
  if (!symbols)
    return std::nullopt;
  for (const Value &entry : *symbols) {
    llvm::ArrayRef<Value> parts = listOf(entry);
    auto symbol = parts.size() == 3 ? asString(parts[1]) : std::nullopt;
    auto result = symbol ? asDType(parts[2]) : std::nullopt;
    if (!result)
      return sema.error("a symbol of tl.core.extern_elementwise is a string, and its result a "
                        "type");
    std::string types;
    for (const Value &type : listOf(parts[0])) {
      auto dtype = dtypeArgument(sema, type, "a type in 'arg_type_symbol_dict'");
      if (!dtype)
        return std::nullopt;
      types += (types.empty() ? "" : ", ") + describeType(*dtype);
    }
    known += (known.empty() ? "(" : " or (") + types + ")";
    if (types != given)
      continue;
    const Builtin *builtin = findSymbol(*symbol);
    if (!builtin)
      return sema.error("'" + *symbol +
                        "' is no function of CUDA's device library (__nv_...); "
                        "other libraries cannot be linked: write it as a function of tl, or with "
                        "tl.inline_asm_elementwise on a GPU");
    Arguments arguments;
    for (Tensor &input : *inputs)
      arguments.positional.push_back(input);
    auto made = sema.callLibrary(builtin->name, arguments);
    auto tensor = made ? sema.toTensor(*made) : std::nullopt;
    auto converted = tensor ? sema.cast(*tensor, *result) : std::nullopt;
    return converted ? Result(Value(*converted)) : std::nullopt;
  }
  return sema.error("tl.core.extern_elementwise has symbols for " +
                    (known.empty() ? "no arguments" : known) + ", found (" + given +
                    "); convert with .to(...)");
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

template <tt::MachineRegister which, DTypeKind kind>
static Result readRegister(Sema &sema, const BoundArguments &) {
  auto read =
      sema.builder().create<tt::ReadRegisterOp>(sema.loc(), sema.elementType({kind}), which);
  return Value(Tensor{read.getResult(), {kind}});
}

template <tt::GridDependency kind>
static Result gridDependency(Sema &sema, const BoundArguments &) {
  constexpr int first = 90;
  int capability = sema.options().cudaCapability;
  if (capability && capability < first)
    return sema.error("overlapping launches (gdc_wait, gdc_launch_dependents) begin with compute "
                      "capability 9.0, and this GPU has " +
                      std::to_string(capability / 10) + "." + std::to_string(capability % 10) +
                      "; guard the call with tl.target_info.cuda_capability_geq(9)");
  sema.builder().create<tt::GridDependencyOp>(sema.loc(), kind);
  return Value();
}

void sema::addElementBuiltins(Registry &registry) {
  registry.add("map_elementwise", "scalar_fn, *args, pack=1", mapElementwise);
  registry.add("inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack",
               inlineAssembly);
  registry.add("extern_elementwise", "lib_name, lib_path, args, arg_type_symbol_dict, is_pure",
               externElementwise);
  registry.add("cuda.globaltimer", "",
               readRegister<tt::MachineRegister::GLOBALTIMER, DTypeKind::Int64>);
  registry.add("cuda.smid", "", readRegister<tt::MachineRegister::SMID, DTypeKind::Int32>);
  registry.add("cuda.gdc_wait", "", gridDependency<tt::GridDependency::WAIT>);
  registry.add("cuda.gdc_launch_dependents", "",
               gridDependency<tt::GridDependency::LAUNCH_DEPENDENTS>);
}
