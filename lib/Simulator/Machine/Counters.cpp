//===- Counters.cpp - counts by line and kernel, occupancy ----------------===//

#include "Machine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

using namespace tritium::sim;

const char *tritium::sim::nameOf(InstructionClass kind) {
  static const char *const names[instructionClasses] = {
      "integer",      "float",         "half",      "double",        "special",      "convert",
      "move",         "compare",       "control",   "global_load",   "global_store", "shared_load",
      "shared_store", "local",         "parameter", "constant",      "atomic",       "async_copy",
      "async_group",  "warp_exchange", "matrix",    "matrix_memory", "barrier",      "warp_barrier",
      "fence",        "other"};
  return names[size_t(kind)];
}

std::string tritium::sim::nameOf(const ptx::Instruction &instruction) {
  constexpr std::string_view spaces[] = {"shared", "global", "local", "const", "param"};
  constexpr std::string_view kinds[] = {"async",    "reduce",       "bulk",         "prefetch",
                                        "tensor",   "proxy",        "commit_group", "wait_group",
                                        "wait_all", "mbarrier_init"};
  std::string_view opcode = instruction.opcode;
  bool isAccess = llvm::is_contained({"ld", "st", "atom", "red"}, opcode);
  bool isFamily = llvm::is_contained({"wgmma", "mbarrier", "tensormap"}, opcode);
  bool isCopy = llvm::is_contained({"cp", "fence"}, opcode);
  std::string name(opcode);
  for (std::string_view modifier : instruction.modifiers) {
    // "shared::cta"
    std::string_view word = modifier.substr(0, modifier.find("::"));
    if ((isAccess && llvm::is_contained(spaces, word)) || isFamily ||
        (isCopy && llvm::is_contained(kinds, modifier)))
      name += "." + std::string(word);
    if (isFamily)
      break;
  }
  return name;
}

namespace {
/// Every number of a tally but the classes, with its name.
struct Field {
  const char *name;
  uint64_t Tally::*member;
};
constexpr Field fields[] = {
    {"warp_instructions", &Tally::warpInstructions},
    {"thread_instructions", &Tally::threadInstructions},
    {"global_requests", &Tally::globalRequests},
    {"global_sectors", &Tally::sectors},
    {"global_sectors_ideal", &Tally::idealSectors},
    {"global_sectors_cached", &Tally::cachedSectors},
    {"l2_requests", &Tally::l2Requests},
    {"global_sectors_reread", &Tally::rereadSectors},
    {"reread_bytes_between", &Tally::rereadBytesBetween},
    {"global_bytes_read", &Tally::globalBytesRead},
    {"global_bytes_written", &Tally::globalBytesWritten},
    {"shared_requests", &Tally::sharedRequests},
    {"shared_wavefronts", &Tally::wavefronts},
    {"shared_wavefronts_ideal", &Tally::idealWavefronts},
    {"shared_wavefronts_overlapped", &Tally::overlappedWavefronts},
    {"shared_bytes_read", &Tally::sharedBytesRead},
    {"shared_bytes_written", &Tally::sharedBytesWritten},
    {"shared_atomics_spread", &Tally::spreadAtomics},
    {"barriers", &Tally::barriers},
    {"atomics", &Tally::atomics},
    {"atomic_changes", &Tally::atomicChanges},
    {"atomic_passes", &Tally::atomicPasses},
    {"atomic_passes_float", &Tally::floatAtomicPasses},
    {"matrix_operations", &Tally::matrixOperations},
    {"branches", &Tally::branches},
    {"divergent_branches", &Tally::divergentBranches},
};

struct Limits {
  unsigned architecture, warps, ctas, sharedBytes, multiprocessors;
};
/// Of one multiprocessor, and how many there are on the largest GPU that is sold. From sm_80 on
/// every CTA also takes 1 KiB of shared memory for the system.
constexpr Limits limits[] = {{75, 32, 16, 64 * 1024, 72},
                             {80, 64, 32, 164 * 1024, 108},
                             {86, 48, 16, 100 * 1024, 84},
                             {89, 48, 24, 100 * 1024, 142},
                             {90, 64, 32, 228 * 1024, 132}};
} // namespace

static Tally::Places eitherOf(Tally::Places a, const Tally::Places &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] |= b[i];
  return a;
}

/// By the share of bits that are still 0: linear counting.
static double countOf(const Tally::Places &places) {
  double bits = 64.0 * static_cast<double>(places.size()), free = bits;
  for (uint64_t word : places)
    free -= std::popcount(word);
  return bits * std::log(bits / std::max(free, 0.5));
}

void Tally::add(const Tally &other) {
  for (size_t i = 0; i < instructionClasses; ++i)
    warps[i] += other.warps[i], threads[i] += other.threads[i];
  for (const Field &field : fields)
    this->*field.member += other.*field.member;
  for (size_t i = 0; i < waits.size(); ++i)
    waits[i] += other.waits[i];
  for (size_t part = 0; part < atomicPlaces.size(); ++part)
    atomicPlaces[part] = eitherOf(atomicPlaces[part], other.atomicPlaces[part]);
}

uint64_t Tally::atomicSectors() const {
  return static_cast<uint64_t>(std::lround(countOf(eitherOf(atomicPlaces[0], atomicPlaces[1]))));
}

uint64_t Tally::sharedAtomicSectors() const {
  double one = countOf(atomicPlaces[0]), other = countOf(atomicPlaces[1]);
  double shared = one + other - countOf(eitherOf(atomicPlaces[0], atomicPlaces[1]));
  // What is left of two estimates may be their error.
  constexpr double sure = 0.25;
  return shared < sure * std::min(one, other) ? 0 : static_cast<uint64_t>(std::lround(shared));
}

static const Limits &limitsOf(unsigned architecture) {
  const Limits *of = &limits[0];
  for (const Limits &limit : limits)
    if (limit.architecture <= architecture)
      of = &limit;
  return *of;
}

unsigned tritium::sim::mostSharedOf(unsigned architecture) {
  const Limits &limit = limitsOf(architecture);
  return limit.sharedBytes - (limit.architecture == 75 ? 0 : 1024);
}

Occupancy tritium::sim::occupancyOf(unsigned architecture, unsigned threads, unsigned registers,
                                    unsigned sharedBytes) {
  const Limits *of = &limitsOf(architecture);
  Occupancy made;
  made.architecture = of->architecture;
  made.mostWarps = of->warps;
  made.registers = registers;
  unsigned warps = std::max(1u, (threads + 31) / 32);
  // Registers are given to a warp in units of 256, of 65536.
  unsigned perWarp = (std::max(registers, 1u) * 32 + 255) / 256 * 256;
  unsigned byRegisters = 65536 / perWarp / 4 * 4 / warps;
  unsigned system = of->architecture == 75 ? 0 : 1024;
  unsigned byShared = of->sharedBytes / std::max((sharedBytes + system + 127) / 128 * 128, 256u);
  unsigned byThreads = of->warps / warps;
  made.ctas = std::min({byThreads, byShared, of->ctas, byRegisters});
  made.limitedBy = made.ctas == byThreads     ? "threads"
                   : made.ctas == byRegisters ? "registers"
                   : made.ctas == byShared    ? "shared memory"
                                              : "CTAs";
  made.warps = made.ctas * warps;
  return made;
}

/// What a thread gets is decided by ptxas; the bound that the program asks for is known.
Occupancy Machine::occupancy(unsigned architecture) const {
  AllocatedRegisters known;
  if (launch.allocatedRegisters)
    known = launch.allocatedRegisters(architecture);
  else
    known.reason = "no assembler was asked";
  unsigned registers = known.registers       ? known.registers
                       : entry->maxRegisters ? entry->maxRegisters
                                             : 32;
  Occupancy made = occupancyOf(architecture, threads, registers, sharedBytes);
  made.isAllocated = known.registers != 0;
  made.registersFrom = made.isAllocated ? "ptxas" : "assumed: " + known.reason;
  return made;
}

uint64_t Machine::multiprocessorsOf(unsigned architecture) {
  return limitsOf(architecture).multiprocessors;
}

uint64_t Machine::mostResident() const {
  unsigned architecture = launch.architecture ? launch.architecture : newestArchitecture;
  uint64_t held = uint64_t(limitsOf(architecture).multiprocessors) * occupancy(architecture).ctas;
  uint64_t affordable = launch.memoryLimit / std::max<uint64_t>(bytesOfCta, 1);
  return std::max<uint64_t>(std::min(held, affordable), 1);
}

void Machine::gatherCounters() {
  Counters &counters = result.counters;
  counters.kernel = launch.entry;
  counters.ctas = sampledCTAs();
  counters.grid = launch.grid.count();
  counters.threads = threads;
  counters.staticShared = sharedStatic;
  counters.dynamicShared = launch.dynamicShared;
  counters.hasHostAddresses = launch.hasHostAddresses;
  counters.otherRead = others.reached(/*writes=*/false);
  counters.otherWritten = others.reached(/*writes=*/true);
  for (const Buffer &buffer : launch.buffers)
    if (buffer.isListed) {
      const Range *range = memory.find(buffer.address);
      counters.buffers.push_back({buffer.name, buffer.address, buffer.bytes, range && range->isRead,
                                  range && range->isWritten});
    }
  for (const FunctionCode *function : used) {
    counters.localBytes += function->localBytes;
    for (ptx::Type type : function->function->registers)
      counters.declaredRegisters +=
          type == ptx::Type::Pred ? 0 : std::max(1u, ptx::bitsOf(type) / 32);
  }
  std::map<std::tuple<std::string, uint32_t, uint32_t>, LineTally> lines;
  std::map<std::string, Tally> instructions;
  for (size_t i = 0; i < tallies.size(); ++i) {
    const Op *op = ops[i];
    if (!op || !tallies[i].warpInstructions)
      continue;
    tallies[i].warps[size_t(op->kind)] = tallies[i].warpInstructions;
    tallies[i].threads[size_t(op->kind)] = tallies[i].threadInstructions;
    if (op->kind == InstructionClass::AsyncCopy || op->kind == InstructionClass::MatrixMemory)
      tallies[i].overlappedWavefronts = tallies[i].wavefronts;
    counters.total.add(tallies[i]);
    if (op->kind == InstructionClass::GlobalLoad)
      counters.mostLoads = std::max(counters.mostLoads, tallies[i].warpInstructions);
    ptx::SourceLine line = op->origin ? op->origin->source : ptx::SourceLine();
    line.column = 0;
    LineTally &place = lines[{line.file < module.files.size() ? module.files[line.file] : "",
                              line.file, line.line}];
    place.line = line;
    place.source = module.render(line);
    place.tally.add(tallies[i]);
    if (op->origin)
      instructions[nameOf(*op->origin)].add(tallies[i]);
  }
  for (const auto &[name, tally] : instructions)
    counters.instructions.push_back({name, tally});
  for (auto &[key, line] : lines)
    counters.lines.push_back(std::move(line));
  if (launch.architecture)
    counters.occupancy.push_back(occupancy(launch.architecture));
  else
    for (const Limits &limit : limits)
      counters.occupancy.push_back(occupancy(limit.architecture));
}

static void print(llvm::raw_ostream &out, const Tally &tally, const char *indent) {
  for (const Field &field : fields)
    if (tally.*field.member)
      out << indent << field.name << ": " << tally.*field.member << "\n";
  out << indent << "by class:";
  for (size_t i = 0; i < instructionClasses; ++i)
    if (tally.warps[i])
      out << " " << nameOf(InstructionClass(i)) << " " << tally.warps[i];
  out << "\n";
}

/// How many warps execute instructions of each name; of those that memory sees, what it sees.
static void print(llvm::raw_ostream &out, llvm::ArrayRef<InstructionTally> instructions) {
  out << "  by name:";
  auto isSeen = [](const Tally &tally) { return tally.globalRequests || tally.sharedRequests; };
  for (const InstructionTally &instruction : instructions)
    if (!isSeen(instruction.tally))
      out << " " << instruction.name << " " << instruction.tally.warpInstructions;
  out << "\n";
  for (const auto &[name, tally] : instructions) {
    if (!isSeen(tally))
      continue;
    out << "    " << name << ": " << tally.warpInstructions;
    if (tally.globalRequests)
      out << ", " << tally.globalBytesRead + tally.globalBytesWritten << " bytes of global memory";
    if (tally.sharedRequests)
      out << ", " << tally.bankConflicts() << " bank conflicts";
    out << "\n";
  }
}

std::string Counters::text() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "kernel " << kernel << ": " << ctas << (ctas < grid ? " of " + std::to_string(grid) : "")
      << " CTAs of " << threads << " threads\n"
      << "  declared registers: " << declaredRegisters << ", static shared bytes: " << staticShared
      << ", dynamic: " << dynamicShared << ", local bytes: " << localBytes << "\n";
  print(out, total, "  ");
  print(out, instructions);
  for (const Occupancy &o : occupancy)
    out << "  sm_" << o.architecture << ": " << o.ctas << " CTAs, " << o.warps << " of "
        << o.mostWarps << " warps on a multiprocessor, limited by " << o.limitedBy << "; "
        << o.registers << " registers a thread (" << o.registersFrom << ")\n";
  for (const ListedBuffer &buffer : buffers)
    out << "  memory: " << buffer.name << ", " << buffer.bytes << " bytes at "
        << llvm::format_hex(buffer.address, 0) << "\n";
  if (hasHostAddresses)
    out << "  these addresses are the host's: global sectors depend on where its arrays lie\n";
  for (const LineTally &line : lines) {
    out << (line.source.empty() ? "(no source line)" : line.source) << "\n";
    print(out, line.tally, "    ");
  }
  return text;
}

static llvm::json::Array rounded(llvm::ArrayRef<double> numbers) {
  llvm::json::Array made;
  for (double number : numbers)
    made.push_back(int64_t(std::llround(number)));
  return made;
}

static llvm::json::Object toJson(const Tally &tally) {
  llvm::json::Object object, classes, threads;
  for (const Field &field : fields)
    object[field.name] = int64_t(tally.*field.member);
  for (size_t i = 0; i < instructionClasses; ++i)
    if (tally.warps[i]) {
      classes[nameOf(InstructionClass(i))] = int64_t(tally.warps[i]);
      threads[nameOf(InstructionClass(i))] = int64_t(tally.threads[i]);
    }
  if (llvm::any_of(tally.waits, [](double clocks) { return clocks > 0; }))
    object["waited_clocks"] = rounded(tally.waits);
  object["bank_conflicts"] = int64_t(tally.bankConflicts());
  object["atomic_sectors"] = int64_t(tally.atomicSectors());
  object["atomic_sectors_shared"] = int64_t(tally.sharedAtomicSectors());
  object["classes"] = std::move(classes);
  object["thread_classes"] = std::move(threads);
  return object;
}

std::string Counters::json() const {
  llvm::json::Array byLine, byName, fits;
  for (const InstructionTally &instruction : instructions) {
    llvm::json::Object object = toJson(instruction.tally);
    object["name"] = instruction.name;
    byName.push_back(std::move(object));
  }
  for (const LineTally &line : lines) {
    llvm::json::Object object = toJson(line.tally);
    object["source"] = line.source;
    object["line"] = int64_t(line.line.line);
    byLine.push_back(std::move(object));
  }
  for (const Occupancy &o : occupancy)
    fits.push_back(llvm::json::Object{{"architecture", int64_t(o.architecture)},
                                      {"ctas", int64_t(o.ctas)},
                                      {"warps", int64_t(o.warps)},
                                      {"most_warps", int64_t(o.mostWarps)},
                                      {"registers", int64_t(o.registers)},
                                      {"registers_by_ptxas", o.isAllocated},
                                      {"registers_from", o.registersFrom},
                                      {"limited_by", o.limitedBy}});
  llvm::json::Array memory;
  for (const ListedBuffer &buffer : buffers)
    memory.push_back(llvm::json::Object{{"name", llvm::json::fixUTF8(buffer.name)},
                                        {"address", int64_t(buffer.address)},
                                        {"bytes", int64_t(buffer.bytes)},
                                        {"read", buffer.isRead},
                                        {"written", buffer.isWritten}});
  llvm::json::Object object{{"kernel", kernel},
                            {"ctas", int64_t(ctas)},
                            {"grid", int64_t(grid)},
                            {"threads", int64_t(threads)},
                            {"declared_registers", int64_t(declaredRegisters)},
                            {"static_shared", int64_t(staticShared)},
                            {"dynamic_shared", int64_t(dynamicShared)},
                            {"local_bytes", int64_t(localBytes)},
                            {"total", toJson(total)},
                            {"lines", std::move(byLine)},
                            {"instructions", std::move(byName)},
                            {"memory", std::move(memory)},
                            {"host_addresses", hasHostAddresses},
                            {"most_loads", int64_t(mostLoads)},
                            {"occupancy", std::move(fits)}};
  if (path[0] > 0) {
    object["path_ctas"] = int64_t(pathCTAs);
    object["path_clocks"] = rounded(path);
    object["longest_path_clocks"] = rounded(longestPath);
  }
  auto other = [&](const char *name, const ReachedBytes &reached) {
    if (reached.byAll)
      object[name] = llvm::json::Object{{"by_all", int64_t(reached.byAll)},
                                        {"by_half", int64_t(reached.byHalf)}};
  };
  other("other_read", otherRead);
  other("other_written", otherWritten);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(object)));
  return text;
}
