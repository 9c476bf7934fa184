//===- Settings.h - the environment that is heeded --------------*- C++ -*-===//
//
// One table, Settings.def, has every environment variable that the compiler and the runtime heed.
// From it come their values here, the keys of caches, python/tritium/knobs.py, and the lists that
// users read. Nothing else calls getenv for them. Variables are read each time, so that a host may
// change them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_SUPPORT_SETTINGS_H
#define TRITIUM_SUPPORT_SETTINGS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tritium {

struct Setting {
  enum Type { Flag, Integer, Number, Text, Chosen, Class };
  enum Effect { Run, Kernel, Code, Nothing };
  enum Audience { User, Developer };

  const char *variable;
  Type type;
  const char *usual; ///< as text; "": nothing
  Effect effect;
  const char *knob; ///< "cache.dir"; "": none
  Audience audience;
  const char *doc;

  /// What the variable holds; empty if it is not set.
  std::string text() const;
  /// Flag: 1, true, on, yes, y or 0, false, off, no, n in any case; else what is usual.
  bool isOn() const;
  /// Chosen: whether it is on, or names `kernel`.
  bool isOnFor(std::string_view kernel) const;
  /// Integer, Number: what is set, else what is usual; none if neither is a number that is at
  /// least 0.
  std::optional<uint64_t> integer() const;
  std::optional<double> number() const;
  /// Sets it for this process.
  void set(const std::string &text) const;
};

namespace settings {
#define SETTING(name, ...) extern const Setting name;
#include "tritium/Support/Settings.def"
#undef SETTING

/// The whole table.
std::span<const Setting *const> all();

/// `variable=value` of each that is set and has the effect: of Code, a part of the key of every
/// cached kernel.
std::string describe(Setting::Effect effect);

/// TRITON_HOME, or the home directory; empty if there is neither.
std::string homeDirectory();
/// The value of a directory, with the home directory for ~; empty if that is not known.
std::string directory(const Setting &setting);
} // namespace settings

} // namespace tritium

#endif // TRITIUM_SUPPORT_SETTINGS_H
