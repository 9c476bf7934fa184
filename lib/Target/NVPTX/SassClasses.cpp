//===- SassClasses.cpp - what opcodes of machine code do ------------------===//
//
// By the tables of instructions in NVIDIA's "CUDA Binary Utilities", compute capability 7 to 12.
//
//===----------------------------------------------------------------------===//

#include "tritium/Target/NVPTX/Disassembler.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tritium::nvptx {

namespace {
const char *classOfMemory(StringRef opcode) {
  return StringSwitch<const char *>(opcode)
      .Cases("LD", "LDG", "LDGMC", "global_load")
      .Cases("ST", "STG", "global_store")
      .Cases("LDS", "LDSM", "shared_load")
      .Cases("STS", "STSM", "shared_store")
      .Cases("LDL", "STL", "local")
      .Cases("LDC", "LDCU", "ULDC", "constant")
      .Cases("ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDAS", "atomic")
      .Cases("LDGSTS", "UBLKCP", "UBLKPF", "UBLKRED", "async_copy")
      .Cases("UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "async_copy")
      .Cases("LDGDEPBAR", "UTMACMDFLUSH", "UTMACCTL", "async_group")
      .Cases("LDTM", "STTM", "UTCCP", "matrix_memory")
      .Cases("FENCE", "MEMBAR", "ERRBAR", "CCTL", "CCTLL", "fence")
      .Default(nullptr);
}

const char *classOfArithmetic(StringRef opcode) {
  return StringSwitch<const char *>(opcode)
      .Cases("HMMA", "IMMA", "BMMA", "DMMA", "QMMA", "OMMA", "matrix")
      .Cases("HGMMA", "IGMMA", "QGMMA", "BGMMA", "matrix")
      .Cases("UTCHMMA", "UTCQMMA", "UTCIMMA", "UTCOMMA", "matrix")
      .Cases("FADD", "FADD32I", "FMUL", "FMUL32I", "FFMA", "FFMA32I", "FSWZADD", "float")
      .Cases("FMNMX", "FMNMX3", "FADD2", "FMUL2", "FFMA2", "FCHK", "float")
      .Cases("HADD2", "HADD2_32I", "HMUL2", "HMUL2_32I", "HFMA2", "HFMA2_32I", "half")
      .Cases("HMNMX2", "VHMNMX", "half")
      .Cases("DADD", "DMUL", "DFMA", "double")
      .Case("MUFU", "special")
      .Cases("F2F", "F2I", "I2F", "I2I", "FRND", "convert")
      .Cases("F2FP", "I2FP", "F2IP", "I2IP", "convert")
      .Cases("FSET", "FSETP", "HSET2", "HSETP2", "DSETP", "ISETP", "PLOP3", "PSETP", "compare")
      .Cases("SEL", "FSEL", "compare")
      .Cases("IADD", "IADD3", "IADD32I", "IADD64", "IMAD", "IMUL", "IMUL32I", "integer")
      .Cases("IABS", "IMNMX", "IDP", "IDP4A", "ISCADD", "ISCADD32I", "integer")
      .Cases("LEA", "LOP", "LOP3", "LOP32I", "SHF", "SHL", "SHR", "integer")
      .Cases("BMSK", "BREV", "FLO", "POPC", "SGXT", "VABSDIFF", "VABSDIFF4", "integer")
      .Cases("VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3", "integer")
      .Default(nullptr);
}

const char *classOfTheRest(StringRef opcode) {
  return StringSwitch<const char *>(opcode)
      .Cases("MOV", "MOV32I", "MOVM", "PRMT", "P2R", "R2P", "move")
      .Cases("R2UR", "S2R", "CS2R", "S2UR", "CS2UR", "B2R", "move")
      .Cases("SHFL", "VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX", "warp_exchange")
      .Cases("BAR", "SYNCS", "UCGABAR_ARV", "UCGABAR_WAIT", "WARPGROUP", "barrier")
      .Cases("ACQBULK", "CGAERRBAR", "barrier")
      .Case("DEPBAR", "async_group")
      .Cases("WARPSYNC", "BSSY", "BSYNC", "BREAK", "BMOV", "ELECT", "ENDCOLLECTIVE", "warp_barrier")
      .Cases("BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "RET", "control")
      .Cases("EXIT", "KILL", "BPT", "NANOSLEEP", "PREEXIT", "YIELD", "control")
      .Cases("LEPC", "RPCMOV", "USETMAXREG", "WARPGROUPSET", "NOP", "PMTRIG", "control")
      .Default(nullptr);
}
} // namespace

const char *sassClass(const std::string &opcode) {
  for (auto *classOf : {classOfMemory, classOfArithmetic, classOfTheRest})
    if (const char *found = classOf(opcode))
      return found;
  // UIADD3, UMOV, USEL: what all lanes have in common is worked out once.
  return StringRef(opcode).starts_with("U") ? "uniform" : "other";
}

} // namespace tritium::nvptx
