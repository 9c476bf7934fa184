//===- AssemblyReader.cpp - assembly as LLVM's instructions ---------------===//

#include "AssemblyReader.h"

#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Triple.h"

#include <map>

using namespace llvm;

namespace tritium::cpu {

namespace {
/// Takes instructions, labels and lines out of what is parsed.
class Recorder : public MCStreamer {
public:
  Recorder(MCContext &context, SourceMgr &sources, Assembly &assembly)
      : MCStreamer(context), sources(sources), assembly(assembly) {}

  void emitInstruction(const MCInst &instruction, const MCSubtargetInfo &) override {
    assembly.code.push_back(instruction);
    assembly.places.push_back({sources.getLineAndColumn(instruction.getLoc()).first, here});
  }
  void emitLabel(MCSymbol *symbol, SMLoc at) override {
    MCStreamer::emitLabel(symbol, at);
    assembly.labels[symbol] = assembly.code.size();
  }
  Expected<unsigned> tryEmitDwarfFileDirective(unsigned number, StringRef folder, StringRef name,
                                               std::optional<MD5::MD5Result> checksum,
                                               std::optional<StringRef> source,
                                               unsigned unit) override {
    SmallString<128> path(sys::path::is_absolute(name) ? "" : folder);
    sys::path::append(path, name);
    files[number] = path.str().str();
    return MCStreamer::tryEmitDwarfFileDirective(number, folder, name, checksum, source, unit);
  }
  void emitDwarfLocDirective(unsigned file, unsigned line, unsigned, unsigned, unsigned, unsigned,
                             StringRef) override {
    here = line ? CodeLine{files[file], line} : CodeLine();
  }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
  void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {}

private:
  SourceMgr &sources;
  Assembly &assembly;
  std::map<unsigned, std::string> files;
  CodeLine here;
};

/// The first error of a parser, in `error`.
void keepFirst(const SMDiagnostic &found, void *error) {
  auto &text = *static_cast<std::string *>(error);
  if (text.empty() && found.getKind() == SourceMgr::DK_Error)
    text = ("line " + Twine(found.getLineNo()) + " of the assembly: " + found.getMessage()).str();
}
} // namespace

InstructionTables::InstructionTables(const TargetInfo &info) {
  std::string ignored;
  target = TargetRegistry::lookupTarget(info.triple, ignored);
  if (!target)
    return;
  registers.reset(target->createMCRegInfo(info.triple));
  syntax.reset(target->createMCAsmInfo(*registers, info.triple, options));
  instructions.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(info.triple, info.cpu, info.features));
  analysis.reset(target->createMCInstrAnalysis(instructions.get()));
}

bool Assembly::read(const std::string &text, std::string &error) {
  error.clear();
  if (!tables.target || !tables.target->hasMCAsmParser()) {
    error = "no assembly of this CPU can be read";
    return false;
  }
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text), SMLoc());
  sources.setDiagHandler(keepFirst, &error);
  context = std::make_unique<MCContext>(tables.subtarget->getTargetTriple(), tables.syntax.get(),
                                        tables.registers.get(), tables.subtarget.get(), &sources,
                                        &tables.options);
  sections.reset(tables.target->createMCObjectFileInfo(*context, /*PIC=*/true));
  context->setObjectFileInfo(sections.get());
  Recorder recorder(*context, sources, *this);
  // Directives of the target go there; the streamer owns it.
  tables.target->createNullTargetStreamer(recorder);
  std::unique_ptr<MCAsmParser> parser(
      createMCAsmParser(sources, *context, recorder, *tables.syntax));
  std::unique_ptr<MCTargetAsmParser> ofTarget(tables.target->createMCAsmParser(
      *tables.subtarget, *parser, *tables.instructions, tables.options));
  parser->setTargetParser(*ofTarget);
  bool failed = parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true);
  sources.setDiagHandler(nullptr);
  if (failed && error.empty())
    error = "the assembly cannot be read";
  return error.empty();
}

} // namespace tritium::cpu
