//===- Code.h - decoded functions ------------------------------*- C++ -*-===//

#ifndef TRITIUM_SIMULATOR_CODE_H
#define TRITIUM_SIMULATOR_CODE_H

#include "Pace.h"
#include "tritium/Simulator/Simulator.h"

#include <deque>
#include <vector>

namespace tritium::sim {

struct Warp;
struct Op;
using Handler = void (*)(Warp &, const Op &);
inline constexpr uint32_t none = ~0u;
inline constexpr uint32_t allLanes = ~0u;

/// One decoded instruction. Operands are offsets into the frame's registers.
struct Op {
  Handler run = nullptr;
  uint32_t guard = none;
  bool guardNegated = false;
  bool tracked = false; ///< d and e are undefined where a, b or c is
  /// Or d is bytes of a and b: bytesFrom[i] names one of the eight bytes of {b, a}.
  bool movesBytes = false;
  bool ofCluster = false; ///< reaches the shared memory of other CTAs of the cluster
  uint8_t bytesFrom[4] = {};
  uint8_t bytes = 0; ///< of an element in memory
  uint8_t count = 1; ///< elements of a vector
  InstructionClass kind = InstructionClass::Other;
  ptx::Space space = ptx::Space::Generic;
  bool strong = false, acquires = false, releases = false, signExtend = false;
  bool bypasses = false; ///< the first cache
  uint32_t d = none, e = none, a = none, b = none, c = none;
  uint32_t target = 0, reconverge = 0;
  uint32_t id = 0;                ///< over all functions: index of its tally
  uint64_t offset = 0;            ///< of an address; otherwise the instruction's immediate
  const uint32_t *list = nullptr; ///< further operands
  const ptx::Instruction *origin = nullptr;
};

/// Where a variable of a function lives: local memory of a thread, or the frame's own
/// parameter bytes.
struct FrameVariable {
  uint32_t offset = 0;
};
struct SpecialSlot {
  enum Kind : uint8_t {
    Tid,
    Ntid,
    Ctaid,
    Nctaid,
    Lane,
    WarpId,
    NWarp,
    LaneMask,
    Smem,
    ClusterId,
    NClusterId,
    ClusterCtaid,
    ClusterNctaid,
    ClusterRank,
    ClusterNrank,
    Zero
  } kind;
  uint8_t axis; ///< LaneMask: eq le lt ge gt
  uint32_t slot;
  bool wide;
};

struct FunctionCode {
  const ptx::Function *function = nullptr;
  std::vector<Op> ops;
  uint32_t slotBytes = 0; ///< of a frame's registers
  std::vector<std::pair<uint32_t, uint64_t>> constants32, constants64;
  std::vector<SpecialSlot> specials;
  std::vector<uint32_t> registerSlots; ///< by register; none: not used
  std::vector<uint32_t> parameterOffsets, returnOffsets, variableOffsets;
  uint32_t parameterBytes = 0; ///< a lane's parameter memory (of .func and of calls)
  uint32_t localBytes = 0;
  uint32_t carry = none; ///< slot of the carry flag
  bool decoded = false;
  std::deque<std::vector<uint32_t>> lists;
  /// Of each operation but wgmma, the slots it names that wgmma names, too. Empty: there is no
  /// wgmma.
  std::vector<std::vector<uint32_t>> productRegisters;
  std::vector<OpPace> paces; ///< of each operation; empty: nobody asked for clocks
};

} // namespace tritium::sim

#endif // TRITIUM_SIMULATOR_CODE_H
