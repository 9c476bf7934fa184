//===- Tuner.cpp - choosing among configurations by measurement -----------===//
//
// Timing on a machine that other programs use, too: the candidates run by turns, so that
// a slow moment hits all of them; the least time of each counts, because noise only
// adds; those that are clearly behind leave early. The whole is bounded: each candidate
// has its share of time, and all together no more than maxSeconds once each has run.
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "HostOutput.h"
#include "Interrupt.h"
#include "Serialization.h"
#include "ThreadPool.h"
#include "Threads.h"
#include "cuda/Memory.h"
#include "cuda/Stopwatch.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <set>

using namespace tritium;
using namespace tritium::runtime;

namespace {

constexpr double defaultMilliseconds = 30; ///< a candidate's share
constexpr double maxSeconds = 10;
constexpr size_t minRounds = 3, maxRounds = 1000;
/// A candidate leaves when its best time exceeds the leader's by this factor, after that
/// many rounds.
constexpr std::pair<size_t, double> limits[] = {{2, 2.0}, {5, 1.3}, {20, 1.1}};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double quantile(const std::vector<double> &sorted, double q) {
  double position = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(position), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (position - static_cast<double>(low));
}

std::string reasonOf(const CompileError &error) {
  std::string place =
      error.line ? error.file + ":" + std::to_string(error.line) + ": " : std::string();
  return place + error.message;
}

enum class Mode { Measure, Always, First, Recorded };

bool readMode(Mode &mode, CompileError &error) {
  std::string text = settings::Tuning.text();
  mode = text == "always"     ? Mode::Always
         : text == "first"    ? Mode::First
         : text == "recorded" ? Mode::Recorded
                              : Mode::Measure;
  if (mode != Mode::Measure || text.empty() || text == "measure")
    return true;
  error = launchError("OptionError", "TRITIUM_TUNING=" + text +
                                         ": no such way to choose; there are: measure, always, "
                                         "first, recorded");
  return false;
}

class Tuner {
public:
  Tuner(const TuningRequest &request, TuningResult &result)
      : request(request), result(result), count(request.candidates.size()), prepared(count),
        errors(count), samples(count) {
    result.timings.resize(count);
  }

  bool run(CompileError &error) { return choose(error) && (count == 1 || zeroNamed(error)); }

private:
  bool choose(CompileError &error);
  bool compile(size_t index);
  void compileAll();
  bool takeFirst(CompileError &error);
  bool fail(CompileError &error) const;
  TuningRecords records() const;
  bool takeRecorded(const TuningRecord &record);
  std::optional<std::string> saveBuffers();
  bool zeroNamed(CompileError &error) const;
  const cuda::Device *deviceOf(const BoundArgument &argument) const;
  const cuda::Device *measuredDevice() const;
  bool finish(const Kernel::Prepared &launch, CompileError &error) const;
  bool memoryError(CompileError &error) const;
  bool measureAll(CompileError &error);
  bool trial(size_t index, double &seconds, CompileError &error);
  bool warmUp(size_t index, CompileError &error);
  bool measureByHost(size_t index, CompileError &error);
  void measureByTurns(std::vector<size_t> alive, bool &isStopped, CompileError &error);
  void drop(size_t index, const CompileError &reason);
  std::optional<size_t> fastest() const;

  const TuningRequest &request;
  TuningResult &result;
  size_t count;
  std::vector<std::optional<Kernel::Prepared>> prepared; ///< of those that compile
  std::vector<std::optional<CompileError>> errors;       ///< of those that do not run
  std::vector<std::vector<double>> samples;              ///< seconds
  SavedBuffers buffers;
  Interruptible interruptible;
  std::unique_ptr<cuda::Stopwatch> watch; ///< while candidates are measured on a GPU
  bool mayRepeatIndirectWrites = false;
};

} // namespace

//===-- Compiling ---------------------------------------------------------===//

void Tuner::drop(size_t index, const CompileError &reason) {
  errors[index] = reason;
  prepared[index].reset();
  result.timings[index] = Timing{{}, reasonOf(reason)};
}

bool Tuner::compile(size_t index) {
  if (prepared[index] || errors[index])
    return prepared[index].has_value();
  Candidate candidate = request.candidates[index];
  CompileError error;
  Kernel::Prepared made;
  // Exceptions must not leave a worker thread.
  try {
    if (checkGrid(request.name, candidate.grid.data(), error) &&
        (candidate.kernel || candidate.complete(candidate, error)) &&
        candidate.kernel->prepare(candidate.call, made, error)) {
      prepared[index] = std::move(made);
      return true;
    }
  } catch (const std::bad_alloc &) {
    error = launchError("OutOfMemory", "out of memory");
  } catch (const std::exception &exception) {
    error = launchError("InternalError", std::string("bug in Tritium: ") + exception.what());
  }
  drop(index, error);
  return false;
}

void Tuner::compileAll() {
  double begin = now();
  // A thread for each core that the process may run on.
  size_t cores = llvm::hardware_concurrency().compute_thread_count();
  std::atomic<size_t> next{0};
  std::atomic<uint32_t> ended{0};
  std::vector<std::thread> threads;
  auto work = [&] {
    for (size_t i = next++; i < count && !interruptible.isStopped(); i = next++)
      compile(i);
    ++ended;
  };
  try {
    while (threads.size() < std::min(count, cores))
      threads.push_back(startThread(work));
  } catch (const std::system_error &) {
    if (threads.empty())
      work();
  }
  // What has begun to compile is compiled to its end.
  while (ended < threads.size()) {
    interruptible.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::thread &thread : threads)
    thread.join();
  result.compileSeconds = now() - begin;
}

bool Tuner::takeFirst(CompileError &error) {
  for (size_t i = 0; i < count; ++i)
    if (compile(i)) {
      result.best = i;
      result.source = count == 1 ? TuningResult::Source::Only : TuningResult::Source::First;
      return true;
    }
  return fail(error);
}

bool Tuner::fail(CompileError &error) const {
  std::vector<std::pair<std::string, CompileError>> failures;
  for (size_t i = 0; i < count; ++i)
    failures.emplace_back(request.candidates[i].label, *errors[i]);
  error = everyReason(request.name, failures);
  return false;
}

CompileError
tritium::runtime::everyReason(const std::string &kernel,
                              const std::vector<std::pair<std::string, CompileError>> &failures) {
  const CompileError &first = failures.front().second;
  if (llvm::all_of(failures, [&](const auto &other) {
        return other.second.kind == first.kind && other.second.rendered == first.rendered;
      }))
    return first;
  CompileError error = launchError("AutotunerError", "kernel '" + kernel + "': none of its " +
                                                         std::to_string(failures.size()) +
                                                         " configurations compiles and runs");
  for (const auto &[label, failure] : failures) {
    const std::string &text = failure.rendered.empty() ? failure.message : failure.rendered;
    error.rendered += "\n" + label + ":\n  ";
    for (char c : llvm::StringRef(text).rtrim())
      error.rendered += c == '\n' ? "\n  " : std::string(1, c);
  }
  return error;
}

void tritium::runtime::distinguishLabels(std::vector<Candidate> &candidates) {
  std::set<std::string> labels;
  for (Candidate &candidate : candidates) {
    std::string label = candidate.label;
    for (int copy = 2; !labels.insert(label).second; ++copy)
      label = candidate.label + " (" + std::to_string(copy) + ")";
    candidate.label = std::move(label);
  }
}

//===-- Records -----------------------------------------------------------===//

TuningRecords Tuner::records() const {
  Writer writer;
  writer.text(request.identity);
  writer.text(settings::describe(Setting::Code));
  writer.text(request.machine);
  writer.text(request.key);
  return {settings::directory(settings::CacheDirectory), hashText(writer.bytes)};
}

/// Takes the fastest candidate that the record knows, if it knows all of them.
bool Tuner::takeRecorded(const TuningRecord &record) {
  for (size_t i = 0; i < count; ++i)
    if (auto known = record.timings.find(request.candidates[i].label);
        known != record.timings.end())
      result.timings[i] = known->second;
  if (!llvm::all_of(result.timings, [](const auto &timing) { return timing.has_value(); }))
    return false;
  std::optional<size_t> best = fastest();
  if (!best || !compile(*best)) {
    // What ran once does not any more: the record is of no use.
    for (size_t i = 0; i < count; ++i)
      if (!errors[i])
        result.timings[i].reset();
    return false;
  }
  result.best = *best;
  result.source = TuningResult::Source::Recorded;
  return true;
}

std::optional<size_t> Tuner::fastest() const {
  std::optional<size_t> best;
  for (size_t i = 0; i < count; ++i) {
    const auto &timing = result.timings[i];
    if (timing && timing->reason.empty() && (!best || timing->times < result.timings[*best]->times))
      best = i;
  }
  return best;
}

//===-- Running -----------------------------------------------------------===//

/// The GPU whose memory an argument is; null for the host's.
const cuda::Device *Tuner::deviceOf(const BoundArgument &argument) const {
  CompileError ignored;
  return argument.device < 0 ? nullptr : cuda::device(argument.device, request.name, ignored);
}

/// The GPU that the candidates' arrays are on; null: the host.
const cuda::Device *Tuner::measuredDevice() const {
  for (const auto &candidate : prepared)
    if (candidate)
      for (const BoundArgument &argument : candidate->arguments)
        if (const cuda::Device *device = deviceOf(argument))
          return device;
  return nullptr;
}

/// Waits for what is queued on the GPU of a candidate, if it runs on one.
bool Tuner::finish(const Kernel::Prepared &launch, CompileError &error) const {
  for (const BoundArgument &argument : launch.arguments)
    if (const cuda::Device *device = deviceOf(argument)) {
      std::optional<cuda::Result> result = cuda::synchronize(*device);
      if (!result)
        error = interruptedError(request.name);
      else if (*result != cuda::Success)
        error = cuda::driverError(*device, *result, "kernel '" + request.name + "' failed");
      return result == cuda::Success;
    }
  return true;
}

/// Copies what the candidates write. Answers why they cannot be run more than once, if
/// they cannot.
std::optional<std::string> Tuner::saveBuffers() {
  struct Use {
    std::pair<uint64_t, uint64_t> array, reach;
    bool isKnown = true, isWritten = false, isRead = false;
    std::string name;
    const cuda::Device *device = nullptr;
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
  error = launchError("CUDAError", "kernel '" + request.name +
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
  double begin = now();
  if (watch)
    watch->start();
  bool isDone = launch.variant->launch(launch.arguments, candidate.grid.data(), failure);
  if (isDone && watch)
    isDone = watch->stop(seconds, request.name, failure);
  else
    seconds = now() - begin;
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
  double begin = now(), seconds = 0;
  do {
    if (!trial(index, seconds, error))
      return false;
  } while (prepared[index] && (now() - begin) * 1e3 < request.warmupMilliseconds);
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
  double begin = now();
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
      if (now() - begin > maxSeconds && round > 1)
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
    double elapsed = now() - begin;
    if ((round >= minRounds && (now() >= end || alive.size() == 1)) || elapsed > maxSeconds)
      break;
  }
}

bool Tuner::measureAll(CompileError &error) {
  double begin = now();
  bool isStopped = false;
  if (const cuda::Device *device = measuredDevice())
    watch = std::make_unique<cuda::Stopwatch>(*device);
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
  result.measureSeconds = now() - begin;
  return !isStopped;
}

//===-- The whole ---------------------------------------------------------===//

bool Tuner::choose(CompileError &error) {
  Mode mode = Mode::Measure;
  if (!readMode(mode, error))
    return false;
  mayRepeatIndirectWrites = request.mayRepeatIndirectWrites || mode == Mode::Always;
  // Times of an interpreter say nothing.
  if (count == 1 || mode == Mode::First || request.isInterpreted)
    return takeFirst(error);
  TuningRecords known = records();
  bool useRecord = request.useRecord;
  if (useRecord && mode != Mode::Always && known.exist()) {
    for (size_t i = 0; i < count && !compile(i); ++i) {
    }
    auto usable = llvm::find_if(prepared, [](const auto &p) { return p.has_value(); });
    if (usable == prepared.end())
      return fail(error);
    auto record = known.find((*usable)->variant->dependencyHash());
    if (record && takeRecorded(*record))
      return true;
  }
  if (mode == Mode::Recorded)
    return takeFirst(error);

  compileAll();
  if (interruptible.isStopped()) {
    error = interruptedError(request.name);
    return false;
  }
  std::vector<size_t> usable;
  for (size_t i = 0; i < count; ++i)
    if (prepared[i])
      usable.push_back(i);
  if (usable.empty())
    return fail(error);
  std::string scope = prepared[usable.front()]->variant->dependencyHash();
  result.best = usable.front();
  result.source = TuningResult::Source::First;
  bool isMeasured = false;
  if (usable.size() > 1) {
    if (std::optional<std::string> obstacle = saveBuffers()) {
      result.note = "nothing was measured and the first configuration is used: " + *obstacle;
    } else {
      if (!measureAll(error))
        return false;
      std::optional<size_t> best = fastest();
      if (!best)
        return fail(error);
      result.best = *best;
      result.source = TuningResult::Source::Measured;
      isMeasured = true;
    }
  }
  if (settings::PrintAutotuning.isOn())
    printText(tuningTable(request, result));
  if (isMeasured && useRecord) {
    TuningRecord record{request.name, request.key, {}};
    for (size_t i = 0; i < count; ++i)
      if (result.timings[i])
        record.timings[request.candidates[i].label] = *result.timings[i];
    known.store(scope, record);
  }
  return true;
}

/// The first array on a GPU; null: there is none.
static const tritium_argument *findOnGPU(llvm::ArrayRef<tritium_argument> arguments) {
  for (const tritium_argument &argument : arguments) {
    if (argument.kind == TRITIUM_ARG_POINTER && argument.memory == TRITIUM_CUDA_MEMORY)
      return &argument;
    bool isAggregate =
        argument.kind == TRITIUM_ARG_TUPLE || argument.kind == TRITIUM_ARG_DESCRIPTOR;
    if (auto *inside =
            isAggregate ? findOnGPU(llvm::ArrayRef(argument.items, argument.bits)) : nullptr)
      return inside;
  }
  return nullptr;
}

std::string tritium::runtime::machineOf(llvm::ArrayRef<tritium_argument> arguments) {
  Writer writer;
  const tritium_argument *onGPU = findOnGPU(arguments);
  bool isForced = settings::Backend.text() == "cuda";
  if (onGPU || isForced) {
    CompileError ignored;
    int ordinal = onGPU ? onGPU->device : cuda::currentDevice();
    if (const cuda::Device *device = cuda::device(ordinal, "", ignored)) {
      writer.text(device->name);
      writer.number(static_cast<uint64_t>(device->driverVersion));
      return writer.bytes;
    }
  }
  writer.text(llvm::sys::getHostCPUName());
  writer.number(static_cast<uint64_t>(llvm::hardware_concurrency().compute_thread_count()));
  writer.number(threadCount());
  return writer.bytes;
}

bool tritium::runtime::tune(const TuningRequest &request, TuningResult &result,
                            CompileError &error) {
  return Tuner(request, result).run(error);
}

std::string tritium::runtime::tuningTable(const TuningRequest &request,
                                          const TuningResult &result) {
  size_t width = 0;
  for (const Candidate &candidate : request.candidates)
    width = std::max(width, candidate.label.size());
  auto number = [](double value, const char *format) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::string table = "Autotuning of kernel '" + request.name + "'";
  if (!request.key.empty())
    table += ", key " + request.key;
  table += ": " + std::to_string(request.candidates.size()) + " configurations, compiled in " +
           number(result.compileSeconds, "%.2f") + " s, measured in " +
           number(result.measureSeconds, "%.2f") + " s\n";
  const auto &best = result.timings[result.best];
  for (size_t i = 0; i < request.candidates.size(); ++i) {
    std::string label = request.candidates[i].label;
    label.resize(width, ' ');
    table += (i == result.best ? "* " : "  ") + label + "  ";
    const auto &timing = result.timings[i];
    if (!timing)
      table += "not measured";
    else if (!timing->reason.empty())
      table += "dropped: " + timing->reason;
    else
      table += number(timing->times[0], "%10.4f") + " ms" +
               number(timing->times[0] / std::max(best->times[0], 1e-9), "%8.2f") + " x";
    table += "\n";
  }
  if (!result.note.empty())
    table += "  note: " + result.note + "\n";
  return table;
}
