//===- TunerRuns.cpp - running and measuring candidates -------------------===//
//
// Timing on a machine that other programs use, too: the candidates run by turns, so that
// a slow moment hits all of them; the least time of each counts, because noise only
// adds; those that are clearly behind leave early. The whole is bounded: each candidate
// has its share of time, and all together no more than maxSeconds once each has run.
//
//===----------------------------------------------------------------------===//

#include "HostOutput.h"
#include "TunerState.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace tritium;
using namespace tritium::runtime;

namespace {

constexpr double defaultMilliseconds = 30; ///< a candidate's share
constexpr double maxSeconds = 10;
constexpr size_t minRounds = 3, maxRounds = 1000;
/// A candidate leaves when its best time exceeds the leader's by this factor, after that
/// many rounds.
constexpr std::pair<size_t, double> limits[] = {{2, 2.0}, {5, 1.3}, {20, 1.1}};

double quantile(const std::vector<double> &sorted, double q) {
  double position = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(position), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (position - static_cast<double>(low));
}

} // namespace

/// The device whose memory an argument is; null for the host's.
const DeviceMemory *Tuner::deviceOf(const BoundArgument &argument) const {
  CompileError ignored;
  return runtime::deviceOf(argument, request.name, ignored);
}

/// The device that the candidates' arrays are on; null: the host.
const DeviceMemory *Tuner::measuredDevice() const {
  for (const auto &candidate : prepared)
    if (candidate)
      for (const BoundArgument &argument : candidate->arguments)
        if (const DeviceMemory *device = deviceOf(argument))
          return device;
  return nullptr;
}

/// Waits for what is queued on the device of a candidate, if it runs on one.
bool Tuner::finish(const Kernel::Prepared &launch, CompileError &error) const {
  for (const BoundArgument &argument : launch.arguments)
    if (const DeviceMemory *device = deviceOf(argument))
      return device->finish(request.name, error);
  return true;
}

/// Copies what the candidates write. Answers why they cannot be run more than once, if
/// they cannot.
std::optional<std::string> Tuner::saveBuffers() {
  struct Use {
    std::pair<uint64_t, uint64_t> array, reach;
    bool isKnown = true, isWritten = false, isRead = false;
    std::string name;
    const DeviceMemory *device = nullptr;
    bool mayMeet(const Use &other) const {
      return reach.first < other.reach.second && other.reach.first < reach.second;
    }
  };
  // By address and extent: candidates may pass different arguments.
  std::vector<Use> uses;
  bool readsAnything = false;
  for (const auto &candidate : prepared) {
    if (!candidate)
      continue;
    if (candidate->variant->metadata().hasIndirectWrites && !mayRepeatIndirectWrites)
      return "the kernel writes through pointers that it loads, to memory that nobody can put "
             "back: say restore_value=[] (or TRITIUM_TUNING=always) if it may run more than once";
    readsAnything |= candidate->variant->metadata().hasIndirectPointers;
    const auto &parameters = candidate->variant->metadata().parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const BoundArgument &argument = candidate->arguments[i];
      if (!parameters[i].type.isPointer())
        continue;
      Use use{{argument.begin, argument.end},
              reachOf(candidate->arguments, i),
              true,
              parameters[i].isWritten,
              parameters[i].isRead,
              parameters[i].name,
              deviceOf(argument)};
      if (argument.begin == 0 && argument.end == UINT64_MAX) {
        // Of memory without a known extent only the address tells what is the same.
        use.isKnown = false;
        use.array = use.reach = {argument.slot, argument.slot + 1};
      }
      uses.push_back(std::move(use));
    }
  }
  for (const Use &use : uses) {
    auto action = SavedBuffers::BeforeRun::Nothing;
    if (llvm::is_contained(request.zeroed, use.name))
      action = SavedBuffers::BeforeRun::Zero;
    else if (llvm::is_contained(request.restored, use.name))
      action = SavedBuffers::BeforeRun::Restore;
    else if (!use.isWritten)
      continue;
    else if (readsAnything || llvm::any_of(uses, [&](const Use &other) {
               return other.isRead && use.mayMeet(other);
             }))
      action = SavedBuffers::BeforeRun::Restore;
    // Only the array that is named is zeroed, not what else is in its allocation.
    auto [begin, end] = action == SavedBuffers::BeforeRun::Zero ? use.array : use.reach;
    if (use.isKnown)
      buffers.add(begin, end, action, use.device);
    else if (action != SavedBuffers::BeforeRun::Nothing)
      return "the kernel reads and writes '" + use.name +
             "', whose extent is not known, so that its content cannot be put back: pass an "
             "array instead of a bare address";
  }
  // What is queued on a GPU may still write.
  CompileError earlier;
  for (const auto &candidate : prepared)
    if (candidate && !finish(*candidate, earlier))
      return "work that was queued before failed: " + earlier.message;
  if (!buffers.save())
    return "there is no memory for copies of the arrays that the kernel writes";
  return std::nullopt;
}

/// The launch that a choice was made for finds zeros in the memory that is named so,
/// whether the choice was measured or known.
bool Tuner::zeroNamed(CompileError &error) const {
  const Kernel::Prepared &launch = *prepared[result.best];
  const auto &parameters = launch.variant->metadata().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    bool isKnown = argument.begin != 0 || argument.end != UINT64_MAX;
    if (llvm::is_contained(request.zeroed, parameters[i].name) && isKnown && !argument.isReadOnly &&
        !zeroMemory(argument.begin, argument.end, deviceOf(argument)))
      return memoryError(error);
  }
  return true;
}

bool Tuner::memoryError(CompileError &error) const {
  const DeviceMemory *device = measuredDevice();
  error = launchError(device ? device->errorKind() : "InternalError",
                      "kernel '" + request.name +
                          "': the arrays that tuning changed cannot be put back: the "
                          "driver refuses");
  return false;
}

/// Runs a candidate once. False with `error` set ends the tuning; a candidate whose
/// launch fails is dropped and has infinite time.
bool Tuner::trial(size_t index, double &seconds, CompileError &error) {
  const Candidate &candidate = request.candidates[index];
  Kernel::Prepared &launch = *prepared[index];
  if (!buffers.beforeRun())
    return memoryError(error);
  if (request.hooks && !request.hooks->beforeRun(index, error))
    return false;
  if (interruptible.poll()) {
    error = interruptedError(request.name);
    return false;
  }
  CompileError failure;
  double begin = secondsNow();
  if (watch)
    watch->start();
  bool isDone = launch.variant->launch({launch.arguments, candidate.grid.data()}, failure);
  if (isDone && watch)
    isDone = watch->stop(seconds, request.name, failure);
  else
    seconds = secondsNow() - begin;
  if (!isDone && isInterrupted(failure)) {
    error = failure;
    return false;
  }
  if (!isDone)
    seconds = HUGE_VAL;
  if (request.hooks && !request.hooks->afterRun(index, isDone ? nullptr : &failure, error))
    return false;
  if (!isDone)
    drop(index, failure);
  return true;
}

bool Tuner::warmUp(size_t index, CompileError &error) {
  double begin = secondsNow(), seconds = 0;
  do {
    if (!trial(index, seconds, error))
      return false;
  } while (prepared[index] && (secondsNow() - begin) * 1e3 < request.warmupMilliseconds);
  return true;
}

bool Tuner::measureByHost(size_t index, CompileError &error) {
  bool isStopped = false, isDropped = false;
  auto once = [&](CompileError &failure) {
    if (!prepared[index]) {
      failure = *errors[index];
      return false;
    }
    double seconds = 0;
    if (!trial(index, seconds, failure)) {
      isStopped = true;
      return false;
    }
    isDropped = !prepared[index];
    if (isDropped)
      failure = *errors[index];
    return !isDropped;
  };
  std::array<double, 3> times = {};
  bool isDone = request.hooks->measure(index, once, times, error);
  if (isDropped)
    return true;
  if (isDone)
    result.timings[index] = Timing{times, ""};
  return isDone && !isStopped;
}

void Tuner::measureByTurns(std::vector<size_t> alive, bool &isStopped, CompileError &error) {
  double share =
      request.measureMilliseconds > 0 ? request.measureMilliseconds : defaultMilliseconds;
  double begin = secondsNow();
  double end = begin + std::min(share * 1e-3 * static_cast<double>(alive.size()), maxSeconds);
  auto least = [&](size_t i) { return *std::min_element(samples[i].begin(), samples[i].end()); };
  for (size_t round = 1; round <= maxRounds && !alive.empty(); ++round) {
    // Another one begins each round: nobody always follows the same neighbour.
    std::rotate(alive.begin(), alive.begin() + 1, alive.end());
    for (size_t index : alive) {
      double seconds = 0;
      if (!trial(index, seconds, error)) {
        isStopped = true;
        return;
      }
      if (prepared[index])
        samples[index].push_back(seconds);
      if (secondsNow() - begin > maxSeconds && round > 1)
        break;
    }
    llvm::erase_if(alive, [&](size_t i) { return !prepared[i]; });
    if (alive.empty())
      break;
    double leader = HUGE_VAL;
    for (size_t index : alive)
      leader = std::min(leader, least(index));
    for (auto [rounds, factor] : limits)
      if (round >= rounds)
        llvm::erase_if(alive,
                       [&, factor = factor](size_t i) { return least(i) > factor * leader; });
    double elapsed = secondsNow() - begin;
    if ((round >= minRounds && (secondsNow() >= end || alive.size() == 1)) || elapsed > maxSeconds)
      break;
  }
}

bool Tuner::measureAll(CompileError &error) {
  double begin = secondsNow();
  bool isStopped = false;
  if (const DeviceMemory *device = measuredDevice())
    watch = device->clock();
  std::vector<size_t> alive;
  for (size_t i = 0; i < count && !isStopped; ++i) {
    if (!prepared[i])
      continue;
    if (request.hooks && request.hooks->measures()) {
      isStopped = !measureByHost(i, error);
      continue;
    }
    isStopped = !warmUp(i, error);
    if (prepared[i])
      alive.push_back(i);
  }
  if (!isStopped)
    measureByTurns(alive, isStopped, error);
  if (!buffers.restore() && !isStopped)
    return memoryError(error);
  for (size_t i = 0; i < count; ++i) {
    std::vector<double> &times = samples[i];
    if (times.empty() || !prepared[i])
      continue;
    std::sort(times.begin(), times.end());
    result.timings[i] =
        Timing{{times.front() * 1e3, quantile(times, 0.2) * 1e3, quantile(times, 0.8) * 1e3}, ""};
  }
  watch.reset();
  result.measureSeconds = secondsNow() - begin;
  return !isStopped;
}
