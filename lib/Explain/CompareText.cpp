//===- CompareText.cpp - two explanations for a terminal ------------------===//
//
// 80 columns. It computes nothing: every number is one of the comparison's.
//
//===----------------------------------------------------------------------===//

#include "Fields.h"

#include "tritium/Explain/Compare.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

#include <algorithm>

namespace json = llvm::json;

namespace tritium::explain {

namespace {
class ComparisonText {
public:
  explicit ComparisonText(const json::Object &comparison) : comparison(comparison) {}

  std::string render() {
    out << comparison.getString("kernel").value_or("?") << "  "
        << comparison.getString("target").value_or("?") << "\n";
    row("", "a", "b", "");
    table("choices");
    if (!comparison.getBoolean("same_arguments").value_or(true))
      out << "The launches have other arguments.\n";
    time();
    table("numbers");
    if (const json::Object *clocks = comparison.getObject("clocks"); clocks && !clocks->empty())
      out << "clocks of the busiest multiprocessor, where they differ:\n";
    table("clocks");
    lines();
    worse();
    return text;
  }

private:
  void row(llvm::StringRef name, llvm::StringRef a, llvm::StringRef b, llvm::StringRef change);
  void table(const char *name);
  void time();
  void lines();
  void worse();
  static std::string shown(const json::Value *value);
  static std::string readable(llvm::StringRef name);

  const json::Object &comparison;
  std::string text;
  llvm::raw_string_ostream out{text};
};
} // namespace

std::string ComparisonText::shown(const json::Value *value) {
  if (!value || value->kind() == json::Value::Null)
    return "-";
  if (std::optional<llvm::StringRef> string = value->getAsString())
    return string->str();
  if (std::optional<double> number = value->getAsNumber())
    return decimal(*number);
  std::string made;
  llvm::raw_string_ostream(made) << *value;
  return made;
}

std::string ComparisonText::readable(llvm::StringRef name) {
  name = llvm::StringSwitch<llvm::StringRef>(name)
             .Case("global_sectors", "sectors")
             .Case("shared_wavefronts", "passes over the banks")
             .Case("matrix_operations", "products")
             .Case("barriers_run", "barriers that warps wait at")
             .Default(name);
  std::string made = name.str();
  std::replace(made.begin(), made.end(), '_', ' ');
  return made;
}

void ComparisonText::row(llvm::StringRef name, llvm::StringRef a, llvm::StringRef b,
                         llvm::StringRef change) {
  std::string made;
  llvm::raw_string_ostream line(made);
  constexpr size_t nameWidth = 18, side = 24;
  auto cell = [&](llvm::StringRef what, size_t width) {
    line << what;
    // A long name pushes the others, and is not cut.
    line.indent(what.size() + 2 > width ? 2 : static_cast<unsigned>(width - what.size()));
  };
  cell(name, nameWidth);
  cell(a, side);
  cell(b, side);
  line << change;
  out << llvm::StringRef(made).rtrim().take_front(kColumns) << "\n";
}

static std::string percent(double change) {
  std::string made;
  llvm::raw_string_ostream(made) << llvm::format("%+.1f %%", change * 100);
  return made;
}

void ComparisonText::table(const char *name) {
  const json::Object *all = comparison.getObject(name);
  if (!all)
    return;
  for (const auto &[key, value] : *all) {
    const json::Object *sides = value.getAsObject();
    if (!sides)
      continue;
    std::optional<double> a = sides->getNumber("a"), b = sides->getNumber("b");
    bool isChoice = llvm::StringRef(name) == "choices";
    row(readable(key.str()), shown(sides->get("a")), shown(sides->get("b")),
        !isChoice && a && b && *a > 0 ? percent(*b / *a - 1) : "");
  }
}

void ComparisonText::time() {
  const json::Object *time = comparison.getObject("time"), *bound = comparison.getObject("bound");
  if (!time) {
    out << "time is not compared: not both have a launch that was counted\n";
    return;
  }
  auto expected = [&](const char *side) {
    const json::Object *interval = time->getObject(side);
    std::string made;
    llvm::raw_string_ostream(made)
        << llvm::format("%.1f us", interval ? interval->getNumber("expected").value_or(0) : 0.0);
    return made;
  };
  row("time (estimated)", expected("a"), expected("b"),
      percent(time->getNumber("change").value_or(0)));
  if (bound)
    row("bound by", shown(bound->get("a")), shown(bound->get("b")), "");
}

void ComparisonText::lines() {
  out << "\n";
  for (const json::Object *line : objects(comparison, "lines")) {
    const json::Object *a = line->getObject("a"), *b = line->getObject("b");
    auto number = [](const json::Object *side) {
      return side ? std::to_string(integer(*side, "line")) : std::string("-");
    };
    const json::Object *shownSide = b ? b : a;
    std::string made;
    llvm::raw_string_ostream(made)
        << llvm::right_justify(number(a), 5) << " " << llvm::right_justify(number(b), 5) << " | "
        << (shownSide ? shownSide->getString("text").value_or("") : "");
    out << llvm::StringRef(made).take_front(kColumns) << "\n";
    for (const json::Object *change : objects(*line, "changes"))
      wrap(out,
           readable(change->getString("what").value_or("?")) + ": " + shown(change->get("a")) +
               " -> " + shown(change->get("b")),
           14);
  }
  out << "unchanged: " << integer(comparison, "unchanged_lines") << " lines\n";
}

void ComparisonText::worse() {
  for (const json::Object *one : objects(comparison, "worse")) {
    std::string where;
    if (std::optional<int64_t> line = one->getInteger("line"))
      where = ", line " + std::to_string(*line);
    wrap(out,
         "worse: " + one->getString("kind").value_or("?").str() + where + ": " +
             one->getString("message").value_or("").str(),
         0);
  }
}

std::string renderComparison(const json::Object &comparison) {
  return ComparisonText(comparison).render();
}

} // namespace tritium::explain
