//===- ToLLVM.cpp - structured CPU code to the LLVM dialect ---------------===//
//
// Two conversions: scf to branches, then everything at once to the LLVM dialect. The
// first stands alone because the conversion of a function fixes the types of its blocks,
// so the blocks that a loop becomes must exist by then.
//
// A loop that is known to run once at least tests at its end. Most loops over a tile are
// such, and consist of one block then: what is invariant in it may be hoisted, a load too.
//
//===----------------------------------------------------------------------===//

#include "tritium/Conversion/TileToCPU/ToLLVM.h"
#include "Polls.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;

namespace {

/// The value of a constant of any integer type.
std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  return attribute.getValue().getSExtValue();
}

/// for (i = lower; i < upper; i += step) body   with lower < upper
///   ->   i = lower;  do { body; i += step; } while (i < upper)
struct CountedLoop : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::ForOp op, PatternRewriter &rewriter) const override {
    auto lower = constantOf(op.getLowerBound()), upper = constantOf(op.getUpperBound());
    auto step = constantOf(op.getStep());
    // i + step must not wrap, or the last comparison is wrong.
    if (!lower || !upper || !step || *lower >= *upper || *step <= 0 ||
        *upper > std::numeric_limits<int32_t>::max() || *step > std::numeric_limits<int32_t>::max())
      return failure();
    Location loc = op.getLoc();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, Block::iterator(op));
    Block *first = &op.getRegion().front(), *last = &op.getRegion().back();
    rewriter.inlineRegionBefore(op.getRegion(), after);

    rewriter.setInsertionPointToEnd(before);
    SmallVector<Value> start{op.getLowerBound()};
    llvm::append_range(start, op.getInitArgs());
    rewriter.create<cf::BranchOp>(loc, first, start);

    Operation *yield = last->getTerminator();
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> results(yield->getOperands());
    Value next = rewriter.create<arith::AddIOp>(loc, first->getArgument(0), op.getStep());
    Value again =
        rewriter.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, next, op.getUpperBound());
    SmallVector<Value> carried{next};
    llvm::append_range(carried, results);
    // The values leave through arguments: those of the last round.
    SmallVector<Value> left;
    for (Value result : results)
      left.push_back(after->addArgument(result.getType(), loc));
    rewriter.create<cf::CondBranchOp>(loc, again, first, carried, after, results);
    rewriter.eraseOp(yield);
    rewriter.replaceOp(op, left);
    return success();
  }
};

LogicalResult convertLoops(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  patterns.add<CountedLoop>(context, /*benefit=*/2);
  ConversionTarget target(*context);
  target.addIllegalOp<scf::ForOp, scf::IfOp, scf::IndexSwitchOp, scf::WhileOp,
                      scf::ExecuteRegionOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

} // namespace

LogicalResult tritium::cpu::convertToLLVMDialect(ModuleOp module) {
  module.getContext()->loadDialect<cf::ControlFlowDialect, LLVM::LLVMDialect>();
  if (failed(convertLoops(module)))
    return failure();
  expandPolls(module);

  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns,
                                         /*reassociateFPReductions=*/true);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}
