//===- Target.cpp - what code is compiled for -----------------------------===//

#include "tritium/Kernel/Target.h"

#include <algorithm>
#include <charconv>
#include <mutex>

using namespace tritium;

namespace {

struct Kinds {
  std::mutex mutex;
  std::vector<const TargetKind *> all{&kCPU, &kInterpreter, &kCUDA, &kSimulator};

  static Kinds &get() {
    static Kinds kinds;
    return kinds;
  }
};

/// "90", "sm90" or "sm_90" as a number; 0: it is none.
unsigned architectureIn(std::string_view text) {
  if (text.starts_with("sm"))
    text.remove_prefix(text.starts_with("sm_") ? 3 : 2);
  unsigned number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number < 1000 ? number : 0;
}

} // namespace

std::vector<const TargetKind *> tritium::targetKinds() {
  Kinds &kinds = Kinds::get();
  std::lock_guard lock(kinds.mutex);
  return kinds.all;
}

void tritium::addTargetKind(const TargetKind &kind) {
  Kinds &kinds = Kinds::get();
  std::lock_guard lock(kinds.mutex);
  if (std::find(kinds.all.begin(), kinds.all.end(), &kind) == kinds.all.end())
    kinds.all.push_back(&kind);
}

std::optional<Target> Target::parse(std::string_view text, std::string &error) {
  size_t colon = text.find(':');
  bool hasMore = colon != std::string_view::npos;
  std::string_view first = text.substr(0, colon);
  std::string_view rest = hasMore ? text.substr(colon + 1) : std::string_view();
  std::string known;
  for (const TargetKind *kind : targetKinds()) {
    known += (known.empty() ? "" : ", ") + std::string(kind->spelling);
    if (first != kind->name)
      continue;
    if (kind->hasArchitectures) {
      if (unsigned number = architectureIn(rest))
        return Target(*kind, number);
      error = "no target '" + std::string(text) + "'; write " + kind->name +
              ":80 for a GPU of compute capability 8.0";
      return std::nullopt;
    }
    if (!hasMore)
      return Target(*kind);
    if (kind == &kCPU && !rest.empty())
      return Target::cpu(std::string(rest));
  }
  error = "no target '" + std::string(text) + "'; there are: " + known;
  // "sm_90" and "sm90" are how others write it.
  if (unsigned number = architectureIn(text); number && text.starts_with("sm"))
    error += "; write cuda:" + std::to_string(number) + ", or sim:" + std::to_string(number);
  return std::nullopt;
}

std::string Target::platform() const {
  return kind().hasArchitectures ? std::string(kind().name) + ":" + std::to_string(number)
                                 : kind().name;
}

std::string Target::str() const {
  return is(kCPU) && name != "native" ? std::string(kind().name) + ":" + name : platform();
}
