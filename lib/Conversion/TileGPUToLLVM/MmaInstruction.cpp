//===- MmaInstruction.cpp - one mma.sync ----------------------------------===//
//
// One block of c is 16x8, a step of k what Mma.h says; instructions by type:
//
//   f16            m16n8k16, on sm_75 two m16n8k8; accumulates in f32 or f16
//   bf16           m16n8k16
//   f32            tf32 m16n8k8, or parts of it in bf16 m16n8k16
//   i8             m16n8k32, on sm_75 four m8n8k16
//   f8             m16n8k32, which accumulates in f32
//   f64            m16n8k8, before sm_90 four m8n8k4
//
//===----------------------------------------------------------------------===//

#include "MmaInstruction.h"

using namespace mlir;

namespace tritium::ttg {

std::string mmaTypeName(Type type) {
  return type.isF16()            ? "f16"
         : type.isBF16()         ? "bf16"
         : type.isF32()          ? "f32"
         : type.isF64()          ? "f64"
         : type.isInteger(32)    ? "s32"
         : type.isFloat8E5M2()   ? "e5m2"
         : tt::isTileFloat(type) ? "e4m3"
                                 : "s8";
}

MmaInstruction mmaInstructionFor(tt::DotOp op, Type sum, const GPUModel &gpu) {
  Type element = op.getA().getType().getElementType(), other = op.getB().getType().getElementType();
  auto spell = [&](StringRef shape, const std::string &a, const std::string &b) {
    std::string c = mmaTypeName(sum);
    return shape.str() + ".row.col." + c + "." + a + "." + b + "." + c;
  };
  if (element.isInteger(8)) {
    std::string type = op.getIsUnsigned() ? "u8" : "s8";
    bool isWhole = gpu.hasWholeSteps;
    return {spell(isWhole ? "m16n8k32" : "m8n8k16", type, type), isWhole, isWhole, 'r'};
  }
  if (element.isF64()) {
    bool isWhole = gpu.hasWholeDoubleSteps;
    return {spell(isWhole ? "m16n8k8" : "m8n8k4", "f64", "f64"), isWhole, isWhole, 'd', 'd'};
  }
  if (element.isF32()) {
    bool isTF32 = op.getInputPrecision() == tt::InputPrecision::TF32 ||
                  op.getInputPrecision() == tt::InputPrecision::TF32x3;
    std::string type = isTF32 ? "tf32" : "bf16";
    return {spell(isTF32 ? "m16n8k8" : "m16n8k16", type, type), true, true, 'f'};
  }
  char letter = sum.isF16() ? 'r' : 'f';
  if (tt::scalarBits(element) == 8)
    return {spell("m16n8k32", mmaTypeName(element), mmaTypeName(other)), true, true, letter};
  bool isWhole = gpu.hasWholeSteps;
  return {spell(isWhole ? "m16n8k16" : "m16n8k8", mmaTypeName(element), mmaTypeName(element)), true,
          isWhole, letter};
}

std::string registerList(unsigned &next, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(next++);
  return text + "}";
}

MmaEmitter::MmaEmitter(LoweringContext &e, MmaInstruction instruction, Type sum)
    : e(e), instruction(std::move(instruction)), perRegister(sum.isF16() ? 2 : 1),
      accumulator(perRegister == 2 ? e.b.getI32Type() : sum) {}

void MmaEmitter::multiply(ArrayRef<Value> a, ArrayRef<Value> b, MutableArrayRef<Value> c) {
  unsigned rowParts = instruction.allRows ? 1 : 2, kParts = instruction.allK ? 1 : 2;
  size_t each = c.size() / rowParts;
  for (unsigned dk = 0; dk < kParts; ++dk)
    for (unsigned dm = 0; dm < rowParts; ++dm) {
      SmallVector<Value> left, right;
      for (unsigned k = 0; k < 2; ++k)
        for (unsigned row = 0; row < 2; ++row)
          if ((instruction.allK || k == dk) && (instruction.allRows || row == dm))
            left.push_back(a[2 * k + row]);
      for (unsigned k = 0; k < 2; ++k)
        if (instruction.allK || k == dk)
          right.push_back(b[k]);
      emit(left, right, c.slice(dm * each, each));
    }
}

void MmaEmitter::emit(ArrayRef<Value> a, ArrayRef<Value> b, MutableArrayRef<Value> c) {
  unsigned next = 0, none = 0;
  std::string sums = registerList(next, c.size()), left = registerList(next, a.size()),
              right = registerList(next, b.size());
  std::string text = "mma.sync.aligned." + instruction.name + " " + sums + ", " + left + ", " +
                     right + ", " + registerList(none, c.size()) + ";";
  std::string constraints;
  SmallVector<Value> operands(a);
  operands.append(b.begin(), b.end());
  for (size_t i = 0; i < c.size(); ++i)
    constraints += std::string(i ? ",=" : "=") + instruction.letter;
  for (size_t i = 0; i < operands.size(); ++i)
    constraints += std::string(",") + instruction.operandLetter;
  for (auto [i, x] : llvm::enumerate(c)) {
    constraints += "," + std::to_string(i);
    operands.push_back(x);
  }
  Type results =
      LLVM::LLVMStructType::getLiteral(e.b.getContext(), SmallVector<Type>(c.size(), accumulator));
  Value whole = e.assembly(results, text, constraints, operands, /*hasSideEffects=*/false);
  for (auto [i, x] : llvm::enumerate(c))
    x = e.extract(whole, i);
}

} // namespace tritium::ttg
