//===- PythonBuiltins.cpp - len, min, float, isinstance, math.* -----------===//

#include "Aggregates.h"
#include "Attributes.h"
#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/ConstantFold.h"
#include "tritium/Frontend/Sema/DTypes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <bit>
#include <cmath>

using namespace tritium;
using namespace tritium::sema;

static Result len(Sema &sema, const BoundArguments &args) {
  if (auto *tensor = args[0].getIf<Tensor>(); tensor && !tensor->isScalar())
    return makeInt(tensor->shape()[0]);
  if (auto text = asString(args[0]))
    return makeInt(static_cast<int64_t>(text->size()));
  if (asAggregate(args[0]))
    return callOperator(sema, args[0], "__len__", Arguments{}, "len()");
  if (auto *tuple = args[0].getIf<Tuple>())
    return makeInt(static_cast<int64_t>(tuple->elements.size()));
  if (auto *dict = args[0].getIf<Dict>())
    return makeInt(static_cast<int64_t>(dict->entries.size()));
  if (auto items = findAttribute(sema, args[0], "<items>"); items && items->is<Tuple>())
    return makeInt(static_cast<int64_t>(items->get<Tuple>().elements.size()));
  return sema.error("len() needs a tuple, a string or a tile, found " + describe(args[0]));
}

/// The constant to convert, for a conversion that runs at compile time.
static const Constant *constantOperand(Sema &sema, const Value &value, const char *function,
                                       const char *dtype) {
  if (auto *constant = value.getIf<Constant>())
    return constant;
  sema.error(std::string(function) + "() converts compile-time values, found " + describe(value) +
             (value.is<Tensor>() ? "; write x.to(tl." + std::string(dtype) + ")" : ""));
  return nullptr;
}

static Result toFloat(Sema &sema, const BoundArguments &args) {
  auto *constant = constantOperand(sema, args[0], "float", "float32");
  if (!constant)
    return std::nullopt;
  if (auto number = floatOf(*constant))
    return makeFloat(*number);
  if (auto text = asString(args[0])) {
    std::string lower = llvm::StringRef(*text).trim().lower();
    llvm::StringRef body = lower;
    bool negative = body.consume_front("-");
    if (!negative)
      body.consume_front("+");
    double number = 0;
    bool isSpecial = body == "inf" || body == "infinity" || body == "nan";
    if (isSpecial)
      number = body == "nan" ? NAN : INFINITY;
    if (isSpecial || (!body.empty() && !body.getAsDouble(number)))
      return makeFloat(negative ? -number : number);
  }
  return sema.error("float() cannot convert " + describe(args[0]));
}

static Result toInt(Sema &sema, const BoundArguments &args) {
  auto *constant = constantOperand(sema, args[0], "int", "int32");
  if (!constant)
    return std::nullopt;
  if (auto integer = integerOf(*constant))
    return makeInt(*integer);
  if (auto *d = std::get_if<double>(&constant->value); d && std::fabs(*d) < 0x1p126)
    return makeInt(static_cast<Constant::Int>(std::trunc(*d)));
  int64_t number = 0;
  if (auto text = asString(args[0]);
      text && !llvm::StringRef(*text).trim().getAsInteger(10, number))
    return makeInt(number);
  return sema.error("int() cannot convert " + describe(args[0]));
}

static Result toBool(Sema &sema, const BoundArguments &args) {
  auto known = sema.truth(args[0]);
  if (!known)
    return std::nullopt;
  if (auto *boolean = std::get_if<bool>(&*known))
    return makeBool(*boolean);
  return Value(Tensor{std::get<mlir::Value>(*known), {DTypeKind::Int1}});
}

static Result toStr(Sema &sema, const BoundArguments &args) {
  return makeString(sema.format(args[0]));
}

/// dict(name=value, ...)
static Result toDict(Sema &, const BoundArguments &args) { return args[0]; }

static Result toTuple(Sema &sema, const BoundArguments &args) {
  auto elements = sema.iterate(args[0]);
  return elements ? Result(Value(Tuple{std::move(*elements), {}})) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// isinstance, getattr, hasattr
//===----------------------------------------------------------------------===//

static std::optional<bool> isInstance(Sema &sema, const Value &value, const Value &type) {
  if (auto *alternatives = type.getIf<Tuple>()) {
    bool any = false;
    for (const Value &alternative : alternatives->elements) {
      auto one = isInstance(sema, value, alternative);
      if (!one)
        return std::nullopt;
      any |= *one;
    }
    return any;
  }
  if (auto known = isOfAggregate(sema, value, type))
    return known;
  if (auto test = findAttribute(sema, type, "<isinstance>")) {
    auto answer = asConstant(value) ? sema.call(*test, {{value}, {}}) : makeBool(false);
    return answer ? asBool(*answer) : std::nullopt;
  }
  auto *library = type.getIf<Library>();
  auto *constant = value.getIf<Constant>();
  auto holds = [&](auto tag) {
    return constant && std::holds_alternative<decltype(tag)>(constant->value);
  };
  auto known = llvm::StringSwitch<std::optional<bool>>(library ? library->name : "")
                   .Case("tensor", value.is<Tensor>())
                   .Case("constexpr", constant != nullptr)
                   .Case("dtype", holds(DType()) || value.is<BlockType>())
                   .Case("pointer_type", asDType(value) && asDType(value)->isPointer())
                   .Case("block_type", value.is<BlockType>())
                   .Cases("tensor_descriptor", "tensor_descriptor_base", value.is<Descriptor>())
                   .Cases("tuple", "builtins.tuple", "builtins.list",
                          value.is<Tuple>() && !asAggregate(value))
                   .Case("builtins.dict", value.is<Dict>())
                   .Case("builtins.bool", holds(bool()))
                   .Case("builtins.int", holds(Constant::Int()) || holds(bool()))
                   .Case("builtins.float", holds(double()))
                   .Case("builtins.str", holds(std::string()))
                   .Default(std::nullopt);
  if (known)
    return known;
  return sema.error("isinstance() cannot test for " + describe(type));
}

static Result isInstanceOf(Sema &sema, const BoundArguments &args) {
  auto result = isInstance(sema, args[0], args[1]);
  return result ? Result(makeBool(*result)) : std::nullopt;
}

/// getattr(x, name[, default])
static Result getAttr(Sema &sema, const BoundArguments &args) {
  auto name = constantString(sema, args[1], "the name for getattr()");
  if (!name)
    return std::nullopt;
  const auto &otherwise = args[2].get<Tuple>().elements;
  if (otherwise.size() > 1)
    return sema.error("getattr() takes at most 3 arguments");
  if (otherwise.empty())
    return sema.attribute(args[0], *name);
  auto value = findAttribute(sema, args[0], *name);
  return value ? value : otherwise[0];
}

static Result hasAttr(Sema &sema, const BoundArguments &args) {
  auto name = constantString(sema, args[1], "the name for hasattr()");
  return name ? Result(makeBool(findAttribute(sema, args[0], *name).has_value())) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// min, max, abs
//===----------------------------------------------------------------------===//

/// NaN and -0.0 make the choice depend on the order of the arguments.
static bool isUnordered(const Constant &constant) {
  auto *d = std::get_if<double>(&constant.value);
  return d && (std::isnan(*d) || (*d == 0 && std::signbit(*d)));
}

static Result minMaxOfTwo(Sema &sema, const Value &x, const Value &y, bool isMax) {
  std::string name = isMax ? "max" : "min";
  auto *cx = x.getIf<Constant>(), *cy = y.getIf<Constant>();
  if (cx && cy) {
    if (isUnordered(*cx) || isUnordered(*cy))
      return sema.error(name + "() of compile-time NaN or -0.0 is ambiguous");
    auto yFirst = sema.compare(isMax ? CompareOp::Gt : CompareOp::Lt, y, x);
    return yFirst ? Result(*asBool(*yFirst) ? y : x) : std::nullopt;
  }
  for (const Value *side : {&x, &y})
    if (auto *tensor = side->getIf<Tensor>(); tensor && !tensor->isScalar()) {
      sema.warning(name + "() on tiles is deprecated; write tl." + name + "imum");
      break;
    }
  return sema.callLibrary(isMax ? "maximum" : "minimum", {{x, y}, {}});
}

template <bool isMax> static Result minMax(Sema &sema, const BoundArguments &args) {
  Value operands = spread(args[0]);
  auto *tuple = operands.getIf<Tuple>();
  if (!tuple || tuple->elements.empty())
    return sema.error(std::string(isMax ? "max" : "min") + "() needs at least one value");
  Value best = tuple->elements[0];
  for (size_t i = 1; i < tuple->elements.size(); ++i) {
    auto next = minMaxOfTwo(sema, best, tuple->elements[i], isMax);
    if (!next)
      return std::nullopt;
    best = std::move(*next);
  }
  return best;
}

static Result absolute(Sema &sema, const BoundArguments &args) {
  auto *constant = args[0].getIf<Constant>();
  if (!constant)
    return sema.callLibrary("abs", {{args[0]}, {}});
  if (auto *d = std::get_if<double>(&constant->value))
    return makeFloat(std::fabs(*d));
  auto integer = integerOf(*constant);
  if (!integer)
    return sema.error("abs() needs a number, found " + describe(args[0]));
  return *integer < 0 ? sema.unary(UnaryOp::Minus, args[0]) : Result(makeInt(*integer));
}

//===----------------------------------------------------------------------===//
// Python's math module, on constants
//===----------------------------------------------------------------------===//

/// The float operands of a math function. Empty after an error.
static std::vector<double> floats(Sema &sema, const BoundArguments &args, const char *name) {
  std::vector<double> result;
  for (const Value &arg : args) {
    auto *constant = arg.getIf<Constant>();
    auto number = constant ? floatOf(*constant) : std::nullopt;
    if (!number) {
      sema.error("math." + std::string(name) + " is Python's, on compile-time numbers; found " +
                 describe(arg) + (arg.is<Tensor>() ? "; use tl." + std::string(name) : ""));
      return {};
    }
    result.push_back(*number);
  }
  return result;
}

static Result finish(Sema &sema, const char *name, double value) {
  if (std::isnan(value))
    return sema.error("math." + std::string(name) + ": the argument is outside its domain");
  return makeFloat(value);
}

#define TRITIUM_MATH_UNARY(name)                                                                   \
  static Result math_##name(Sema &sema, const BoundArguments &args) {                              \
    auto x = floats(sema, args, #name);                                                            \
    return x.empty() ? std::nullopt : finish(sema, #name, std::name(x[0]));                        \
  }
TRITIUM_MATH_UNARY(sqrt)
TRITIUM_MATH_UNARY(exp)
TRITIUM_MATH_UNARY(log)
TRITIUM_MATH_UNARY(log2)
TRITIUM_MATH_UNARY(sin)
TRITIUM_MATH_UNARY(cos)
TRITIUM_MATH_UNARY(fabs)
#undef TRITIUM_MATH_UNARY

static Result mathPow(Sema &sema, const BoundArguments &args) {
  auto x = floats(sema, args, "pow");
  return x.empty() ? std::nullopt : finish(sema, "pow", std::pow(x[0], x[1]));
}

template <bool isUp> static Result mathRound(Sema &sema, const BoundArguments &args) {
  auto x = floats(sema, args, isUp ? "ceil" : "floor");
  if (x.empty())
    return std::nullopt;
  return toInt(sema, {makeFloat(isUp ? std::ceil(x[0]) : std::floor(x[0]))});
}

//===----------------------------------------------------------------------===//

/// The smallest power of two that is not less than n.
static Result nextPowerOf2(Sema &sema, const BoundArguments &args) {
  auto n = constantInt(sema, args[0], "the argument of triton.next_power_of_2");
  if (!n)
    return std::nullopt;
  Constant::Int power = *n <= 0 ? 0 : 1;
  while (power < *n)
    power *= 2;
  return makeInt(power);
}

/// The logarithm to base 2 of a positive int, rounded down.
static Result log2OfInt(Sema &sema, const BoundArguments &args) {
  auto n = constantInt(sema, args[0], "the argument of tl.standard._log2");
  if (!n)
    return std::nullopt;
  if (*n <= 0)
    return sema.error("tl.standard._log2 takes a positive int, found " + std::to_string(*n));
  return makeInt(std::bit_width(static_cast<uint64_t>(*n)) - 1);
}

static Result isPowerOfTwo(Sema &sema, const BoundArguments &args) {
  auto n = constantInt(sema, args[0], "the argument of tl.standard._is_power_of_two");
  return n ? Result(makeBool(*n > 0 && std::has_single_bit(static_cast<uint64_t>(*n))))
           : std::nullopt;
}

/// What Triton's own functions call where a value may or may not be a constexpr.
static Result unwrap(Sema &, const BoundArguments &args) { return args[0]; }

/// The integer type of that many bits, of which 1 is the bool's.
static Result intDType(Sema &sema, const BoundArguments &args) {
  auto bits = constantInt(sema, args[0], "'bitwidth'");
  auto isSigned = bits ? constantBool(sema, args[1], "'signed'") : std::nullopt;
  if (!isSigned)
    return std::nullopt;
  if (*bits != 1 && *bits != 8 && *bits != 16 && *bits != 32 && *bits != 64)
    return sema.error("tl.get_int_dtype: there are integers of 1, 8, 16, 32 and 64 bits, found " +
                      std::to_string(*bits));
  return makeDType(*bits == 1 ? DType{DTypeKind::Int1}
                              : integerType(static_cast<unsigned>(*bits), *isSigned));
}

//===----------------------------------------------------------------------===//
// tl.target_info, and what tl.extra.cuda knows while compiling
//===----------------------------------------------------------------------===//

static Result never(Sema &, const BoundArguments &) { return makeBool(false); }

/// A named tuple of what a GPUTarget has; None where no GPU is compiled for.
static Result currentTarget(Sema &sema, const BoundArguments &) {
  int capability = sema.options().cudaCapability;
  if (!capability)
    return Value();
  return Value(Tuple{{makeString("cuda"), makeInt(capability), makeInt(32)},
                     {"backend", "arch", "warp_size"}});
}

static Result isCUDA(Sema &sema, const BoundArguments &) {
  return makeBool(sema.options().cudaCapability != 0);
}

static Result hasCapability(Sema &sema, const BoundArguments &args) {
  auto major = constantInt(sema, args[0], "'major'");
  auto minor = major ? constantInt(sema, args[1], "'minor'") : std::nullopt;
  if (!minor)
    return std::nullopt;
  int capability = sema.options().cudaCapability;
  return makeBool(capability && capability >= *major * 10 + *minor);
}

template <int perWarp> static Result countOfWarps(Sema &sema, const BoundArguments &) {
  return makeInt(perWarp * sema.options().numWarps);
}

void sema::addPythonBuiltins(Registry &registry) {
  registry.add("builtins.len", "x", len);
  registry.add("builtins.float", "x", toFloat);
  registry.add("builtins.int", "x", toInt);
  registry.add("builtins.bool", "x", toBool);
  registry.add("builtins.str", "x", toStr);
  registry.add("tuple", "x", toTuple);
  registry.add("builtins.tuple", "x", toTuple);
  registry.add("builtins.list", "x", toTuple);
  registry.add("builtins.dict", "**entries", toDict);
  registry.add("builtins.isinstance", "x, type", isInstanceOf);
  registry.add("builtins.getattr", "x, name, *default", getAttr);
  registry.add("builtins.hasattr", "x, name", hasAttr);
  registry.add("builtins.min", "*values", minMax<false>);
  registry.add("builtins.max", "*values", minMax<true>);
  registry.add("builtins.abs", "x", absolute);
  registry.add("math.sqrt", "x", math_sqrt);
  registry.add("math.exp", "x", math_exp);
  registry.add("math.log", "x", math_log);
  registry.add("math.log2", "x", math_log2);
  registry.add("math.sin", "x", math_sin);
  registry.add("math.cos", "x", math_cos);
  registry.add("math.fabs", "x", math_fabs);
  registry.add("math.pow", "x, y", mathPow);
  registry.add("math.ceil", "x", mathRound<true>);
  registry.add("math.floor", "x", mathRound<false>);
  registry.add("next_power_of_2", "n", nextPowerOf2);
  registry.add("_log2", "i", log2OfInt);
  registry.add("_is_power_of_two", "i", isPowerOfTwo);
  registry.add("_unwrap_if_constexpr", "o", unwrap);
  registry.add("get_int_dtype", "bitwidth, signed", intDType);
  registry.add("target_info.current_target", "", currentTarget);
  registry.add("target_info.is_cuda", "", isCUDA);
  registry.add("target_info.cuda_capability_geq", "major, minor=0", hasCapability);
  registry.add("cuda.num_warps", "", countOfWarps<1>);
  registry.add("cuda.num_threads", "", countOfWarps<32>);
  registry.add("target_info.is_hip", "", never);
  registry.add("target_info.is_hip_cdna3", "", never);
  registry.add("target_info.is_hip_cdna4", "", never);
  registry.add("target_info.is_hip_gfx1250", "", never);
}
