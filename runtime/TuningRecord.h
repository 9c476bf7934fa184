//===- TuningRecord.h - measured times, kept on disk ------------*- C++ -*-===//
//
// One file for each kernel, machine and key, `<cache>/tuning/<kernel>/<scope>.json`, with
// one time (or the reason of a failure) for each configuration that was ever tried: a
// list of configurations that changes costs only what is new in it. Files appear by
// rename and carry a checksum. A file that is damaged, or of another form, counts as
// none; one that cannot be written is not.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_TUNINGRECORD_H
#define TRITIUM_RUNTIME_TUNINGRECORD_H

#include <array>
#include <map>
#include <optional>
#include <string>

namespace tritium::runtime {

/// What is known of one configuration.
struct Timing {
  /// In milliseconds: the least time, the 20 % and the 80 % quantile.
  std::array<double, 3> times = {};
  std::string reason; ///< why it has none; empty: it has
  /// There were others without that reason: it would run, and may be measured where they are not.
  bool isSetAside = false;
  bool operator==(const Timing &) const = default;
};

struct TuningRecord {
  std::string kernel, key;               ///< for people who read the file
  std::map<std::string, Timing> timings; ///< by the configuration's label
  bool operator==(const TuningRecord &) const = default;
};

/// The records of one kernel and key, under the hash `name`. What the names in the
/// kernel's text stand for (its `scope`, a hash) is known only when one of its variants
/// is compiled: `exist` answers without it.
class TuningRecords {
public:
  /// An empty cache directory makes a place that holds nothing.
  TuningRecords(const std::string &cacheDirectory, const std::string &name);

  bool exist() const;
  std::optional<TuningRecord> find(const std::string &scope) const;
  /// Adds the timings to those on disk; returns whether they are there now.
  bool store(const std::string &scope, const TuningRecord &record) const;
  std::string path(const std::string &scope) const;

  /// Removes all records, or those of one kernel. Returns their number.
  static size_t clear(const std::string &cacheDirectory, const std::string &kernel = {});

private:
  std::string folder; ///< empty: none
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_TUNINGRECORD_H
