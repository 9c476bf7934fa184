//===- Requirements.cpp - the oldest GPU that has an instruction ----------===//
//
// Only what is newer than sm_70; from the "Target ISA Notes" of the PTX manual.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

namespace {

struct Requirement {
  std::string_view opcode;
  std::string_view modifiers; ///< all of these, separated by spaces; "": whatever it has
  unsigned least;
};

constexpr Requirement requirements[] = {
    {"cp", "async", 80},
    {"ldmatrix", "", 75},
    {"stmatrix", "", 90},
    {"elect", "", 90},
    {"griddepcontrol", "", 90},
    {"mbarrier", "", 80},
    {"redux", "", 80},
    {"redux", "f32", 100},
    {"createpolicy", "", 80},
    {"mma", "", 75},
    {"mma", "m16n8k16", 80},
    {"mma", "m16n8k4", 80},
    {"mma", "m8n8k4 f64", 80},
    {"mma", "m16n8k4 f64", 90},
    {"mma", "m16n8k32", 80},
    {"mma", "m16n8k64", 80},
    {"mma", "bf16", 80},
    {"mma", "tf32", 80},
    {"mma", "e4m3", 89},
    {"mma", "e5m2", 89},
    {"mma", "m16n8k8 f64", 90},
    {"mma", "m16n8k16 f64", 90},
    {"tanh", "", 75},
    {"tanh", "bf16", 90},
    {"tanh", "bf16x2", 90},
    {"ex2", "f16", 75},
    {"ex2", "f16x2", 75},
    {"ex2", "bf16", 90},
    {"ex2", "bf16x2", 90},
    {"add", "bf16", 90},
    {"add", "bf16x2", 90},
    {"sub", "bf16", 90},
    {"sub", "bf16x2", 90},
    {"mul", "bf16", 90},
    {"mul", "bf16x2", 90},
    {"fma", "bf16", 80},
    {"fma", "bf16x2", 80},
    {"fma", "relu", 80},
    {"min", "f16", 80},
    {"min", "f16x2", 80},
    {"min", "bf16", 80},
    {"min", "bf16x2", 80},
    {"min", "NaN", 80},
    {"max", "f16", 80},
    {"max", "f16x2", 80},
    {"max", "bf16", 80},
    {"max", "bf16x2", 80},
    {"max", "NaN", 80},
    {"min", "xorsign", 86},
    {"max", "xorsign", 86},
    {"min", "u16x2", 90},
    {"max", "u16x2", 90},
    {"add", "u16x2", 90},
    {"add", "s16x2", 90},
    {"neg", "bf16", 80},
    {"neg", "bf16x2", 80},
    {"abs", "bf16", 80},
    {"abs", "bf16x2", 80},
    {"cvt", "bf16", 80},
    {"cvt", "bf16x2", 80},
    {"cvt", "tf32", 80},
    {"cvt", "relu", 80},
    {"cvt", "e4m3x2", 89},
    {"cvt", "e5m2x2", 89},
    {"atom", "bf16", 90},
    {"atom", "bf16x2", 90},
    {"red", "bf16", 90},
    {"red", "bf16x2", 90},
    {"atom", "v2", 90},
    {"atom", "v4", 90},
    {"red", "v2", 90},
    {"red", "v4", 90},
    {"red", "v8", 90},
    {"fence", "proxy", 90},
    {"fence", "cluster", 90},
    {"barrier", "cluster", 90},
    {"cp", "bulk", 90},
    {"mbarrier", "try_wait", 90},
    {"mbarrier", "expect_tx", 90},
    {"mbarrier", "complete_tx", 90},
    {"mbarrier", "cluster", 90},
    {"fence", "mbarrier_init", 90},
    {"prefetch", "tensormap", 90},
    {"tensormap", "", 90},
    {"mapa", "", 90},
    {"setmaxnreg", "", 90},
    {"wgmma", "", 90},
};

bool hasAll(const Instruction &instruction, std::string_view wanted) {
  while (!wanted.empty()) {
    size_t space = wanted.find(' ');
    std::string_view one = wanted.substr(0, space);
    if (std::find(instruction.modifiers.begin(), instruction.modifiers.end(), one) ==
        instruction.modifiers.end())
      return false;
    wanted = space == std::string_view::npos ? "" : wanted.substr(space + 1);
  }
  return true;
}

} // namespace

unsigned tritium::sim::leastArchitecture(const Instruction &instruction) {
  unsigned least = 0;
  for (const Requirement &requirement : requirements)
    if (requirement.opcode == instruction.opcode && requirement.least > least &&
        hasAll(instruction, requirement.modifiers))
      least = requirement.least;
  return least;
}
