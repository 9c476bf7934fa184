//===- Code.cpp - a compiled kernel on the simulated GPU ------------------===//

#include "Code.h"
#include "AssertRecord.h"
#include "Files.h"
#include "GPUSlots.h"
#include "HostMemory.h"
#include "HostOutput.h"
#include "Interrupt.h"
#include "Signature.h"
#include "tritium/Kernel/AssemblyLines.h"
#include "tritium/Kernel/LaunchABI.h"
#include "tritium/Simulator/Recording.h"
#include "tritium/Simulator/TensorMap.h"
#include "tritium/Support/Diagnostics.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstdio>
#include <cstring>

using namespace tritium;
using namespace tritium::runtime;
using namespace tritium::runtime::simulator;

namespace {
/// Of what launches have besides their arguments, below what has fixed addresses.
constexpr uint64_t kSumsAddress = 0x7c0000000000, kArrivalsAddress = 0x7d0000000000,
                   kRecordAddress = 0x7e0000000000, kClocksAddress = 0x7e1000000000;
constexpr uint64_t kMostSums = uint64_t(2) << 30;
} // namespace

//===-- Loading -----------------------------------------------------------===//

std::unique_ptr<Code> Code::load(const CompiledKernel &compiled, unsigned architecture,
                                 const frontend::FunctionSource *source, CompileError &error) {
  std::unique_ptr<Code> code(new Code(compiled));
  code->architecture = architecture;
  if (source) {
    code->file = source->file;
    code->text = source->text;
    code->firstLine = source->firstLine;
    code->columnOffset = source->columnOffset;
  }
  auto ptx = compiled.stages.find("ptx");
  std::vector<sim::ptx::Error> errors;
  if (ptx != compiled.stages.end())
    code->program = sim::Program::load(ptx->second, errors);
  if (code->program)
    return code;
  std::string reason = "the compiler made no PTX";
  if (!errors.empty())
    reason = "line " + std::to_string(errors[0].at.line) + " of its PTX: " + errors[0].message;
  if (std::string place =
          errors.empty() ? "" : placeOfAssembly(ptx->second, unsigned(errors[0].at.line));
      !place.empty()) {
    error = launchError("CompilationError", place + ": error: the simulator does not take this " +
                                                "assembly: " + errors[0].message);
    return nullptr;
  }
  error = launchError("InternalError",
                      "kernel '" + compiled.metadata.name + "' cannot be simulated: " + reason);
  return nullptr;
}

//===-- Faults ------------------------------------------------------------===//

namespace {

/// Faults as diagnostics at the kernel's lines.
class FaultRenderer {
public:
  FaultRenderer(const std::string &file, const std::string &text, int firstLine, int columnOffset)
      : engine(sources) {
    if (!text.empty())
      files[file] = {sources.addFile(file, text, firstLine, columnOffset), firstLine, columnOffset};
  }

  SourceRange rangeOf(const sim::Place &place) {
    if (place.source.empty() || place.line.line == 0)
      return {};
    std::string path = place.source.substr(0, place.source.rfind(':'));
    auto [known, isNew] = files.try_emplace(path);
    if (isNew)
      known->second = {sources.addFile(path, readFile(path)), 1, 0};
    auto [number, firstLine, columnOffset] = known->second;
    std::string_view text = sources.text(number);
    size_t at = 0;
    for (int line = firstLine; line < int(place.line.line); ++line) {
      at = text.find('\n', at);
      if (at == std::string_view::npos)
        return {};
      ++at;
    }
    size_t column = std::max(int(place.line.column) - 1 - columnOffset, 0);
    SourceLoc loc{number, uint32_t(std::min(at + column, text.size()))};
    return {loc, loc};
  }

  std::string render(const Diagnostic &diagnostic) { return engine.render(diagnostic); }
  LineColumn lineColumn(SourceLoc loc) const { return sources.lineColumn(loc); }
  std::string fileOf(SourceLoc loc) const { return std::string(sources.name(loc.file)); }

private:
  struct File {
    uint32_t number;
    int firstLine, columnOffset;
  };
  SourceManager sources;
  DiagnosticEngine engine;
  std::map<std::string, File> files;
};

std::string placeText(const sim::Place &place) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  if (place.warp >= 0) {
    add("CTA (" + std::to_string(place.cta.x) + ", " + std::to_string(place.cta.y) + ", " +
        std::to_string(place.cta.z) + ") warp " + std::to_string(place.warp) +
        (place.lane >= 0 ? " lane " + std::to_string(place.lane) : ""));
  }
  if (place.ptxLine)
    add("PTX line " + std::to_string(place.ptxLine));
  return text;
}

} // namespace

CompileError Code::describe(const sim::Result &result) const {
  FaultRenderer renderer(file, text, firstLine, columnOffset);
  CompileError error;
  for (const sim::Fault &fault : result.faults) {
    Diagnostic diagnostic;
    std::string where = placeText(fault.at);
    diagnostic.message = "kernel '" + metadata().name + "': " + nameOf(fault.kind) + ": " +
                         fault.message + (where.empty() ? "" : "; " + where);
    if (fault.hasAddress)
      diagnostic.message += ", address 0x" + llvm::utohexstr(fault.address, /*LowerCase=*/true);
    if (fault.count > 1)
      diagnostic.message += " [" + std::to_string(fault.count) + " times]";
    diagnostic.range = renderer.rangeOf(fault.at);
    if (fault.hasOther) {
      Diagnostic note;
      note.severity = Severity::Note;
      note.range = renderer.rangeOf(fault.other);
      note.message = fault.otherIs + " here: " + placeText(fault.other);
      diagnostic.notes.push_back(std::move(note));
    }
    if (error.kind.empty()) {
      error.kind = fault.kind == sim::FaultKind::Assertion ? "DeviceAssertion" : "SimulatorError";
      error.message = diagnostic.message;
      if (diagnostic.range.begin.isValid()) {
        LineColumn at = renderer.lineColumn(diagnostic.range.begin);
        error.file = renderer.fileOf(diagnostic.range.begin);
        error.line = at.line;
        error.column = at.column;
      }
    }
    error.rendered += renderer.render(diagnostic);
  }
  if (result.faultsLeftOut)
    error.rendered += std::to_string(result.faultsLeftOut) + " more faults are not shown\n";
  return error;
}

//===-- Launching ---------------------------------------------------------===//

bool Code::checkLimits(const uint32_t grid[3], CompileError &error) const {
  std::string kernel = "kernel '" + metadata().name + "': ";
  if (uint64_t(grid[0]) * metadata().numCtas > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535)
    error = launchError("GridError",
                        kernel + "the grid (" + std::to_string(grid[0]) + ", " +
                            std::to_string(grid[1]) + ", " + std::to_string(grid[2]) +
                            ") is over the limits of a GPU, (2147483647, 65535, 65535); let each "
                            "program do more");
  else if (const sim::ptx::Function *entry = program->module().find(metadata().entry);
           metadata().numCtas > 1 && entry && !entry->cluster[0])
    error = launchError("OptionError", kernel + "num_ctas=" + std::to_string(metadata().numCtas) +
                                           ", but its PTX does not say so: the simulator takes "
                                           "clusters from .reqnctapercluster");
  else if (metadata().sharedBytes > sim::mostSharedOf(architecture))
    error = launchError("OutOfResources", kernel + "out of resource: shared memory, required: " +
                                              std::to_string(metadata().sharedBytes) + ", limit: " +
                                              std::to_string(sim::mostSharedOf(architecture)) +
                                              "; use smaller tiles, fewer warps or fewer stages");
  else
    return true;
  return false;
}

/// Keeps the launch as a file, ENTRY.HASH.NUMBER.launch: a dozen of a kernel, none with much
/// memory.
static void keep(const std::string &folder, const std::string &ptx, const sim::Launch &launch) {
  constexpr uint64_t mostBytes = 8 << 20;
  uint64_t bytes = 0;
  for (const sim::Buffer &buffer : launch.buffers)
    bytes += buffer.bytes;
  if (bytes > mostBytes)
    return;
  std::string path = folder + "/" + launch.entry + "." +
                     llvm::utohexstr(llvm::xxh3_64bits(ptx), /*LowerCase=*/true) + ".";
  for (int i = 0; i < 12; ++i)
    // Only who creates the file writes it: other processes record, too.
    if (std::FILE *file = std::fopen((path + std::to_string(i) + ".launch").c_str(), "wx")) {
      std::string text = sim::record(ptx, launch);
      std::fwrite(text.data(), 1, text.size(), file);
      std::fclose(file);
      return;
    }
}

/// A tensor map as the simulated driver makes it. False with `error` if there is none.
static bool encode(const TensorMapParameter &parameter, llvm::ArrayRef<uint64_t> slots,
                   const uint32_t grid[3], const KernelMetadata &metadata,
                   std::vector<uint8_t> &bytes, CompileError &error) {
  std::string why;
  std::optional<TensorMapValues> values = valuesOf(parameter, slots, grid, &why);
  if (values) {
    sim::TensorMap map;
    map.type = parameter.roundsToTF32        ? sim::TensorMap::TFloat32
               : parameter.elementBytes == 1 ? sim::TensorMap::UInt8
               : parameter.elementBytes == 2 ? sim::TensorMap::UInt16
               : parameter.elementBytes == 4 ? sim::TensorMap::UInt32
                                             : sim::TensorMap::UInt64;
    map.rank = static_cast<uint32_t>(parameter.box.size());
    map.address = values->address;
    map.dims = values->shape;
    map.strides = values->strides;
    std::copy(parameter.box.begin(), parameter.box.end(), map.box.begin());
    map.swizzle = parameter.swizzle == 128  ? sim::TensorMap::Swizzle128
                  : parameter.swizzle == 64 ? sim::TensorMap::Swizzle64
                  : parameter.swizzle == 32 ? sim::TensorMap::Swizzle32
                                            : sim::TensorMap::SwizzleNone;
    sim::TensorMap::Bytes encoded;
    why = map.encode(encoded);
    bytes.assign(encoded.begin(), encoded.end());
  }
  if (why.empty())
    return true;
  error = launchError("ArgumentError", "kernel '" + metadata.name +
                                           "' copies boxes of the tensor at '" +
                                           metadata.parameters[parameter.base].name + "': " + why);
  return false;
}

sim::AllocatedRegisters Code::allocatedRegisters() const {
  // What was assembled for this GPU is not assembled again.
  if (metadata().registers && architecture == metadata().target.architecture())
    return {metadata().registers, ""};
  auto ptxas = nvptx::findPtxas();
  std::lock_guard lock(mutex);
  auto [known, isNew] = registersByPtxas.try_emplace(ptxas ? ptxas->path : "");
  if (isNew) {
    const sim::ptx::Module &module = program->module();
    known->second.registers =
        nvptx::registersOf(module.text, std::string(module.target), metadata().entry, architecture,
                           known->second.reason);
  }
  return known->second;
}

sim::Occupancy Code::occupancy() const {
  constexpr unsigned assumed = 32;
  unsigned registers = allocatedRegisters().registers;
  return sim::occupancyOf(architecture, 32 * metadata().numWarps, registers ? registers : assumed,
                          static_cast<unsigned>(metadata().sharedBytes));
}

/// What the entry takes behind its parameters. A launch that is counted may run a sample of its
/// CTAs, which have fixed shares of the programs then.
bool Code::addHiddenArguments(llvm::ArrayRef<uint64_t> slots, const uint32_t grid[3],
                              bool isCounted, sim::Launch &launch, CompileError &error) const {
  for (const TensorMapParameter &map : metadata().tensorMaps)
    if (!encode(map, slots, grid, metadata(), launch.arguments.emplace_back(), error))
      return false;
  if (metadata().isPersistent)
    for (size_t axis = 0; axis < 3; ++axis) {
      std::vector<uint8_t> &extent = launch.arguments.emplace_back(sizeof grid[axis]);
      std::memcpy(extent.data(), &grid[axis], extent.size());
    }
  if (metadata().takesPrograms) {
    uint32_t counter = isCounted ? kNoProgramCounter : 0;
    std::vector<uint8_t> &argument = launch.arguments.emplace_back(sizeof counter);
    std::memcpy(argument.data(), &counter, sizeof counter);
  }
  return true;
}

/// What the parts of programs share.
bool Code::shareMemory(const uint32_t grid[3], uint64_t ctas, bool hasHostAddresses,
                       std::vector<uint8_t> &sums, std::vector<uint8_t> &arrivals,
                       sim::Launch &launch, CompileError &error) const {
  if (!metadata().hasParts())
    return true;
  SharedByParts bytes;
  if (!findSharedByParts(metadata(), grid, ctas, bytes, error))
    return false;
  if (bytes.sums > kMostSums) {
    error = launchError("OutOfResources",
                        "kernel '" + metadata().name + "': the simulator has " +
                            std::to_string(kMostSums) + " bytes for the sums of " +
                            (metadata().streamK
                                 ? "programs that are shared out (stream_k)"
                                 : "split_k=" + std::to_string(metadata().splitK) + " parts") +
                            ", required: " + std::to_string(bytes.sums));
    return false;
  }
  auto add = [&](std::vector<uint8_t> &memory, uint64_t size, uint64_t address, const char *name) {
    memory.resize(size);
    if (hasHostAddresses)
      address = reinterpret_cast<uint64_t>(memory.data());
    else
      launch.buffers.push_back({address, memory.data(), size, true, name, /*isListed=*/false});
    std::memcpy(launch.arguments.emplace_back(sizeof address).data(), &address, sizeof address);
  };
  add(sums, bytes.sums, kSumsAddress, "the sums of parts");
  add(arrivals, bytes.arrivals, kArrivalsAddress, "the numbers of parts that have ended");
  return true;
}

/// Has the variable `symbol` of the kernel say where `memory` is: at `address`, below what has
/// fixed addresses; in a launch with the host's addresses it is memory like any other.
static void lend(const char *symbol, uint64_t address, void *memory, uint64_t bytes,
                 const char *name, sim::Launch &launch) {
  if (launch.hasHostAddresses)
    address = reinterpret_cast<uint64_t>(memory);
  else
    launch.buffers.push_back({address, memory, bytes, true, name, /*isListed=*/false});
  std::vector<uint8_t> value(sizeof address);
  std::memcpy(value.data(), &address, sizeof address);
  launch.variables.emplace_back(symbol, std::move(value));
}

/// `table`: what one launch has counted, in its copies.
void Code::addClocks(llvm::ArrayRef<uint64_t> table) const {
  size_t words = compiled.clocks.wordsOfCopy(metadata().numWarps);
  std::lock_guard lock(mutex);
  clocks.resize(words);
  for (size_t i = 0; i < table.size(); ++i)
    clocks[i % words] += table[i];
}

void Code::takeClocks(std::vector<uint64_t> &sums) {
  std::lock_guard lock(mutex);
  sums.resize(std::max(sums.size(), clocks.size()));
  for (size_t i = 0; i < clocks.size(); ++i)
    sums[i] += clocks[i];
  clocks.clear();
}

void Code::addArguments(llvm::ArrayRef<uint64_t> slots, sim::Launch &launch) const {
  const sim::ptx::Function *entry = program->module().find(metadata().entry);
  for (size_t i = 0; i < slots.size(); ++i) {
    size_t bytes = entry && i < entry->parameters.size() ? entry->parameters[i].size : 8;
    std::vector<uint8_t> &argument = launch.arguments.emplace_back(bytes);
    std::memcpy(argument.data(), &slots[i], std::min<size_t>(bytes, 8));
  }
}

/// Memory that the kernel reaches by its arguments, or may reach.
static void addBuffers(const std::vector<Memory> &memory, bool hasUnknownMemory, bool isCopy,
                       sim::Launch &launch) {
  std::vector<Memory> reached = mergeOverlapping(memory);
  if (hasUnknownMemory)
    for (Memory &other : otherMemory(reached, isCopy))
      reached.push_back(std::move(other));
  for (Memory &each : reached)
    launch.buffers.push_back({each.begin + each.offset, reinterpret_cast<void *>(each.begin),
                              each.end - each.begin, each.isWritable, std::move(each.name),
                              each.parameter != noParameter});
}

bool Code::launch(llvm::SmallVector<uint64_t, 24> slots, std::vector<Memory> memory,
                  bool hasUnknownMemory, const uint32_t asked[3], const Settings &settings,
                  CompileError &error, sim::Counters *counters) const {
  std::array<uint32_t, 3> grid = gridOfParts(metadata(), asked);
  uint32_t ctas[3];
  if (!checkLimits(grid.data(), error) ||
      !findCTAs(metadata(), grid.data(), settings.multiprocessors, ctas, error))
    return false;
  sim::Launch launch;
  launch.entry = metadata().entry;
  launch.grid = {ctas[0] * metadata().numCtas, ctas[1], ctas[2]};
  launch.block = {32 * metadata().numWarps, 1, 1};
  launch.dynamicShared = static_cast<uint32_t>(metadata().sharedBytes);
  launch.architecture = architecture;
  launch.checkRaces = settings.checkRaces;
  launch.checkUndefined = settings.checkUndefined;
  launch.seed = settings.seed;
  launch.stepLimit = settings.stepLimit;
  launch.mostCTAs = settings.mostCTAs;
  launch.rates = settings.rates;
  launch.hasHostAddresses = hasUnknownMemory;
  launch.isCounted = counters;
  if (counters)
    launch.allocatedRegisters = [this](unsigned) { return allocatedRegisters(); };

  if (!hasUnknownMemory)
    placeAtFixedAddresses(memory);
  for (const Memory &each : memory)
    slots[each.parameter] += each.offset;
  addArguments(slots, launch);
  std::vector<uint8_t> sums, arrivals;
  if (!shareMemory(asked, ctas[0], hasUnknownMemory, sums, arrivals, launch, error) ||
      !addHiddenArguments(slots, grid.data(), counters != nullptr, launch, error))
    return false;
  std::vector<uint64_t> table;
  if (!compiled.clocks.parts.empty())
    table.resize(kClockCopies * compiled.clocks.wordsOfCopy(metadata().numWarps));
  addBuffers(memory, hasUnknownMemory, settings.isCopy, launch);
  AssertRecord record = {};
  if (!metadata().asserts.empty())
    lend(kAssertRecordSymbol, kRecordAddress, &record, sizeof record, "the assertion's record",
         launch);
  if (!table.empty())
    lend(kClocksSymbol, kClocksAddress, table.data(), table.size() * sizeof(uint64_t),
         "the table of clocks", launch);
  if (!settings.recordFolder.empty())
    keep(settings.recordFolder, program->module().text, launch);
  Interruptible work;
  launch.isStopped = [&] { return work.poll(); };
  sim::Result result = program->run(launch);
  if (!table.empty())
    addClocks(table);
  if (!result.output.empty())
    printText(result.output);
  if (counters)
    *counters = std::move(result.counters);
  if (!result.faults.empty()) {
    error = describe(result);
    return false;
  }
  if (work.isStopped()) {
    error = interruptedError(metadata().name);
    return false;
  }
  // Of some CTAs alone not all parts arrive.
  if (!settings.mostCTAs && llvm::any_of(arrivals, [](uint8_t byte) { return byte != 0; })) {
    error = launchError("InternalError", "kernel '" + metadata().name +
                                             "': numbers of parts that have ended are not 0 again "
                                             "behind the launch, as the next one needs them");
    return false;
  }
  if (!record.failed)
    return true;
  error = assertionError(metadata(), record);
  return false;
}
