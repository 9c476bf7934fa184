//===- Atomics.cpp - atomic read-modify-write and compare-and-swap --------===//

#include "BuiltinSupport.h"
#include "Casts.h"
#include "Memory.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/StringSwitch.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

namespace {
/// The operands of one read-modify-write, in one shape.
struct Access {
  std::string name;
  Tensor pointer, value;
  std::optional<Tensor> mask;
  build::MemoryOrder order;

  DType element() const { return pointee(pointer.dtype); }
};
} // namespace

static std::optional<build::MemoryOrder> memoryOrder(Sema &sema, const Value &sem,
                                                     const Value &scope) {
  auto semText = sem.isNone() ? std::string("acq_rel") : constantString(sema, sem, "'sem'");
  if (!semText)
    return std::nullopt;
  auto semantic = tt::symbolizeMemSemantic(*semText);
  if (!semantic)
    return sema.error("'sem' must be one of 'acquire', 'release', 'acq_rel', 'relaxed', found '" +
                      *semText + "'");
  auto scopeText = scope.isNone() ? std::string("gpu") : constantString(sema, scope, "'scope'");
  if (!scopeText)
    return std::nullopt;
  auto memScope = tt::symbolizeMemScope(*scopeText);
  if (!memScope)
    return sema.error("'scope' must be one of 'gpu', 'cta', 'sys', found '" + *scopeText + "'");
  return build::MemoryOrder{*semantic, *memScope};
}

static bool checkPointer(Sema &sema, const Tensor &pointer, const std::string &what) {
  if (!pointer.dtype.isConst)
    return true;
  sema.error(what + " through a tl.const pointer; remove the tl.const annotation of the "
                    "parameter if the kernel writes to it");
  return false;
}

static bool isNumber(DType dtype) { return isInteger(dtype) && !isBool(dtype); }
static bool isWholeFloat(DType dtype) { return isFloat(dtype) && !isFloat8(dtype); }

static constexpr std::string_view kIntegers = "integers of 8, 16, 32 and 64 bits";
static constexpr std::string_view kNumbers =
    "integers of 8, 16, 32 and 64 bits, float16, bfloat16, float32 and float64";

/// Reads (pointer, val, mask, sem, scope).
static std::optional<Access> readAccess(Sema &sema, const BoundArguments &args, std::string name) {
  std::string what = "tl." + name;
  auto pointer = pointerArgument(sema, args[0], what);
  if (!pointer || !checkPointer(sema, *pointer, what))
    return std::nullopt;
  auto order = memoryOrder(sema, args[3], args[4]);
  std::optional<Tensor> mask;
  if (!order || !maskArgument(sema, args[2], *pointer, what, mask))
    return std::nullopt;
  DType element = pointee(pointer->dtype);
  std::optional<Tensor> value = coerce(sema, args[1], element);
  if (!value)
    return std::nullopt;
  if (pointer->isScalar() && !value->isScalar())
    return sema.error(what + " of a tile, " + describe(args[1]) + ", through a scalar pointer");
  if (!shapeAccess(sema, *pointer, value, "value", mask, what))
    return std::nullopt;
  return Access{std::move(name), *pointer, *value, mask, *order};
}

Tensor build::atomicRMW(Sema &sema, tt::RMWOp op, const Tensor &pointer, const Tensor &value,
                        const std::optional<Tensor> &mask, MemoryOrder order) {
  mlir::Value old = sema.builder().create<tt::AtomicRMWOp>(
      sema.loc(), value.value.getType(), op, pointer.value, value.value,
      mask ? mask->value : mlir::Value(), order.semantic, order.scope);
  return {old, value.dtype};
}

Tensor build::atomicCAS(Sema &sema, const Tensor &pointer, const Tensor &expected,
                        const Tensor &value, MemoryOrder order) {
  mlir::Value old = sema.builder().create<tt::AtomicCASOp>(
      sema.loc(), value.value.getType(), pointer.value, expected.value, value.value, order.semantic,
      order.scope);
  return {old, value.dtype};
}

static std::nullopt_t typeError(Sema &sema, std::string_view name, DType element,
                                std::string_view supported) {
  return sema.error("tl." + std::string(name) + " is not supported on " + describeType(element) +
                    "; it works on " + std::string(supported));
}

std::optional<tt::RMWOp> sema::atomicOperation(Sema &sema, std::string_view name, DType element) {
  bool isFloating = isWholeFloat(element), isMax = name == "atomic_max";
  bool isBitwise = name != "atomic_add" && !isMax && name != "atomic_min";
  if (!isNumber(element) && (isBitwise || !isFloating))
    return typeError(sema, name, element, isBitwise ? kIntegers : kNumbers);
  if (name == "atomic_add")
    return isFloating ? tt::RMWOp::FADD : tt::RMWOp::ADD;
  if (isBitwise)
    return tt::symbolizeRMWOp(name.substr(std::string_view("atomic_").size()));
  if (isFloating || isSigned(element))
    return isMax ? tt::RMWOp::MAX : tt::RMWOp::MIN;
  return isMax ? tt::RMWOp::UMAX : tt::RMWOp::UMIN;
}

/// atomic_add(pointer, val, mask, sem, scope), ...
template <const char *name> static Result atomic(Sema &sema, const BoundArguments &args) {
  auto access = readAccess(sema, args, name);
  auto op = access ? atomicOperation(sema, name, access->element()) : std::nullopt;
  if (!op)
    return std::nullopt;
  bool isOrdered = *op == tt::RMWOp::MAX || *op == tt::RMWOp::MIN;
  if (!isOrdered || !isFloat(access->element()))
    return Value(
        build::atomicRMW(sema, *op, access->pointer, access->value, access->mask, access->order));
  mlir::Value old =
      tt::buildFloatAtomic(sema.builder(), sema.loc(), *op == tt::RMWOp::MAX, access->pointer.value,
                           access->value.value, access->mask ? access->mask->value : mlir::Value(),
                           access->order.semantic, access->order.scope);
  return Value(Tensor{old, access->element()});
}

static Result atomicXchg(Sema &sema, const BoundArguments &args) {
  auto access = readAccess(sema, args, "atomic_xchg");
  if (!access)
    return std::nullopt;
  DType element = access->element();
  if (!isNumber(element) && !isWholeFloat(element))
    return typeError(sema, access->name, element, kNumbers);
  return Value(build::atomicRMW(sema, tt::RMWOp::XCHG, access->pointer, access->value, access->mask,
                                access->order));
}

/// atomic_cas(pointer, cmp, val, sem, scope)
static Result atomicCas(Sema &sema, const BoundArguments &args) {
  std::string what = "tl.atomic_cas";
  auto pointer = pointerArgument(sema, args[0], what);
  if (!pointer || !checkPointer(sema, *pointer, what))
    return std::nullopt;
  DType element = pointee(pointer->dtype);
  if (!isNumber(element) && !isWholeFloat(element))
    return typeError(sema, "atomic_cas", element, kNumbers);
  auto order = memoryOrder(sema, args[3], args[4]);
  std::optional<Tensor> none;
  std::optional<Tensor> operands[2];
  const char *names[2] = {"'cmp'", "value"};
  for (int i = 0; order && i < 2; ++i) {
    operands[i] = coerce(sema, args[1 + i], element);
    if (!operands[i] || !shapeAccess(sema, *pointer, operands[i], names[i], none, what))
      return std::nullopt;
  }
  if (!order)
    return std::nullopt;
  return Value(build::atomicCAS(sema, *pointer, *operands[0], *operands[1], *order));
}

static constexpr char kAdd[] = "atomic_add", kMin[] = "atomic_min", kMax[] = "atomic_max",
                      kAnd[] = "atomic_and", kOr[] = "atomic_or", kXor[] = "atomic_xor";

void sema::addAtomicBuiltins(Registry &registry) {
  constexpr std::string_view kSignature = "pointer, val, mask=None, sem=None, scope=None";
  registry.addMethod("atomic_add", kSignature, atomic<kAdd>);
  registry.addMethod("atomic_max", kSignature, atomic<kMax>);
  registry.addMethod("atomic_min", kSignature, atomic<kMin>);
  registry.addMethod("atomic_and", kSignature, atomic<kAnd>);
  registry.addMethod("atomic_or", kSignature, atomic<kOr>);
  registry.addMethod("atomic_xor", kSignature, atomic<kXor>);
  registry.addMethod("atomic_xchg", kSignature, atomicXchg);
  registry.addMethod("atomic_cas", "pointer, cmp, val, sem=None, scope=None", atomicCas);
}
