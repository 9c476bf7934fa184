//===- DotScaled.cpp - matrix products of microscaled formats -------------===//
//
// Each operand becomes bfloat16, or float16 if one of them is: its numbers are unpacked, and
// multiplied in float32 by the scales of their groups, then rounded once. The product of a number
// of at most 3 significant bits and a power of two is exact wherever the target has it.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"
#include "Dot.h"
#include "Rearrange.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

using namespace tritium;
using namespace tritium::sema;

namespace {
enum class Format { E2M1, E4M3, E5M2, BF16, FP16 };

/// One side of the product.
struct Side {
  std::string name; ///< "lhs"
  bool isLhs;
  Tensor tile;
  Format format;
  bool kPack = true;
  std::optional<Tensor> scale;
  llvm::SmallVector<int64_t> shape; ///< of its numbers, unpacked

  int rank() const { return static_cast<int>(shape.size()); }
  int kAxis() const { return isLhs ? rank() - 1 : rank() - 2; }
  int otherAxis() const { return isLhs ? rank() - 2 : rank() - 1; }
  int packedAxis() const { return kPack ? kAxis() : otherAxis(); }
};

constexpr DType kFloat32{DTypeKind::Float32};
} // namespace

static std::optional<Format> readFormat(Sema &sema, const Value &value, const std::string &name) {
  std::string what = "'" + name + "_format'";
  auto text = constantString(sema, value, what);
  if (!text)
    return std::nullopt;
  constexpr std::pair<std::string_view, Format> kFormats[] = {{"e2m1", Format::E2M1},
                                                              {"e4m3", Format::E4M3},
                                                              {"e5m2", Format::E5M2},
                                                              {"bf16", Format::BF16},
                                                              {"fp16", Format::FP16}};
  for (auto [spelling, format] : kFormats)
    if (*text == spelling)
      return format;
  return sema.error(what +
                    " of tl.dot_scaled must be one of 'e2m1', 'e4m3', 'e5m2', 'bf16', "
                    "'fp16', found '" +
                    *text + "'");
}

static DType numberType(Format format) {
  switch (format) {
  case Format::E2M1:
    return {DTypeKind::UInt8};
  case Format::E4M3:
    return {DTypeKind::Float8E4NV};
  case Format::E5M2:
    return {DTypeKind::Float8E5};
  case Format::BF16:
    return {DTypeKind::BFloat16};
  case Format::FP16:
    break;
  }
  return {DTypeKind::Float16};
}

/// The tile in the type of its format; unsigned integers are taken by their bits.
static std::optional<Tensor> asNumbers(Sema &sema, const Tensor &tile, Format format,
                                       const std::string &name) {
  DType wanted = numberType(format), bits = integerType(wanted.bits(), false);
  if (tile.dtype == wanted)
    return tile;
  if (tile.dtype == bits)
    return sema.bitcast(tile, wanted);
  std::string allowed = describeType(wanted);
  if (format == Format::E2M1)
    allowed += ", two numbers in each";
  else
    allowed += ", or their bits as " + describeType(bits);
  return sema.error("the " + name + " of tl.dot_scaled in this format has elements of " + allowed +
                    "; found " + describe(tile));
}

/// Reads tile, format and packing of one side.
static std::optional<Side> readSide(Sema &sema, bool isLhs, const Value &tile, const Value &format,
                                    const Value &kPack) {
  Side side;
  side.isLhs = isLhs;
  side.name = isLhs ? "lhs" : "rhs";
  auto tensor = sema.toTensor(tile);
  auto known = tensor ? readFormat(sema, format, side.name) : std::nullopt;
  auto packs = known ? constantBool(sema, kPack, "'" + side.name + "_k_pack'") : std::nullopt;
  if (!packs)
    return std::nullopt;
  auto numbers = asNumbers(sema, *tensor, *known, side.name);
  if (!numbers)
    return std::nullopt;
  if (!*packs && *known != Format::E2M1)
    return sema.error("'" + side.name +
                      "_k_pack=False' says along which dimension two numbers are "
                      "packed into a byte, which only 'e2m1' does");
  side.tile = *numbers;
  side.format = *known;
  side.kPack = *packs;
  side.shape.assign(numbers->shape().begin(), numbers->shape().end());
  if (side.rank() != 2 && side.rank() != 3)
    return sema.error("tl.dot_scaled needs tiles of rank 2, or of rank 3 for a batch, found " +
                      describe(*tensor));
  if (side.format == Format::E2M1)
    side.shape[side.packedAxis()] *= 2;
  return side;
}

static bool checkExtents(Sema &sema, const Side &lhs, const Side &rhs) {
  auto complain = [&](const std::string &rule) {
    sema.error(rule + ": lhs is " + describeShape(lhs.shape) + " and rhs is " +
               describeShape(rhs.shape) + ", counted in numbers");
    return false;
  };
  if (lhs.rank() != rhs.rank())
    return complain("the operands of tl.dot_scaled must have one rank");
  if (lhs.shape[lhs.kAxis()] != rhs.shape[rhs.kAxis()])
    return complain("the inner extents of tl.dot_scaled must agree");
  if (lhs.rank() == 3 && lhs.shape[0] != rhs.shape[0])
    return complain("the batch extents of tl.dot_scaled must agree");
  bool mixes = (lhs.format == Format::BF16 && rhs.format == Format::FP16) ||
               (lhs.format == Format::FP16 && rhs.format == Format::BF16);
  if (mixes) {
    sema.error("tl.dot_scaled multiplies either in bfloat16 or in float16, found one operand of "
               "each; convert one of them with .to()");
    return false;
  }
  return true;
}

/// Reads the scales of one side: one for each group along K.
static bool readScale(Sema &sema, Side &side, const Value &value) {
  if (value.isNone())
    return true;
  auto scale = sema.toTensor(value);
  if (!scale)
    return false;
  std::string what = "the " + side.name + "_scale of tl.dot_scaled";
  bool isFloating = is(scale->dtype, DTypeKind::Float8E4NV);
  bool isPower = is(scale->dtype, DTypeKind::UInt8) || is(scale->dtype, DTypeKind::Int8);
  if (!isPower && !(isFloating && side.format == Format::E2M1)) {
    sema.error(what + " has exponents of powers of two (e8m0) as uint8" +
               (side.format == Format::E2M1 ? ", or float8e4nv" : "") + "; found " +
               describe(value));
    return false;
  }
  int64_t k = side.shape[side.kAxis()];
  auto shapeOf = [&](int64_t group) {
    llvm::SmallVector<int64_t> shape(side.shape);
    shape[side.rank() - 2] = side.shape[side.otherAxis()];
    shape[side.rank() - 1] = k / group;
    return shape;
  };
  for (int64_t group : {32, 16})
    if (k % group == 0 && scale->shape() == llvm::ArrayRef<int64_t>(shapeOf(group))) {
      side.scale = scale;
      return true;
    }
  std::string wanted = k % 16 ? "but K is " + std::to_string(k) + ", which 16 does not divide"
                              : "which is " + (k % 32 ? "" : describeShape(shapeOf(32)) + " or ") +
                                    describeShape(shapeOf(16));
  sema.error(what + " must have one scale for 32 or 16 numbers along K, with K last, " + wanted +
             "; found " + describe(value));
  return false;
}

static Tensor repeated(Sema &sema, const Tensor &x, int axis, int64_t count) {
  Tensor wide = sema.expandDims(x, axis);
  llvm::SmallVector<int64_t> shape(wide.shape());
  shape[axis] = count;
  return *sema.broadcastTo(wide, shape);
}

static Tensor arithmetic(Sema &sema, BinaryOp op, const Tensor &x, Constant::Int y) {
  return build::arithmetic(sema, op, {x, *sema.constant({y}, x.dtype, x.shape())});
}

/// Bytes as the two numbers in each, the lower half first: their bits in float16, whose exponents
/// begin 2^14 lower than those of e2m1. Absent after an error.
static std::optional<Tensor> unpacked(Sema &sema, const Side &side) {
  int axis = side.packedAxis() + 1;
  DType bits{DTypeKind::UInt16};
  Tensor pairs = *sema.cast(repeated(sema, side.tile, axis, 2), bits);
  Tensor places = *sema.cast(positionsAlong(sema, 2, axis, pairs.shape().size()), bits);
  Tensor shifts = *sema.broadcastTo(arithmetic(sema, BinaryOp::Shl, places, 2), pairs.shape());
  Tensor codes = build::arithmetic(sema, BinaryOp::Shr, {pairs, shifts});
  Tensor magnitude =
      arithmetic(sema, BinaryOp::Shl, arithmetic(sema, BinaryOp::BitAnd, codes, 7), 9);
  Tensor sign = arithmetic(sema, BinaryOp::Shl, arithmetic(sema, BinaryOp::BitAnd, codes, 8), 12);
  auto halves = sema.bitcast(build::arithmetic(sema, BinaryOp::BitOr, {magnitude, sign}),
                             {DTypeKind::Float16});
  return sema.reshape(*halves, side.shape);
}

/// Exponents of powers of two as these powers, 2^-127 to 2^127; the code 255 as NaN.
static Tensor powers(Sema &sema, const Tensor &exponents) {
  DType byte{DTypeKind::UInt8}, word{DTypeKind::UInt32};
  Tensor codes = *sema.bitcast(exponents, byte);
  Tensor bits = arithmetic(sema, BinaryOp::Shl, *sema.cast(codes, word), 23);
  // 2^-127 is half the smallest normal number, and NaN has the same bit set where infinity has
  // none: what is added for both ends is one.
  Tensor next = arithmetic(sema, BinaryOp::Add, codes, 1);
  Tensor isEnd = build::compare(sema, CompareOp::Le,
                                {next, *sema.constant({Constant::Int(1)}, byte, next.shape())});
  Tensor marked = arithmetic(sema, BinaryOp::BitOr, bits, 0x400000);
  return *sema.bitcast(build::select(sema, isEnd, {marked, bits}), kFloat32);
}

/// The scales in float32, one for each number.
static std::optional<Tensor> scalesOf(Sema &sema, const Side &side) {
  const Tensor &scale = *side.scale;
  Tensor values = isFloat8(scale.dtype) ? *sema.cast(scale, kFloat32) : powers(sema, scale);
  int last = side.rank() - 1;
  llvm::SmallVector<int64_t> shape(scale.shape());
  int64_t k = side.shape[side.kAxis()];
  Tensor groups = repeated(sema, values, last + 1, k / shape[last]);
  shape[last] = k;
  auto each = sema.reshape(groups, shape);
  if (!each || side.isLhs)
    return each;
  llvm::SmallVector<int32_t> order;
  for (int axis = 0; axis < side.rank(); ++axis)
    order.push_back(axis);
  std::swap(order[side.rank() - 2], order[side.rank() - 1]);
  return sema.transpose(*each, order);
}

/// One side in the type that is multiplied in.
static std::optional<Tensor> operand(Sema &sema, const Side &side, DType dtype) {
  bool isPacked = side.format == Format::E2M1;
  auto numbers = isPacked ? unpacked(sema, side) : side.tile;
  if (!numbers)
    return std::nullopt;
  if (!isPacked && !side.scale)
    return sema.cast(*numbers, dtype);
  Tensor wide = *sema.cast(*numbers, kFloat32);
  if (isPacked)
    wide = build::arithmetic(sema, BinaryOp::Mul,
                             {wide, *sema.constant({0x1p14}, kFloat32, wide.shape())});
  if (side.scale) {
    auto scales = scalesOf(sema, side);
    if (!scales)
      return std::nullopt;
    wide = build::arithmetic(sema, BinaryOp::Mul, {wide, *scales});
  }
  return sema.cast(wide, dtype);
}

/// dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc, fast_math, lhs_k_pack,
/// rhs_k_pack, out_dtype). NaN scales cost nothing, so that `fast_math` has nothing to leave out.
static Result dotScaled(Sema &sema, const BoundArguments &args) {
  auto lhs = readSide(sema, true, args[0], args[2], args[8]);
  auto rhs = lhs ? readSide(sema, false, args[3], args[5], args[9]) : std::nullopt;
  if (!rhs || !checkExtents(sema, *lhs, *rhs) || !readScale(sema, *lhs, args[1]) ||
      !readScale(sema, *rhs, args[4]))
    return std::nullopt;
  if (!constantBool(sema, args[7], "'fast_math'"))
    return std::nullopt;
  auto out = args[10].isNone() ? kFloat32 : dtypeArgument(sema, args[10], "'out_dtype'");
  if (!out)
    return std::nullopt;
  if (*out != kFloat32)
    return sema.error("the 'out_dtype' of tl.dot_scaled must be tl.float32, found " +
                      describeType(*out) + "; convert the result with .to()");
  llvm::SmallVector<int64_t> shape(lhs->shape);
  shape.back() = rhs->shape.back();
  auto c = accumulator(sema, args[6], kFloat32, shape, "tl.dot_scaled");
  bool isHalf = lhs->format == Format::FP16 || rhs->format == Format::FP16;
  DType dtype{isHalf ? DTypeKind::Float16 : DTypeKind::BFloat16};
  auto a = c ? operand(sema, *lhs, dtype) : std::nullopt;
  auto b = a ? operand(sema, *rhs, dtype) : std::nullopt;
  if (!b)
    return std::nullopt;
  return Value(build::dot(sema, *a, *b, *c));
}

void sema::addDotScaledBuiltins(Registry &registry) {
  registry.add("dot_scaled",
               "lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, "
               "fast_math=False, lhs_k_pack=True, rhs_k_pack=True, out_dtype=tl.float32",
               dotScaled);
}
