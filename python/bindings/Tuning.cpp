//===- Tuning.cpp - the tuner, for Python ---------------------------------===//
//
// tune() runs without the GIL; the hooks take it. An exception that a hook raises is
// kept, ends the tuning and goes on to the caller.
//
//===----------------------------------------------------------------------===//

#include "HookError.h"
#include "Launcher.h"
#include "Module.h"
#include "WithGIL.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;
using namespace tritium::python;

namespace {

/// What the callbacks need. `before(i)`, `after(i, reason or None)` and
/// `measure(i, run)`, which answers three times, are functions or None.
struct Hooks {
  nb::object before, after, measure;
  HookError error = {};
};

int before(void *user, size_t candidate) {
  auto *hooks = static_cast<Hooks *>(user);
  return hooks->error.guarded([&] {
    if (!hooks->before.is_none())
      hooks->before(candidate);
  });
}

/// The Python exception for an error, which is left as it is.
nb::object toException(const tritium_error *error) {
  if (!error)
    return nb::none();
  PyObject *made = PyObject_CallFunction(interned()->raise, "sssiis", error->kind, error->message,
                                         error->file ? error->file : "", error->line, error->column,
                                         error->rendered);
  if (!made)
    throw nb::python_error();
  return nb::steal(made);
}

int after(void *user, size_t candidate, const tritium_error *failure) {
  auto *hooks = static_cast<Hooks *>(user);
  return hooks->error.guarded([&] {
    if (!hooks->after.is_none())
      hooks->after(candidate, toException(failure));
  });
}

int measure(void *user, size_t candidate, tritium_trial *trial, double times[3]) {
  auto *hooks = static_cast<Hooks *>(user);
  return hooks->error.guarded([&] {
    auto run = nb::cpp_function([hooks, trial] {
      tritium_error error = {};
      int status;
      {
        WithoutGIL release;
        status = tritium_trial_run(trial, &error);
      }
      if (status != 0)
        hooks->error.raiseInsteadOf(error);
    });
    auto measured = nb::cast<std::vector<double>>(hooks->measure(candidate, run));
    measured.resize(3, measured.empty() ? 0 : measured.back());
    std::copy_n(measured.begin(), 3, times);
  });
}

std::vector<const char *> toPointers(const std::vector<std::string> &texts) {
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  return pointers;
}

/// Answers (best, source, note, timings, seconds of compiling, whether the choice is for this call
/// only), where a timing is None, a reason or
/// a list of three times.
nb::tuple tune(nb::list calls, const std::vector<std::string> &labels, const std::string &key,
               const std::vector<std::string> &resetToZero,
               const std::vector<std::string> &restoreValue, double warmup, double rep,
               bool useRecord, bool mayRepeat, nb::object beforeHook, nb::object afterHook,
               nb::object measureHook) {
  std::vector<tritium_candidate> candidates(nb::len(calls));
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto *pending = static_cast<PendingCall *>(
        PyCapsule_GetPointer(nb::object(calls[i]).ptr(), PendingCall::capsule));
    if (!pending)
      throw nb::python_error();
    const BoundCall &call = pending->call;
    candidates[i] = {pending->native,     call.arguments,
                     call.count,          call.options.data(),
                     call.options.size(), {pending->grid[0], pending->grid[1], pending->grid[2]},
                     labels.at(i).c_str()};
  }
  std::vector<const char *> zeroed = toPointers(resetToZero), restored = toPointers(restoreValue);
  Hooks hooks{beforeHook, afterHook, measureHook};
  tritium_tuning tuning = {};
  tuning.candidates = candidates.data();
  tuning.count = candidates.size();
  tuning.key = key.c_str();
  tuning.reset_to_zero = zeroed.data();
  tuning.reset_to_zero_count = zeroed.size();
  tuning.restore_value = restored.data();
  tuning.restore_value_count = restored.size();
  tuning.warmup_ms = warmup;
  tuning.rep_ms = rep;
  tuning.ignore_record = !useRecord;
  tuning.may_repeat_indirect_writes = mayRepeat;
  tuning.user = &hooks;
  tuning.before = before;
  tuning.after = afterHook.is_none() ? nullptr : after;
  tuning.measure = measureHook.is_none() ? nullptr : measure;
  tritium_error error = {};
  tritium_tuned *tuned;
  {
    WithoutGIL release;
    tuned = tritium_tune(&tuning, &error);
  }
  if (!tuned)
    hooks.error.raiseInsteadOf(error);
  nb::list timings = timingsOf(tuned, candidates.size());
  double compileSeconds = 0, measureSeconds = 0;
  tritium_tuned_seconds(tuned, &compileSeconds, &measureSeconds);
  nb::tuple answer = nb::make_tuple(tritium_tuned_best(tuned), tritium_tuned_source(tuned),
                                    tritium_tuned_note(tuned), timings, compileSeconds,
                                    tritium_tuned_is_for_this_call_only(tuned) != 0);
  tritium_tuned_release(tuned);
  return answer;
}

} // namespace

nb::list tritium::python::timingsOf(const tritium_tuned *tuned, size_t count) {
  nb::list timings;
  for (size_t i = 0; i < count; ++i) {
    tritium_timing timing = tritium_tuned_timing(tuned, i);
    if (!timing.is_known)
      timings.append(nb::none());
    else if (timing.reason)
      timings.append(nb::str(timing.reason));
    else
      timings.append(nb::cast(std::vector<double>(timing.times, timing.times + 3)));
  }
  return timings;
}

void tritium::python::addTuning(nb::module_ &m) {
  m.def("tune", tune, nb::arg("calls"), nb::arg("labels"), nb::arg("key"), nb::arg("reset_to_zero"),
        nb::arg("restore_value"), nb::arg("warmup"), nb::arg("rep"), nb::arg("use_record"),
        nb::arg("may_repeat"), nb::arg("before").none(), nb::arg("after").none(),
        nb::arg("measure").none());
}
