//===- Settings.cpp - the environment that is heeded ----------------------===//

#include "tritium/Support/Settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

using namespace tritium;

//===-- The table ---------------------------------------------------------===//

#define SETTING(name, variable, type, usual, effect, knob, audience, doc)                          \
  const Setting settings::name{variable, Setting::type,     usual, Setting::effect,                \
                               knob,     Setting::audience, doc};
#include "tritium/Support/Settings.def"
#undef SETTING

std::span<const Setting *const> settings::all() {
  static constexpr const Setting *table[] = {
#define SETTING(name, ...) &settings::name,
#include "tritium/Support/Settings.def"
#undef SETTING
  };
  return table;
}

//===-- Values ------------------------------------------------------------===//

/// True or false for a word that says so.
static std::optional<bool> asFlag(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  for (const char *word : {"1", "true", "on", "yes", "y"})
    if (text == word)
      return true;
  for (const char *word : {"0", "false", "off", "no", "n"})
    if (text == word)
      return false;
  return std::nullopt;
}

template <typename Value> static std::optional<Value> asNumber(const std::string &text) {
  Value value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool isWhole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return isWhole && value >= 0 ? std::optional(value) : std::nullopt;
}

std::string Setting::text() const {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

bool Setting::isOn() const {
  std::optional<bool> given = asFlag(text());
  return given ? *given : asFlag(usual).value_or(false);
}

bool Setting::isOnFor(std::string_view kernel) const {
  std::string given = text();
  return (!given.empty() && given == kernel) || isOn();
}

std::optional<uint64_t> Setting::integer() const {
  std::optional<uint64_t> given = asNumber<uint64_t>(text());
  return given ? given : asNumber<uint64_t>(usual);
}

std::optional<double> Setting::number() const {
  std::optional<double> given = asNumber<double>(text());
  return given ? given : asNumber<double>(usual);
}

void Setting::set(const std::string &text) const { setenv(variable, text.c_str(), 1); }

//===-- All of them -------------------------------------------------------===//

std::string settings::describe(Setting::Effect effect) {
  std::string set;
  for (const Setting *setting : all())
    if (setting->effect == effect)
      if (std::string value = setting->text(); !value.empty())
        set += std::string(setting->variable) + "=" + value + '\0';
  return set;
}

std::string settings::homeDirectory() {
  std::string home = Home.text();
  if (!home.empty())
    return home;
  const char *user = std::getenv("HOME");
  return user ? user : "";
}

std::string settings::directory(const Setting &setting) {
  std::string given = setting.text();
  if (!given.empty())
    return given;
  std::string home = homeDirectory();
  return home.empty() ? home : home + std::string(setting.usual).substr(1);
}
