//===- Tuner.cpp - choosing among configurations by measurement -----------===//

#include "HostOutput.h"
#include "Serialization.h"
#include "TunerState.h"

#include "tritium/Support/Settings.h"
#include "tritium/Support/Threads.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace tritium;
using namespace tritium::runtime;

namespace {

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
  double begin = secondsNow();
  auto compileNext = [&](size_t i) {
    // What has begun to compile is compiled to its end.
    if (!interruptible.isStopped())
      compile(i);
  };
  onAllCores(count, compileNext, [&] { interruptible.poll(); });
  result.compileSeconds = secondsNow() - begin;
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
  // Those that some were set aside for may not be among the candidates any more.
  auto isCompared = [&] {
    return prepared[*best]->variant->handicap().empty() ||
           llvm::none_of(result.timings, [](const auto &timing) { return timing->isSetAside; });
  };
  if (!best || !compile(*best) || !isCompared()) {
    // What ran once does not any more, or was not compared: the record is of no use.
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

//===-- Handicaps ---------------------------------------------------------===//

/// Where some candidates have a handicap and others have none, those others are enough.
void Tuner::setAsideHandicapped() {
  auto isFree = [](const auto &candidate) {
    return candidate && candidate->variant->handicap().empty();
  };
  if (llvm::none_of(prepared, isFree))
    return;
  for (size_t i = 0; i < count; ++i) {
    if (!prepared[i] || isFree(prepared[i]))
      continue;
    result.timings[i] =
        Timing{{},
               prepared[i]->variant->handicap() + " (other configurations do not have that; "
                                                  "TRITIUM_TUNING=always measures all)",
               true};
    setAside[i] = std::move(prepared[i]);
    prepared[i].reset();
  }
}

/// False: there are none.
bool Tuner::takeBackSetAside() {
  bool isAny = false;
  for (size_t i = 0; i < count; ++i) {
    if (!setAside[i])
      continue;
    isAny = true;
    prepared[i] = std::move(setAside[i]);
    setAside[i].reset();
    result.timings[i].reset();
  }
  return isAny;
}

/// Measures the candidates that have no handicap, or all. False with `error` ends the tuning.
bool Tuner::measureUsable(bool takesAll, CompileError &error) {
  if (!takesAll)
    setAsideHandicapped();
  if (!measureAll(error))
    return false;
  // None of them runs: those with a handicap are better than nothing.
  return fastest() || !takeBackSetAside() || measureAll(error);
}

//===-- The whole ---------------------------------------------------------===//

bool Tuner::choose(CompileError &error) {
  Mode mode = Mode::Measure;
  if (!readMode(mode, error))
    return false;
  mayRepeatIndirectWrites = request.mayRepeatIndirectWrites || mode == Mode::Always;
  // Where no program runs, there is nothing to measure, and the choice is for this call alone.
  bool isEmpty = llvm::all_of(request.candidates, [](const Candidate &candidate) {
    return llvm::is_contained(candidate.grid, 0u);
  });
  if (isEmpty) {
    result.isForThisCallOnly = true;
    return takeFirst(error);
  }
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
      if (!measureUsable(/*takesAll=*/mode == Mode::Always, error))
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

bool tritium::runtime::tune(const TuningRequest &request, TuningResult &result,
                            CompileError &error) {
  return Tuner(request, result).run(error);
}
