//===- Emitter.h - short spellings for LLVM operations ----------*- C++ -*-===//
//
// Scalars only. A predicate is an i1; a null predicate means true.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_EMITTER_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_EMITTER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tritium::ttg {

class Emitter {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  Emitter(mlir::OpBuilder &b, mlir::Location &loc) : b(b), loc(loc) {}

  mlir::OpBuilder &b;
  mlir::Location &loc;

  /// `emit` for the midst of another operation: what it emits stands at the source line of the
  /// one that is lowered now.
  template <typename F> auto atThisLine(F emit) {
    return [this, line = loc, emit = std::move(emit)](auto &&...arguments) {
      mlir::Location other = std::exchange(loc, line);
      emit(arguments...);
      loc = other;
    };
  }

  Type intType(unsigned bits) { return b.getIntegerType(bits); }
  Type pointerType(unsigned addressSpace) {
    return mlir::LLVM::LLVMPointerType::get(b.getContext(), addressSpace);
  }

  Value constant(Type type, int64_t value) {
    return b.create<mlir::LLVM::ConstantOp>(loc, type, b.getIntegerAttr(type, value));
  }
  Value constant(mlir::TypedAttr value) {
    return b.create<mlir::LLVM::ConstantOp>(loc, value.getType(), value);
  }
  Value i32(int64_t value) { return constant(b.getI32Type(), value); }
  Value i64(int64_t value) { return constant(b.getI64Type(), value); }
  Value boolean(bool value) { return constant(b.getI1Type(), value); }
  Value number(Type type, double value) {
    return b.create<mlir::LLVM::ConstantOp>(loc, type, b.getFloatAttr(type, value));
  }
  Value zero(Type type) { return b.create<mlir::LLVM::ZeroOp>(loc, type); }
  Value undef(Type type) { return b.create<mlir::LLVM::UndefOp>(loc, type); }

  template <typename Op> Value binary(Value x, Value y) {
    return b.create<Op>(loc, x.getType(), x, y);
  }
  Value add(Value x, Value y) { return binary<mlir::LLVM::AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<mlir::LLVM::SubOp>(x, y); }
  Value mul(Value x, Value y) { return binary<mlir::LLVM::MulOp>(x, y); }
  Value iand(Value x, Value y) { return binary<mlir::LLVM::AndOp>(x, y); }
  Value ior(Value x, Value y) { return binary<mlir::LLVM::OrOp>(x, y); }
  Value ixor(Value x, Value y) { return binary<mlir::LLVM::XOrOp>(x, y); }
  Value shl(Value x, int64_t amount) {
    return amount ? binary<mlir::LLVM::ShlOp>(x, constant(x.getType(), amount)) : x;
  }
  Value shr(Value x, int64_t amount) {
    return amount ? binary<mlir::LLVM::LShrOp>(x, constant(x.getType(), amount)) : x;
  }
  /// x + c where the sum is known not to wrap.
  Value offset(Value x, int64_t c) {
    if (c == 0)
      return x;
    auto op = b.create<mlir::LLVM::AddOp>(loc, x, constant(x.getType(), c));
    op.setOverflowFlags(mlir::LLVM::IntegerOverflowFlags::nsw |
                        mlir::LLVM::IntegerOverflowFlags::nuw);
    return op;
  }
  Value cmp(mlir::LLVM::ICmpPredicate predicate, Value x, Value y) {
    return b.create<mlir::LLVM::ICmpOp>(loc, predicate, x, y);
  }
  Value equals(Value x, int64_t c) {
    return cmp(mlir::LLVM::ICmpPredicate::eq, x, constant(x.getType(), c));
  }
  Value select(Value condition, Value x, Value y) {
    return b.create<mlir::LLVM::SelectOp>(loc, condition, x, y);
  }
  /// Both predicates; null is true.
  Value both(Value x, Value y) { return !x ? y : !y ? x : iand(x, y); }

  Value bitcast(Value x, Type type) {
    if (auto cast = x.getDefiningOp<mlir::LLVM::BitcastOp>();
        cast && cast.getArg().getType() == type)
      return cast.getArg();
    return x.getType() == type ? x : b.create<mlir::LLVM::BitcastOp>(loc, type, x).getResult();
  }
  Value zext(Value x, unsigned bits) {
    return x.getType().getIntOrFloatBitWidth() == bits
               ? x
               : b.create<mlir::LLVM::ZExtOp>(loc, intType(bits), x).getResult();
  }
  Value trunc(Value x, unsigned bits) {
    return x.getType().getIntOrFloatBitWidth() == bits
               ? x
               : b.create<mlir::LLVM::TruncOp>(loc, intType(bits), x).getResult();
  }
  Value fpext(Value x, Type type) { return b.create<mlir::LLVM::FPExtOp>(loc, type, x); }
  Value fptrunc(Value x, Type type) { return b.create<mlir::LLVM::FPTruncOp>(loc, type, x); }

  Value intrinsic(llvm::StringRef name, Type result, mlir::ValueRange operands) {
    return b
        .create<mlir::LLVM::CallIntrinsicOp>(loc, result, b.getStringAttr(name), operands,
                                             mlir::LLVM::FastmathFlagsAttr())
        .getResults();
  }

  /// base + index elements of `element`.
  Value gep(Value base, Type element, Value index) {
    return b.create<mlir::LLVM::GEPOp>(loc, base.getType(), element, base,
                                       llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  }
  Value gep(Value base, Type element, int32_t index) {
    if (index == 0)
      return base;
    return b.create<mlir::LLVM::GEPOp>(loc, base.getType(), element, base,
                                       llvm::ArrayRef<mlir::LLVM::GEPArg>{index});
  }

  /// Inline assembly with side effects, which keeps its place among others. `result` may
  /// be null.
  Value assembly(Type result, llvm::StringRef text, llvm::StringRef constraints,
                 mlir::ValueRange operands, bool hasSideEffects = true) {
    auto op = b.create<mlir::LLVM::InlineAsmOp>(
        loc, result ? mlir::TypeRange(result) : mlir::TypeRange(), operands, text, constraints,
        hasSideEffects, /*is_align_stack=*/false,
        mlir::LLVM::AsmDialectAttr::get(b.getContext(), mlir::LLVM::AsmDialect::AD_ATT),
        mlir::ArrayAttr());
    return result ? op.getRes() : Value();
  }
  /// How stores are kept from being run, which ptxas must not see: no lane has the condition.
  enum class NotRun {
    ByPredicate,     ///< of each: of many ptxas makes branches that are taken
    ByBranch,        ///< around all of them
    ByBranchOfWords, ///< around stores of a word each: a single one of a vector has a predicate
    ByBranchToTheEnd ///< there the kernel ends. What comes behind stays behind; beside the products
                     ///< of a loop, whose sums would be copied, that takes too many registers
  };
  /// Assembly that reads `operands`, registers of 32 bits, by their numbers, as ptxas must believe.
  static std::string readNever(llvm::ArrayRef<size_t> operands, NotRun how);
  /// The bits of f32 `x` rounded to tf32, ties away from zero.
  Value roundToTF32(Value x) {
    return assembly(b.getI32Type(), "cvt.rna.tf32.f32 $0, $1;", "=r,f", {x},
                    /*hasSideEffects=*/false);
  }
  Value extract(Value aggregate, int64_t i) {
    return b.create<mlir::LLVM::ExtractValueOp>(loc, aggregate, i);
  }

  /// The condition holds for some lane of the warp, all of which come here.
  Value anyLane(Value condition) {
    return intrinsic("llvm.nvvm.vote.any.sync", intType(1), {i32(-1), condition});
  }

  Value anyOf(llvm::ArrayRef<Value> conditions);

  /// Elements packed into words of at most 32 bits (or 64), the lowest first.
  llvm::SmallVector<Value> pack(llvm::ArrayRef<Value> elements, unsigned wordBits);
  llvm::SmallVector<Value> unpack(Value word, unsigned elementBits);

  /// The value of the lane whose number differs from this one's by the bits of `mask`.
  Value shuffleXor(Value x, int mask);
  /// The value of lane `lane`.
  Value shuffleIndex(Value x, Value lane);

private:
  Value shuffle(Value x, Value offset, mlir::NVVM::ShflKind kind);
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_EMITTER_H
