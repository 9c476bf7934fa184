//===- Definitions.cpp - `-D` definitions and what they choose from -------===//

#include "Definitions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace tritium::runtime;

//===-- Values ------------------------------------------------------------===//

std::optional<std::vector<std::string>> tritium::runtime::listValues(std::string_view given) {
  llvm::StringRef text = llvm::StringRef(given.data(), given.size()).trim();
  if (!text.starts_with("[") || !text.ends_with("]") || text.size() < 2)
    return std::nullopt;
  std::vector<std::string> items;
  size_t begin = 1;
  std::string open = "]"; // the closing brackets that are awaited
  char quote = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    char c = text[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
      continue;
    }
    if (open.empty())
      return std::nullopt; // `[a] + [b]`: the last bracket is not the first one's
    if (c == '\'' || c == '"')
      quote = c;
    else if (c == '[' || c == '(' || c == '{')
      open += c == '[' ? ']' : c == '(' ? ')' : '}';
    else if ((c == ']' || c == ')' || c == '}') && c != open.back())
      return std::nullopt;
    else if (c == ']' || c == ')' || c == '}')
      open.pop_back();
    if (open.empty() || (c == ',' && open.size() == 1)) {
      items.push_back(text.slice(begin, i).trim().str());
      begin = i + 1;
    }
  }
  if (quote || !open.empty())
    return std::nullopt;
  // `[]` has no values, and `[a,]` one.
  if (!items.empty() && items.back().empty())
    items.pop_back();
  return items;
}

std::optional<int64_t> tritium::runtime::integerValue(std::string_view given) {
  llvm::StringRef text = llvm::StringRef(given.data(), given.size()).trim();
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  text = text.ltrim();
  llvm::StringRef digits = text.rtrim("uUlL");
  if (text.size() - digits.size() > 3 || digits.empty() || !llvm::isDigit(digits[0]))
    return std::nullopt;
  uint64_t magnitude = 0;
  unsigned base = 10;
  if (digits.starts_with_insensitive("0x")) {
    base = 16;
    digits = digits.drop_front(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  if (digits.getAsInteger(base, magnitude) || magnitude > uint64_t(INT64_MAX))
    return std::nullopt;
  int64_t value = static_cast<int64_t>(magnitude);
  return isNegative ? -value : value;
}

//===-- Choices -----------------------------------------------------------===//

const std::string *Choice::find(std::string_view name) const {
  for (const auto &[known, text] : defines)
    if (known == name)
      return &text;
  return name == "num_warps" && numWarps ? &numWarpsText : nullptr;
}

namespace {

/// Adds `defines`, or replaces those of the same name.
bool setAxes(std::vector<Alternatives> &axes, const std::vector<Alternatives> &defines,
             std::string &error) {
  for (const Alternatives &define : defines) {
    if (define.values.empty()) {
      error = "the list of '" + define.name + "' is empty";
      return false;
    }
    auto known = std::find_if(axes.begin(), axes.end(),
                              [&](const Alternatives &axis) { return axis.name == define.name; });
    if (known == axes.end())
      axes.push_back(define);
    else
      *known = define;
  }
  return true;
}

/// Labels tell what differs.
void setLabels(std::vector<Choice> &choices) {
  auto differs = [&](const std::string &name) {
    const std::string *first = choices.front().find(name);
    return std::any_of(choices.begin(), choices.end(), [&](const Choice &choice) {
      const std::string *text = choice.find(name);
      return !text != !first || (text && *text != *first);
    });
  };
  std::map<std::string, bool> known;
  for (Choice &choice : choices) {
    auto add = [&](const std::string &name, const std::string &text) {
      auto [it, isNew] = known.try_emplace(name, false);
      if (isNew)
        it->second = differs(name);
      if (it->second)
        choice.label += (choice.label.empty() ? "" : ", ") + name + "=" + text;
    };
    for (const auto &[name, text] : choice.defines)
      add(name, text);
    if (choice.numWarps)
      add("num_warps", choice.numWarpsText);
  }
}

} // namespace

std::optional<std::vector<Choice>> tritium::runtime::enumerate(const ChoiceSpace &space,
                                                               std::string &error) {
  std::vector<Choice> choices;
  std::vector<ChoiceSpace::Config> configs = space.configs;
  if (configs.empty())
    configs.emplace_back();
  for (const ChoiceSpace::Config &config : configs) {
    std::vector<Alternatives> axes;
    if (!setAxes(axes, space.defines, error) || !setAxes(axes, config.defines, error))
      return std::nullopt;
    std::vector<std::optional<int>> warps(space.numWarps.begin(), space.numWarps.end());
    if (config.numWarps)
      warps = {config.numWarps};
    if (warps.empty())
      warps = {std::nullopt};
    std::vector<size_t> index(axes.size(), 0);
    for (bool isDone = false; !isDone;) {
      for (std::optional<int> count : warps) {
        if (choices.size() >= maxChoices) {
          error = "the lists make more than " + std::to_string(maxChoices) + " configurations";
          return std::nullopt;
        }
        Choice choice;
        for (size_t i = 0; i < axes.size(); ++i)
          choice.defines.emplace_back(axes[i].name, axes[i].values[index[i]]);
        choice.numWarps = count;
        if (count)
          choice.numWarpsText = std::to_string(*count);
        choices.push_back(std::move(choice));
      }
      // Counts up, the last axis first.
      size_t axis = axes.size();
      while (axis > 0 && ++index[axis - 1] == axes[axis - 1].values.size())
        index[--axis] = 0;
      isDone = axis == 0;
    }
  }
  setLabels(choices);
  return choices;
}

//===-- Names -------------------------------------------------------------===//

std::set<std::string> tritium::runtime::identifiersIn(std::string_view text) {
  std::set<std::string> names;
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  for (size_t i = 0; i < text.size();) {
    std::string_view rest = text.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 2;
    } else if (isPart(text[i])) {
      size_t end = i;
      while (end < text.size() && isPart(text[end]))
        ++end;
      if (!llvm::isDigit(text[i]))
        names.emplace(text.substr(i, end - i));
      i = end;
    } else {
      ++i;
    }
  }
  return names;
}

std::string tritium::runtime::nearestName(std::string_view name,
                                          const std::set<std::string> &names) {
  std::string nearest;
  unsigned best = std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3) + 1;
  for (const std::string &candidate : names) {
    unsigned distance = llvm::StringRef(candidate).edit_distance_insensitive(
        llvm::StringRef(name.data(), name.size()), true, best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}
