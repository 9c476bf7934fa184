//===- MmaInstruction.h - one mma.sync ----------------------------*- C++ -*-===//

#ifndef TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MMAINSTRUCTION_H
#define TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MMAINSTRUCTION_H

#include "LoweringContext.h"

namespace tritium::ttg {

struct MmaInstruction {
  std::string name;         ///< with types: "m16n8k16.row.col.f32.f16.f16.f32"
  bool allRows, allK;       ///< 16 rows, or 8; all of a step, or half of it
  char letter;              ///< of an accumulator's register: f, d or r
  char operandLetter = 'r'; ///< likewise
};

/// As instructions spell an element type: "bf16".
std::string mmaTypeName(mlir::Type type);
/// "{$4, $5}", from the number `next` on, which becomes the one behind.
std::string registerList(unsigned &next, unsigned count);

/// The one that multiplies the operands of `op` and adds up in type `sum`.
MmaInstruction mmaInstructionFor(tt::DotOp op, mlir::Type sum, const GPUModel &gpu);

/// Emits products of words.
class MmaEmitter {
public:
  MmaEmitter(LoweringContext &e, MmaInstruction instruction, mlir::Type sum);

  /// c += a b for a block. `c` are its registers in the order (g, 2t), (g, 2t + 1), (g + 8, ..);
  /// halves are packed in pairs. a[2 dk + dm], b[dk].
  void multiply(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
                llvm::MutableArrayRef<mlir::Value> c);

  unsigned elementsPerRegister() const { return perRegister; }
  mlir::Type accumulatorType() const { return accumulator; }
  bool takesTF32() const { return llvm::StringRef(instruction.name).contains("tf32"); }

private:
  void emit(llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b,
            llvm::MutableArrayRef<mlir::Value> c);

  LoweringContext &e;
  MmaInstruction instruction;
  unsigned perRegister;
  mlir::Type accumulator;
};

} // namespace tritium::ttg

#endif // TRITIUM_LIB_CONVERSION_TILEGPUTOLLVM_MMAINSTRUCTION_H
