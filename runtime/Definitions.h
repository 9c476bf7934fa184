//===- Definitions.h - `-D` definitions and what they choose from -*- C++ -*-===//
//
// A definition has one value or a list, `[64, 128]`; the lists of a kernel span the
// space that tuning searches.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_DEFINITIONS_H
#define TRITIUM_RUNTIME_DEFINITIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tritium::runtime {

/// NAME -> text, in order.
using Definitions = std::vector<std::pair<std::string, std::string>>;

/// The values that a definition's text lists: those between the brackets if it starts
/// with `[` and ends with the matching `]`, split at commas outside of brackets,
/// parentheses, braces and quotes; else nothing. Blanks around items are dropped.
std::optional<std::vector<std::string>> listValues(std::string_view text);

/// An integer literal of C, with its sign and suffixes.
std::optional<int64_t> integerValue(std::string_view text);

/// One configuration: a value of every definition, and options of launches.
struct Choice {
  Definitions defines;
  std::optional<int> numWarps;

  /// A definition's text, or num_warps; null if there is none of that name.
  const std::string *find(std::string_view name) const;
  /// What differs between the choices of a kernel, as text: "TM=64, num_warps=4".
  std::string label;
  std::string numWarpsText;
};

/// A definition with the values to choose from.
struct Alternatives {
  std::string name;
  std::vector<std::string> values;
};

/// What a host asks for.
struct ChoiceSpace {
  std::vector<Alternatives> defines;
  struct Config {
    std::vector<Alternatives> defines; ///< in addition, or instead of those of the same name
    std::optional<int> numWarps;
  };
  std::vector<Config> configs; ///< tried each; empty: one without anything
  std::vector<int> numWarps;   ///< of configs that say nothing; empty: none
};

/// The most choices that one kernel may have.
constexpr size_t maxChoices = 4096;

/// Every combination, the last definition changing fastest, num_warps after it. Nothing
/// with `error` if a list is empty or there are more than maxChoices.
std::optional<std::vector<Choice>> enumerate(const ChoiceSpace &space, std::string &error);

/// The identifiers in C's text, without comments and strings.
std::set<std::string> identifiersIn(std::string_view text);

/// The one of `names` that `name` may be a misspelling of, or "".
std::string nearestName(std::string_view name, const std::set<std::string> &names);

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_DEFINITIONS_H
