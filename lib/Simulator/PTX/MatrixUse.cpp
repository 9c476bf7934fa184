//===- MatrixUse.cpp - what a product of matrices asks for ----------------===//

#include "tritium/Simulator/MatrixUse.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium::sim;

/// "m64n128k16".
static bool readShape(llvm::StringRef text, unsigned &m, unsigned &n, unsigned &k) {
  return text.consume_front("m") && !text.consumeInteger(10, m) && text.consume_front("n") &&
         !text.consumeInteger(10, n) && text.consume_front("k") && !text.getAsInteger(10, k);
}

std::optional<MatrixUse> tritium::sim::matrixUseOf(const ptx::Instruction &instruction) {
  bool isOfWarpGroup = instruction.opcode == "wgmma";
  if (!isOfWarpGroup && instruction.opcode != "mma")
    return std::nullopt;
  unsigned m = 0, n = 0, k = 0, elementBits = 16;
  bool hasShape = false;
  double slowness = 1;
  for (std::string_view modifier : instruction.modifiers) {
    hasShape |= !hasShape && readShape(modifier, m, n, k);
    if (modifier == "tf32")
      elementBits = 32, slowness = 2;
    else if (modifier == "f64")
      elementBits = 64, slowness = 16;
    else if (modifier == "e4m3" || modifier == "e5m2" || modifier == "s8" || modifier == "u8")
      elementBits = 8, slowness = 0.5;
  }
  if (!hasShape)
    return std::nullopt;
  MatrixUse made;
  made.isOfWarpGroup = isOfWarpGroup;
  made.slowness = slowness;
  // The four warps of a group count one each.
  double warps = isOfWarpGroup ? 4 : 1;
  made.operations = 2.0 * m * n * k / warps;
  if (isOfWarpGroup) {
    // The right operand is in shared memory; the left one, too, if it is a descriptor.
    using Operand = ptx::Operand;
    bool hasLeft =
        instruction.operands.size() > 1 && instruction.operands[1].kind == Operand::Register;
    made.sharedBytes = (double(n) + (hasLeft ? m : 0)) * k * elementBits / 8 / warps;
  }
  return made;
}
