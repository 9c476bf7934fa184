//===- Fragments.cpp - what ldmatrix and stmatrix can move ------------------===//

#include "tritium/Layout/Fragments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace tritium {

namespace {
constexpr uint64_t kRowMask = 15;

/// All bases but those at the positions `inner` of registers and lanes lead to rows.
bool leadToRows(const LinearLayout &map, uint64_t innerRegisters, uint64_t innerLanes) {
  for (const LinearLayout::Input &input : map.getInputs())
    for (auto [i, base] : enumerate(input.bases)) {
      bool isInner = input.name == kRegister ? innerRegisters >> i & 1
                     : input.name == kLane   ? innerLanes >> i & 1
                                             : false;
      if (!isInner && (base & kRowMask))
        return false;
    }
  return true;
}
} // namespace

unsigned MatrixLoad::registerOf(unsigned instruction, unsigned matrix, unsigned element) const {
  unsigned n = (instruction * matrices + matrix) * elementsPerWord + element, result = 0;
  for (auto [b, bit] : enumerate(registerBits))
    result |= (n >> b & 1) << bit;
  return result;
}

std::optional<MatrixLoad> planMatrixLoad(const LinearLayout &map, unsigned elementBytes,
                                         uint64_t late) {
  ArrayRef<uint64_t> registers = map.bases(kRegister), lanes = map.bases(kLane);
  if (lanes.size() != 5 || elementBytes > 4)
    return std::nullopt;
  MatrixLoad load;
  load.elementsPerWord = 4 / elementBytes;
  unsigned inner = Log2_32(load.elementsPerWord);
  if (registers.size() < inner)
    return std::nullopt;
  // Bit i of a row's number within its matrix, as an offset.
  SmallVector<uint64_t, 3> rows;
  auto isPlain = [&] {
    for (unsigned i = 0; i < inner; ++i)
      if (registers[i] != uint64_t(elementBytes) << i)
        return false;
    return lanes[0] == 4 && lanes[1] == 8 && leadToRows(map, (1u << inner) - 1, 3);
  };
  auto isTransposed = [&] {
    return elementBytes == 2 && lanes[2] == 2 && lanes[3] == 4 && lanes[4] == 8 &&
           leadToRows(map, 0, 28);
  };
  if (isPlain()) {
    rows = {lanes[2], lanes[3], lanes[4]};
  } else if (isTransposed()) {
    load.transposed = true;
    rows = {registers[0], lanes[0], lanes[1]};
  } else {
    return std::nullopt;
  }
  for (unsigned bit = 0; bit < registers.size(); ++bit)
    load.registerBits.push_back(bit);
  std::stable_partition(load.registerBits.begin() + inner, load.registerBits.end(),
                        [&](unsigned bit) { return !(late >> bit & 1); });
  SmallVector<uint64_t, 8> inOrder;
  for (unsigned bit : ArrayRef(load.registerBits).drop_front(inner))
    inOrder.push_back(registers[bit]);
  ArrayRef<uint64_t> others = inOrder;
  unsigned selectors = std::min<size_t>(2, others.size());
  load.matrices = 1u << selectors;
  LinearLayout::Input reg{kRegister, {}}, lane{kLane, {}}, warp{kWarp, {}};
  lane.bases.append(rows.begin(), rows.end());
  lane.bases.append(others.begin(), others.begin() + selectors);
  lane.bases.resize(5, 0);
  reg.bases.append(others.begin() + selectors, others.end());
  ArrayRef<uint64_t> warps = map.bases(kWarp);
  warp.bases.append(warps.begin(), warps.end());
  load.addresses = LinearLayout({reg, lane, warp}, SmallVector<unsigned, 4>(map.dimBits()));
  return load;
}

} // namespace tritium
