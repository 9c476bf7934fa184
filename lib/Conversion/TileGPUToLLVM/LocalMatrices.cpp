//===- LocalMatrices.cpp - 8x8 matrices from and to shared memory ---------===//

#include "LocalMemory.h"

#include "tritium/Layout/Fragments.h"

using namespace mlir;

namespace tritium::ttg {

void LocalMemoryLowering::loadMatrix(Value address, const MatrixLoad &load, unsigned instruction,
                                     Type element, Registers &result) {
  Type word = b.getI32Type();
  Type type = load.matrices == 1 ? word
                                 : LLVM::LLVMStructType::getLiteral(
                                       b.getContext(), SmallVector<Type>(load.matrices, word));
  Value whole =
      b.create<NVVM::LdMatrixOp>(loc, type, address, load.matrices,
                                 load.transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row);
  for (unsigned j = 0; j < load.matrices; ++j) {
    Value matrix = load.matrices == 1 ? whole : extract(whole, j);
    for (auto [e, bits] : llvm::enumerate(unpack(matrix, 32 / load.elementsPerWord)))
      result[load.registerOf(instruction, j, e)] = fromMemory(bits, element);
  }
}

void LocalMemoryLowering::storeMatrix(Value predicate, Value address, const MatrixLoad &store,
                                      unsigned instruction, Type element,
                                      ArrayRef<Value> registers) {
  SmallVector<Value> operands{b.create<LLVM::PtrToIntOp>(loc, b.getI32Type(), address)};
  std::string constraints = "r", list, guard;
  for (unsigned j = 0; j < store.matrices; ++j) {
    SmallVector<Value> elements;
    for (unsigned e = 0; e < store.elementsPerWord; ++e)
      elements.push_back(toMemory(registers[store.registerOf(instruction, j, e)], element));
    operands.push_back(pack(elements, 32).front());
    constraints += ",r";
    list += (j ? ", $" : "$") + std::to_string(j + 1);
  }
  if (predicate) {
    guard = "@$" + std::to_string(operands.size()) + " ";
    operands.push_back(predicate);
    constraints += ",b";
  }
  assembly({},
           guard + "stmatrix.sync.aligned.m8n8.x" + std::to_string(store.matrices) +
               (store.transposed ? ".trans" : "") + ".shared.b16 [$0], {" + list + "};",
           constraints, operands);
}

} // namespace tritium::ttg
