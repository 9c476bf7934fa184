//===- AssemblyReader.h - assembly as LLVM's instructions -------*- C++ -*-===//

#ifndef TRITIUM_LIB_TARGET_CPU_ASSEMBLYREADER_H
#define TRITIUM_LIB_TARGET_CPU_ASSEMBLYREADER_H

#include "tritium/Target/CPU/MachineCode.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MCSymbol;
class Target;
} // namespace llvm

namespace tritium::cpu {

/// What LLVM knows of a CPU's instructions.
struct InstructionTables {
  /// Nothing is in it if the target is not there.
  explicit InstructionTables(const TargetInfo &info);

  const llvm::Target *target = nullptr;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> syntax;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
};

/// The instructions of an assembly in its order, and the labels in front of them.
class Assembly {
public:
  explicit Assembly(const InstructionTables &tables) : tables(tables) {}
  bool read(const std::string &text, std::string &error);

  std::vector<llvm::MCInst> code;
  std::vector<CodeInstruction> places;                   ///< of each of `code`
  llvm::DenseMap<const llvm::MCSymbol *, size_t> labels; ///< the instruction behind each

private:
  const InstructionTables &tables;
  // What operands of `code` point into.
  llvm::SourceMgr sources;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCObjectFileInfo> sections;
};

} // namespace tritium::cpu

#endif // TRITIUM_LIB_TARGET_CPU_ASSEMBLYREADER_H
