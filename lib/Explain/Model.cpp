//===- Model.cpp - how long a kernel takes, by what it uses ---------------===//

#include "Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>

namespace json = llvm::json;

namespace tritium::explain {

/// 9.0: memory is what a copy reaches on an H200, 4.3 TB/s at 1755 MHz; L2 what its reads reach,
/// 6154 bytes a clock of the whole GPU; the rest is documented, the share of mma.sync published.
/// Others: documented bandwidth, of which a copy reaches nine tenths.
static constexpr Rates rates[] = {{75, 1590, 2.5, 22, 2, 64, 1024, 1, 800, 30},
                                  {80, 1410, 9.2, 47, 4, 128, 2048, 1, 900, 30},
                                  {86, 1695, 5.9, 24, 4, 128, 1024, 1, 900, 30},
                                  {89, 2520, 2.5, 24, 4, 128, 1024, 1, 1000, 30},
                                  {90, 1755, 18.6, 46.6, 4, 128, 4096, 0.62, 1400, 30}};

const Rates &ratesOf(unsigned capability) {
  const Rates *found = &rates[0];
  for (const Rates &each : rates)
    if (each.capability <= capability)
      found = &each;
  return *found;
}

const char *nameOf(Resource resource) {
  static constexpr const char *names[kResources] = {
      "memory",      "L2",       "L1",       "shared memory",     "tensor cores",
      "issue",       "floats",   "integers", "special functions", "doubles",
      "conversions", "barriers", "spills",   "atomics",           "latency"};
  return names[size_t(resource)];
}

const char *formulaOf(Resource resource) {
  static constexpr const char *formulas[kResources] = {
      "bytes of memory / bytes a clock",
      "32 x sectors / bytes a clock",
      "sectors / sectors a clock",
      "passes over the banks + bytes that copies and products move / bytes a clock",
      "operations of products / operations a clock",
      "instructions of warps / 4",
      "lanes / 128",
      "lanes / 64",
      "lanes / 16",
      "lanes / 64",
      "lanes / 64",
      "barriers x clocks of one / CTAs side by side",
      "spilled bytes x times that code runs / bytes a clock",
      "changes of sectors / different sectors, one a clock each, 96 at a time",
      "latency x bytes read / bytes in flight"};
  return formulas[size_t(resource)];
}

/// What adds up.
static constexpr double Work::*amounts[] = {
    &Work::sectors,      &Work::bytesRead, &Work::bytesMoved,        &Work::wavefronts,
    &Work::copiedBytes,  &Work::floats,    &Work::matrixSharedBytes, &Work::matrixClocks,
    &Work::instructions, &Work::barriers,  &Work::integers,          &Work::specials,
    &Work::doubles,      &Work::converts,  &Work::requests,          &Work::atomics,
    &Work::loads};

void Work::add(const Work &other) {
  for (double Work::*field : amounts)
    this->*field += other.*field;
  atomicSectors = std::max(atomicSectors, other.atomicSectors);
}

void Work::scale(double part) {
  for (double Work::*field : amounts)
    this->*field *= part;
}

Work workOf(const json::Object &counters, double ctas, const MatrixUse &matrix,
            const Rates &rates) {
  auto of = [&](const json::Object *object, llvm::StringRef name) {
    return object ? static_cast<double>(object->getInteger(name).value_or(0)) / ctas : 0;
  };
  auto count = [&](llvm::StringRef name) { return of(&counters, name); };
  const json::Object *lanes = counters.getObject("thread_classes");
  Work made;
  made.sectors = count("global_sectors");
  made.bytesRead = count("global_bytes_read");
  made.bytesMoved = made.bytesRead + count("global_bytes_written");
  made.requests = count("global_requests");
  made.loads = of(counters.getObject("classes"), "global_load");
  made.atomics = count("atomic_passes");
  made.atomicSectors = count("atomic_sectors") * ctas;
  made.wavefronts = count("shared_wavefronts");
  // What goes past the banks' counters: copies of boxes.
  if (made.wavefronts == 0)
    made.copiedBytes = count("shared_bytes_read") + count("shared_bytes_written");
  double products = count("matrix_operations");
  made.matrixSharedBytes = products * matrix.sharedBytes;
  double rate = rates.tensorOperations * (matrix.isOfWarpGroup ? 1 : rates.mmaShare);
  made.matrixClocks = products * matrix.operations * matrix.slowness / rate;
  made.instructions = count("warp_instructions");
  made.barriers = count("barriers");
  made.floats = of(lanes, "float") + of(lanes, "half");
  made.integers = of(lanes, "integer") + of(lanes, "compare");
  made.specials = of(lanes, "special");
  made.doubles = of(lanes, "double");
  made.converts = of(lanes, "convert");
  return made;
}

/// CTAs that the busiest multiprocessor runs one after the other or side by side: turns of all
/// places, and what is left.
static double mostCTAs(const LaunchFacts &launch) {
  if (launch.isEven)
    return launch.ctas / launch.multiprocessors;
  double places = launch.multiprocessors * launch.resident;
  double whole = std::floor(launch.ctas / places);
  return whole * launch.resident +
         std::ceil((launch.ctas - whole * places) / launch.multiprocessors);
}

/// CTAs of a multiprocessor that run side by side.
static double sideBySide(const LaunchFacts &launch) {
  return std::min(launch.resident, std::max(mostCTAs(launch), 1.0));
}

Clocks clocksOf(const Work &work, const LaunchFacts &launch) {
  const Rates &rate = ratesOf(launch.capability);
  // What all multiprocessors share does not wait for the busiest.
  double average = launch.ctas / launch.multiprocessors, most = mostCTAs(launch);
  double together = sideBySide(launch);
  // A warp runs in one of the four parts of a multiprocessor, each of which has units of its own.
  constexpr double parts = 4;
  double busy = std::min(1.0, launch.warps * together / parts);
  Clocks made{};
  auto set = [&](Resource resource, double clocks) { made[size_t(resource)] = clocks; };
  set(Resource::Memory, average * 32 * work.sectors / rate.memoryBytes);
  set(Resource::L2, average * 32 * work.sectors / rate.l2Bytes);
  set(Resource::L1, most * work.sectors / rate.l1Sectors);
  set(Resource::Shared,
      most * (work.wavefronts + (work.copiedBytes + work.matrixSharedBytes) / rate.sharedBytes));
  set(Resource::Tensor, most * work.matrixClocks / busy);
  set(Resource::Issue, most * work.instructions / parts / busy);
  set(Resource::Float, most * work.floats / 128 / busy);
  set(Resource::Integer, most * work.integers / 64 / busy);
  set(Resource::Special, most * work.specials / 16 / busy);
  set(Resource::Double, most * work.doubles / 64 / busy);
  set(Resource::Convert, most * work.converts / 64 / busy);
  set(Resource::Barriers, most * work.barriers / launch.warps * rate.barrier / together);
  // What registers do not hold goes through the first cache.
  set(Resource::Spills, most * launch.spilledBytes / (rate.l1Sectors * 32));
  // A slice of the L2 changes one number of a sector a clock; slices: of the largest GPUs, assumed
  // of all.
  constexpr double slices = 96;
  if (work.atomicSectors > 0)
    set(Resource::Atomics, launch.ctas * work.atomics / std::min(work.atomicSectors, slices));
  // What is read again comes from the L2, in half the time; assumed.
  double first = launch.arrayBytes > 0
                     ? std::min(1.0, launch.arrayBytes / std::max(1.0, launch.bytesRead))
                     : 1;
  if (launch.bytesInFlight > 0)
    set(Resource::Latency,
        most / together * rate.latency * (1 + first) / 2 * work.bytesRead / launch.bytesInFlight);
  return made;
}

Prediction predict(const Work &total, const LaunchFacts &launch) {
  Prediction made;
  made.clocks = made.uncapped = clocksOf(total, launch);
  // What programs ask for again is in the L2, as far as all arrays are: each is read once.
  const Rates &rate = ratesOf(launch.capability);
  double &memory = made.clocks[size_t(Resource::Memory)];
  double together = sideBySide(launch);
  if (launch.arrayBytes > 0)
    memory = std::min(memory, launch.arrayBytes / launch.multiprocessors / rate.memoryBytes);
  // What does not run ahead waits for its loads, and then computes; only others fill the gap.
  double &latency = made.clocks[size_t(Resource::Latency)];
  if (!launch.runsAhead && latency > 0)
    latency += *llvm::max_element(made.clocks) / together;
  // A CTA that has a multiprocessor to itself begins with a wait for its first bytes; the first of
  // them is in the launch.
  double alone = together < 2 ? std::max(mostCTAs(launch) - 1, 0.0) * rate.latency : 0;
  for (size_t i = 0; i < kResources; ++i)
    made.order[i] = Resource(i);
  auto clocks = [&](Resource resource) { return made.clocks[size_t(resource)]; };
  llvm::stable_sort(made.order, [&](Resource a, Resource b) { return clocks(a) > clocks(b); });
  // Of the second resource: hidden wholly, by the usual part, not at all. The part is assumed.
  constexpr double usual = 0.2;
  // Until the first instruction runs, and from the last one to the end; assumed.
  constexpr double launchMicroseconds = 2.0;
  auto time = [&](double part) {
    return launchMicroseconds +
           (clocks(made.order[0]) + part * clocks(made.order[1]) + alone) / rate.megahertz;
  };
  made.best = time(0);
  made.expected = time(usual);
  made.worst = time(1);
  return made;
}

double Prediction::share(const Clocks &line) const {
  double all = uncapped[size_t(order[0])];
  return all > 0 ? std::min(line[size_t(order[0])] / all, 1.0) : 0;
}

} // namespace tritium::explain
