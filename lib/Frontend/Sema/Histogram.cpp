//===- Histogram.cpp - how often each number occurs in a tile -------------===//
//
//   counts = tl.histogram(x, bins, mask)
//
// counts what falls into a bin; all else is given a number behind the last one, which
// tt.histogram leaves out:
//
//   in = x < bins & mask                       // without a sign
//   counts = tt.histogram(in ? x : bins)
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"
#include "tritium/Frontend/Sema/Build.h"
#include "tritium/Frontend/Sema/DTypes.h"

namespace arith = mlir::arith;
using namespace tritium;
using namespace tritium::sema;

/// The elements that fall into one of `bins`, as int32, and `bins` for the others.
static std::optional<Tensor> binOf(Sema &sema, const Tensor &input, const Value &mask,
                                   int64_t bins) {
  auto wide = input.dtype.bits() < 32 ? sema.cast(input, {DTypeKind::Int32}) : input;
  // Without a sign, what is below zero is beyond the last.
  Tensor x{wide->value, integerType(wide->dtype.bits(), false)};
  Tensor limit = *sema.constant({Constant::Int(bins)}, x.dtype, x.shape());
  Tensor counts = build::compare(sema, CompareOp::Lt, {x, limit});
  if (!mask.isNone()) {
    auto given = sema.toTensor(mask);
    if (given && isFloat(given->dtype))
      return sema.error("the mask of tl.histogram must hold bools or integers, found " +
                        describe(mask));
    auto boolean = given ? sema.cast(*given, {DTypeKind::Int1}) : std::nullopt;
    auto shaped = boolean ? sema.broadcastTo(*boolean, x.shape()) : std::nullopt;
    if (!shaped)
      return std::nullopt;
    counts.value = sema.builder().create<arith::AndIOp>(sema.loc(), counts.value, shaped->value);
  }
  return sema.cast(build::select(sema, counts, {x, limit}), {DTypeKind::Int32});
}

/// histogram(input, num_bins, mask)
static Result histogram(Sema &sema, const BoundArguments &args) {
  auto input = sema.toTensor(args[0]);
  if (!input)
    return std::nullopt;
  if (input->shape().size() != 1 || !isInteger(input->dtype))
    return sema.error("tl.histogram needs a tile of integers with one dimension, found " +
                      describe(args[0]) +
                      (isInteger(input->dtype) && !input->isScalar() ? "; x.ravel() has one" : ""));
  auto bins = constantInt(sema, args[1], "the num_bins of tl.histogram");
  if (!bins)
    return std::nullopt;
  if (*bins < 1)
    return sema.error("the num_bins of tl.histogram must be 1 or more, found " +
                      std::to_string(*bins));
  auto known = sema.checkShape({*bins}) ? binOf(sema, *input, args[2], *bins) : std::nullopt;
  if (!known)
    return std::nullopt;
  mlir::Type type = sema.tensorType(known->dtype, {*bins});
  return Value(
      Tensor{sema.builder().create<tt::HistogramOp>(sema.loc(), type, known->value), known->dtype});
}

void sema::addHistogramBuiltins(Registry &registry) {
  registry.addMethod("histogram", "input, num_bins, mask=None", histogram);
}
