//===- Model.cpp - how long a kernel takes, by what it uses ---------------===//

#include "Model.h"

#include "tritium/Explain/Explain.h"
#include "tritium/Simulator/Counters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>

namespace json = llvm::json;

namespace tritium::explain {

// Of all GPUs, as an H200 has it: measured by launches that do one thing (docs/explain.md).

/// From the queue to the first instruction, and from the last one to the end.
static constexpr double launchMicroseconds = 2.9;
/// From a request of memory to its answer on an idle GPU: before it nothing is computed.
static constexpr double firstAnswerMicroseconds = 0.34;
/// Of bytes that are read again and again, by what the L2 is said to hold: so many it has all of,
/// and so many none of.
static constexpr double allHeld = 0.75, noneHeld = 1.2;
// Fitted to the kernels of test/python/explain_launches.py, whose times docs/explain.md has beside
// what comes out.

/// From a request of memory to its answer on a busy GPU; what the L2 has takes half.
static constexpr double latencyMicroseconds = 0.48;
/// In a warp, clocks from an instruction to the next, as far as the next one waits, and what an
/// exchange between lanes takes beyond; of a barrier, and for each warp that comes to it.
static constexpr double clocksOfInstruction = 1.2, clocksOfExchange = 36;
static constexpr double clocksOfBarrier = 110, clocksOfArrival = 8;
/// Of a request of a warp in the first cache, where nothing is simulated of what waits for it.
static constexpr double waitsForRequest = 3.5;
/// Clocks for a change of one number in the L2.
static constexpr double clocksOfAtomic = 1.2, clocksOfFloatAtomic = 2.9;
/// Of sectors that several CTAs change, neighbours: one line's, 4 lines' and 16 lines' take 1.05
/// clocks each in 1, 2 and 4 slices (measured), and how more of them lie is not known.
static constexpr double clocksOfSharedSector = 1.05, mostSharedSectors = 128;
/// How much longer spilled registers take than the first cache needs for their bytes: their loads
/// are waited for.
static constexpr double waitsForSpills = 7;
/// Of the time for which a CTA's bytes take all of a multiprocessor's way to the L2, what it does
/// nothing else.
static constexpr double waitsForBytes = 0.7;
/// How much longer a multiprocessor takes than what is simulated of it, whose units are as busy as
/// what waits for each other lets them be.
static constexpr double marginOfSimulated = 1.05;
/// CTAs that read the same wait together for the one of them that has asked memory first, for so
/// much of its latency as they are in step. Fitted.
static constexpr double inStep = 0.65;
/// A resource that is busy for that part of what is simulated bounds the kernel.
static constexpr double bounds = 0.75;

bool isKnownGPU(unsigned capability, llvm::StringRef gpu) {
  return llvm::any_of(sim::knownRates(), [&](const Rates &each) {
    return each.capability >= capability && !gpu.empty() && gpu == each.gpu;
  });
}

std::string knownGPUs(unsigned capability) {
  std::string made;
  for (const Rates &each : sim::knownRates())
    if (each.capability >= capability && *each.gpu)
      made += (made.empty() ? "" : ", ") + std::string(each.gpu);
  return made;
}

unsigned capabilityOf(unsigned capability, llvm::StringRef gpu) {
  for (const Rates &each : sim::knownRates())
    if (each.capability >= capability && !gpu.empty() && gpu == each.gpu)
      return each.capability;
  return capability;
}

const char *nameOf(Resource resource) {
  static constexpr const char *names[kResources] = {
      "memory",      "L2",     "L1",       "shared memory",     "tensor cores",
      "issue",       "floats", "integers", "special functions", "doubles",
      "conversions", "spills", "atomics",  "starts of CTAs",    "bytes in flight",
      "latency"};
  return names[size_t(resource)];
}

const char *formulaOf(Resource resource) {
  static constexpr const char *formulas[kResources] = {
      "bytes of memory / bytes a clock",
      "32 x sectors that the L1 has not / bytes a clock; 2 sectors a line at least",
      "sectors / sectors a clock; 1.8 a request of a warp",
      "passes over the banks + bytes that copies and products move / bytes a clock",
      "operations of products / operations a clock",
      "0.9 x instructions of warps / 4",
      "lanes / 128",
      "lanes / 64; 0.55 of each, 0.9 of comparisons",
      "lanes / 16",
      "lanes / 64",
      "lanes / 64",
      "7 x spilled bytes x times that code runs / bytes a clock",
      "changes / sectors, 96 at most, x 1.2, floats 2.9; shared by CTAs 1.05 / root of lines",
      "138 a CTA; after the last one what a CTA waits for",
      "latency x bytes read / bytes in flight, where loads run ahead",
      "CTAs one after the other x what one waits for: loads; 1.2 an instruction of a warp, 36 an "
      "exchange; 110 + 8 x warps a barrier; 1 a pass over shared memory; its products, spills and "
      "bytes"};
  return formulas[size_t(resource)];
}

/// What adds up.
static constexpr double Work::*amounts[] = {
    &Work::sectors,           &Work::farSectors,    &Work::exchanges,
    &Work::floatAtomics,      &Work::bytesRead,     &Work::bytesMoved,
    &Work::wavefronts,        &Work::copiedBytes,   &Work::floats,
    &Work::matrixSharedBytes, &Work::matrixClocks,  &Work::instructions,
    &Work::barriers,          &Work::integers,      &Work::specials,
    &Work::doubles,           &Work::converts,      &Work::requests,
    &Work::atomics,           &Work::ownWavefronts, &Work::l2Sectors,
    &Work::l2Requests,        &Work::nearWaits,     &Work::farWaits,
    &Work::commonWaits,       &Work::rereadSectors, &Work::rereadBytesBetween,
    &Work::atomicChanges};

void Work::add(const Work &other) {
  for (double Work::*field : amounts)
    this->*field += other.*field;
  atomicSectors = std::max(atomicSectors, other.atomicSectors);
  sharedSectors = std::max(sharedSectors, other.sharedSectors);
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
  made.farSectors = made.sectors - count("global_sectors_cached");
  made.rereadSectors = count("global_sectors_reread");
  made.rereadBytesBetween = count("reread_bytes_between");
  made.bytesRead = count("global_bytes_read");
  made.bytesMoved = made.bytesRead + count("global_bytes_written");
  made.requests = count("global_requests");
  made.exchanges = of(counters.getObject("classes"), "warp_exchange");
  made.atomics = count("atomic_passes");
  made.floatAtomics = count("atomic_passes_float");
  made.atomicChanges = count("atomic_changes");
  made.atomicSectors = count("atomic_sectors") * ctas;
  made.sharedSectors = count("atomic_sectors_shared") * ctas;
  made.l2Requests = count("l2_requests");
  made.l2Sectors = std::max(made.farSectors, sim::sectorsOfRequest * made.l2Requests);
  made.wavefronts = count("shared_wavefronts");
  made.ownWavefronts = made.wavefronts - count("shared_wavefronts_overlapped");
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
  // One instruction adds three numbers, or multiplies and adds; comparisons and choices stay what
  // they are.
  made.integers = sim::issuedIntegers * of(lanes, "integer") + sim::issued * of(lanes, "compare");
  made.specials = of(lanes, "special");
  made.doubles = of(lanes, "double");
  made.converts = of(lanes, "convert");
  if (const json::Array *waited = counters.getArray("waited_clocks")) {
    made.nearWaits = (*waited)[sim::kFromL2].getAsNumber().value_or(0) / ctas;
    made.farWaits = (*waited)[sim::kFromMemory].getAsNumber().value_or(0) / ctas;
    made.commonWaits = (*waited)[sim::kCommon].getAsNumber().value_or(0) / ctas;
  }
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

/// Clocks of one CTA that has the multiprocessor to itself, as far as one thing waits for another.
static double waitsOf(const Work &work, const LaunchFacts &launch, const Clocks &all, double most) {
  const Rates &rate = ratesOf(launch.capability, launch.gpu);
  double barrier = clocksOfBarrier + clocksOfArrival * launch.warps;
  double ofWarp = (clocksOfInstruction * work.instructions + clocksOfExchange * work.exchanges +
                   barrier * work.barriers) /
                  launch.warps;
  double bytes = waitsForBytes * 32 * work.l2Sectors / rate.l2Bytes;
  double others = all[size_t(Resource::Tensor)] + all[size_t(Resource::Spills)];
  return ofWarp + bytes + work.ownWavefronts + others / most;
}

/// Of all bytes that are read the part that memory brings, not the L2.
static double partOfMemory(const LaunchFacts &launch) {
  if (launch.readArrays <= 0 || launch.bytesRead <= 0)
    return 1;
  return std::min(1.0, (launch.readArrays + launch.bytesReadAgain) / launch.bytesRead);
}

double bytesReadAgain(const Work &line, const Work &total, const LaunchFacts &launch) {
  if (line.rereadSectors <= 0 || launch.readArrays <= 0)
    return 0;
  // CTAs that read the same share what comes, and what it takes of the L2.
  constexpr double sector = 32;
  double written = total.bytesMoved - total.bytesRead;
  double different = sector * (total.farSectors - total.rereadSectors) - written;
  double sharers = std::max(1.0, different * launch.ctas / launch.readArrays);
  double together = std::min(launch.ctas, launch.multiprocessors * launch.resident) / sharers;
  double between = together * line.rereadBytesBetween / line.rereadSectors;
  between = std::min(between, launch.readArrays + launch.writtenArrays);
  double held = between / 1e6 / ratesOf(launch.capability, launch.gpu).l2Megabytes;
  double lost = std::clamp((held - allHeld) / (noneHeld - allHeld), 0.0, 1.0);
  return lost * sector * line.rereadSectors * launch.ctas / sharers;
}

/// Clocks of one CTA that it waits for loads, if each waits for the one before.
static double loadsOf(const Work &work, const LaunchFacts &launch) {
  if (launch.bytesInFlight <= 0)
    return 0;
  // What is read again comes from the L2, in half the time.
  double first = partOfMemory(launch);
  double latency = latencyMicroseconds * ratesOf(launch.capability, launch.gpu).megahertz;
  return latency * (1 + first) / 2 * work.bytesRead / launch.bytesInFlight;
}

/// Clocks of all CTAs of a multiprocessor, one after the other and side by side, by its simulation.
static double simulatedOf(const Work &work, const LaunchFacts &launch) {
  auto side = [&](const LaunchFacts::Path &path, double waits) {
    return path.ofWait * waits + path.ofInstruction * work.instructions;
  };
  double near = side(launch.near, work.nearWaits), far = side(launch.far, work.farWaits),
         common = std::clamp(side(launch.common, work.commonWaits), near, std::max(near, far));
  double first = partOfMemory(launch);
  double waits = std::max(first, inStep * std::min(launch.firstOfCTA, 1.0));
  double clocks = near + waits * (common - near) + first * (far - common);
  return marginOfSimulated * clocks * mostCTAs(launch) /
         std::max(launch.pathCTAs, sideBySide(launch));
}

Clocks clocksOf(const Work &work, const LaunchFacts &launch) {
  const Rates &rate = ratesOf(launch.capability, launch.gpu);
  // What all multiprocessors share does not wait for the busiest.
  double average = launch.ctas / launch.multiprocessors, most = mostCTAs(launch);
  double together = sideBySide(launch);
  // A warp runs in one of the four parts of a multiprocessor, each of which has units of its own.
  constexpr double parts = 4;
  double busy = std::min(1.0, launch.warps * together / parts);
  Clocks made{};
  auto set = [&](Resource resource, double clocks) { made[size_t(resource)] = clocks; };
  set(Resource::Memory, average * 32 * work.farSectors / rate.memoryBytes);
  set(Resource::L2, average * 32 * work.l2Sectors / rate.l2Bytes);
  double request = launch.isSimulated ? sim::clocksOfRequest : waitsForRequest;
  set(Resource::L1, most * std::max(work.sectors / rate.l1Sectors, request * work.requests));
  set(Resource::Shared,
      most * (work.wavefronts + (work.copiedBytes + work.matrixSharedBytes) / rate.sharedBytes));
  set(Resource::Tensor, most * work.matrixClocks / busy);
  set(Resource::Issue, most * sim::issued * work.instructions / parts / busy);
  set(Resource::Float, most * work.floats / 128 / busy);
  set(Resource::Integer, most * work.integers / 64 / busy);
  set(Resource::Special, most * work.specials / 16 / busy);
  set(Resource::Double, most * work.doubles / 64 / busy);
  set(Resource::Convert, most * work.converts / 64 / busy);
  // What registers do not hold goes through the first cache.
  set(Resource::Spills, most * waitsForSpills * launch.spilledBytes / (rate.l1Sectors * 32));
  // A slice of the L2 changes one number after the other; slices: of the largest GPUs, assumed of
  // all.
  constexpr double slices = 96;
  if (work.atomicSectors > 0) {
    double numbers = clocksOfAtomic * (work.atomics - work.floatAtomics) +
                     clocksOfFloatAtomic * work.floatAtomics;
    double turns = numbers / std::min(work.atomicSectors, slices);
    if (work.sharedSectors > 0 && work.atomicSectors <= mostSharedSectors) {
      double lines = std::max(1.0, work.atomicSectors / 4);
      turns = std::max(turns, clocksOfSharedSector * work.atomicChanges / std::sqrt(lines));
    }
    set(Resource::Atomics, launch.ctas * turns);
  }
  if (launch.isSimulated) {
    // Spilled registers, and atomics that take turns, are not simulated.
    set(Resource::Latency, simulatedOf(work, launch) + made[size_t(Resource::Spills)] +
                               made[size_t(Resource::Atomics)]);
    return made;
  }
  double turns = most / together, loads = loadsOf(work, launch);
  if (launch.runsAhead) {
    set(Resource::InFlight, turns * loads);
    // Only the first ones are waited for.
    loads /= std::max(1.0, launch.bytesRead / launch.ctas / launch.bytesInFlight);
  }
  set(Resource::Latency, turns * (loads + waitsOf(work, launch, made, most)));
  return made;
}

Prediction predict(const Work &total, const LaunchFacts &launch) {
  Prediction made;
  made.clocks = made.uncapped = clocksOf(total, launch);
  made.clocks[size_t(Resource::CTAs)] = mostCTAs(launch) * sim::latency::startOfCTA;
  // What programs ask for again is in the L2, but for what they come to again too late: each array
  // is read once, and written once.
  const Rates &rate = ratesOf(launch.capability, launch.gpu);
  double bytes = launch.ctas * 32 * total.farSectors;
  double written = std::min(launch.ctas * (total.bytesMoved - total.bytesRead), bytes);
  if (launch.readArrays + launch.writtenArrays > 0)
    made.clocks[size_t(Resource::Memory)] =
        (std::min(bytes - written, launch.readArrays + launch.bytesReadAgain) +
         std::min(written, launch.writtenArrays)) /
        launch.multiprocessors / rate.memoryBytes;
  for (size_t i = 0; i < kResources; ++i)
    made.order[i] = Resource(i);
  auto clocks = [&](Resource resource) { return made.clocks[size_t(resource)]; };
  // What is simulated has all that a multiprocessor does in it: it is no resource beside others.
  auto rank = [&](Resource resource) {
    bool isAll = launch.isSimulated && resource == Resource::Latency;
    return (isAll ? bounds : 1) * clocks(resource);
  };
  llvm::stable_sort(made.order, [&](Resource a, Resource b) { return rank(a) > rank(b); });
  std::array<Resource, 2> busiest{made.order[0], made.order[1]};
  if (launch.isSimulated) {
    auto *next = busiest.begin();
    for (Resource resource : llvm::ArrayRef(made.order).take_front(3))
      if (resource != Resource::Latency && next != busiest.end())
        *next++ = resource;
  }
  // What bounds the kernel is busy from the first answer on.
  bool isBusyLater =
      total.bytesRead > 0 && busiest[0] != Resource::Latency && busiest[0] != Resource::CTAs;
  double idle = isBusyLater ? firstAnswerMicroseconds * rate.megahertz : 0;
  // The CTA that starts last does all that one does.
  double waited = clocks(Resource::Latency);
  double last = launch.isSimulated ? waited
                                   : clocks(Resource::CTAs) + waited * sideBySide(launch) /
                                                                  std::max(mostCTAs(launch), 1.0);
  // Of the second resource: hidden wholly, by the usual part, not at all. What is simulated says
  // how much is hidden.
  const double usual = launch.isSimulated ? 0 : 0.2;
  auto time = [&](double part) {
    double together = idle + clocks(busiest[0]) + part * clocks(busiest[1]);
    return launchMicroseconds + std::max(together, last) / rate.megahertz;
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
