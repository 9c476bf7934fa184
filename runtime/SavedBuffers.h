//===- SavedBuffers.h - memory that trial runs may change -------*- C++ -*-===//

#ifndef TRITIUM_RUNTIME_SAVEDBUFFERS_H
#define TRITIUM_RUNTIME_SAVEDBUFFERS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tritium::runtime {

/// Copies of memory ranges, to be put back before and after trial runs.
class SavedBuffers {
public:
  /// What happens to [begin, end) before each run; it is put back by restore() in any case.
  enum class BeforeRun {
    Nothing, ///< a run does not read it
    Restore,
    Zero
  };
  /// Adds a range. Of ranges that overlap the strictest counts for all of them.
  void add(uint64_t begin, uint64_t end, BeforeRun action);
  /// Takes the copies. False if there is no memory for them.
  bool save();
  void beforeRun() const;
  /// Everything is as when it was saved.
  void restore() const;

private:
  struct Range {
    uint64_t begin, end;
    BeforeRun action;
    std::unique_ptr<std::byte[]> copy;
  };
  std::vector<Range> ranges;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_SAVEDBUFFERS_H
