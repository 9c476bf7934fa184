//===- Text.cpp - an explanation for a terminal ---------------------------===//
//
// 80 columns. It computes nothing: every number is one of the document's.
//
//===----------------------------------------------------------------------===//

#include "tritium/Explain/Explain.h"

#include "Fields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

namespace json = llvm::json;

namespace tritium::explain {

namespace {
class Renderer {
public:
  Renderer(const json::Object &document, bool all) : document(document), all(all) {}
  std::string render();

private:
  void head();
  void model();
  void resources();
  void groups();
  void loops();
  void machineCode();
  void hints();
  void lines();
  void line(const json::Object &line);
  std::string costs(const json::Object &line) const;
  std::vector<const json::Object *> remarksOf(const json::Object &line, bool missed) const;

  const json::Object &document;
  bool all;
  std::string text;
  llvm::raw_string_ostream out{text};
  unsigned leftOut = 0;
};

void Renderer::head() {
  std::optional<int64_t> version = document.getInteger("version");
  if (version != kVersion)
    wrap(out,
         "This document is of version " + (version ? std::to_string(*version) : "unknown") +
             "; this program reads version " + std::to_string(kVersion) +
             ". What it does not know is left out.",
         0);
  out << document.getString("kernel").value_or("?") << "  "
      << document.getString("target").value_or("?");
  if (llvm::StringRef code = document.getString("code_for").value_or("?"); !code.empty())
    out << " (" << code << ")";
  if (const json::Object *options = document.getObject("options"))
    for (const auto &[name, value] : *options)
      out << "  " << name.str() << "=" << value;
  out << "\n";
  if (auto error = document.getString("error"))
    out << "does not compile: " << *error << "\n";
  if (const json::Object *launch = document.getObject("launch")) {
    out << "launch  grid";
    if (const json::Array *grid = launch->getArray("grid"))
      for (const json::Value &extent : *grid)
        out << " " << extent;
    if (const json::Object *counters = document.getObject("counters")) {
      int64_t ran = integer(*counters, "ctas"), grid = integer(*counters, "grid");
      if (ran < grid)
        out << ", of " << grid << " CTAs " << ran << " simulated";
    }
    out << "\n";
    if (auto why = launch->getString("not_counted"))
      wrap(out, ("not counted: " + *why).str(), 0);
    if (auto what = launch->getString("not_tried"))
      wrap(out, ("not tried: " + *what).str(), 0);
  }
}

void Renderer::model() {
  const json::Object *model = document.getObject("model");
  if (!model)
    return;
  llvm::SmallVector<const json::Object *> resources = objects(*model, "resources");
  out << "bound by " << model->getString("bound").value_or("?");
  for (size_t i = 0; i < std::min<size_t>(resources.size(), 3); ++i) {
    const json::Object &resource = *resources[i];
    out << (i ? ", " : ": ") << resource.getString("name").value_or("?") << " "
        << llvm::format("%.0f", resource.getNumber("clocks").value_or(0));
  }
  out << " clocks\n";
  if (const json::Object *time = model->getObject("microseconds"))
    out << llvm::format("estimated  %.1f us (%.1f to %.1f)",
                        time->getNumber("expected").value_or(0),
                        time->getNumber("best").value_or(0), time->getNumber("worst").value_or(0))
        << "\n";
}

void Renderer::resources() {
  const json::Object *resources = document.getObject("resources");
  if (!resources)
    return;
  std::string list;
  for (const auto &[name, number] : *resources) {
    const json::Object *grade = number.getAsObject();
    const json::Value *value = grade ? grade->get("value") : nullptr;
    if (!value)
      continue;
    std::string shown = name.str();
    std::replace(shown.begin(), shown.end(), '_', ' ');
    llvm::raw_string_ostream item(list);
    item << (list.empty() ? "" : ", ") << shown << " " << *value;
  }
  if (!list.empty())
    wrap(out, "resources  " + list, 0);
  const json::Object *counters = document.getObject("counters");
  llvm::SmallVector<const json::Object *> fits;
  if (counters)
    fits = objects(*counters, "occupancy");
  if (fits.empty())
    return;
  const json::Object &fit = *fits.front();
  out << "occupancy  " << integer(fit, "ctas") << " CTAs, " << integer(fit, "warps") << " of "
      << integer(fit, "most_warps") << " warps, limited by "
      << fit.getString("limited_by").value_or("?") << " (" << integer(fit, "registers")
      << " registers, " << fit.getString("registers_from").value_or("?") << ")\n";
  const json::Object *model = document.getObject("model");
  if (std::optional<double> waves = model ? model->getNumber("waves") : std::nullopt)
    out << llvm::format("waves      %.2f\n", *waves);
}

/// Warps that run code of their own, and tiles that change hands between threads.
void Renderer::groups() {
  std::string list;
  for (const json::Object *group : objects(document, "groups")) {
    llvm::raw_string_ostream item(list);
    item << (list.empty() ? "" : ", ") << group->getString("name").value_or("?") << " of "
         << integer(*group, "warps") << " warps";
    if (int64_t registers = integer(*group, "registers"))
      item << " with " << registers << " registers";
  }
  if (!list.empty())
    wrap(out, "groups     " + list, 0);
  std::map<std::string, unsigned> ways;
  for (const json::Object *conversion : objects(document, "conversions"))
    ++ways[conversion->getString("way").value_or("?").str()];
  list.clear();
  for (const auto &[way, count] : ways)
    list += (list.empty() ? "" : ", ") + std::to_string(count) + " by " + way;
  if (!list.empty())
    wrap(out, "exchanges  " + list, 0);
}

/// A GPU's, of the whole kernel.
void Renderer::machineCode() {
  if (auto why = document.getString("no_sass"); why && all)
    wrap(out, ("SASS       not known: " + *why).str(), 0);
  const json::Object *code = document.getObject("sass");
  if (!code)
    return;
  std::string about;
  llvm::raw_string_ostream item(about);
  item << "SASS       " << integer(*code, "instructions") << " instructions ("
       << code->getString("from").value_or("?") << ")";
  std::vector<std::pair<int64_t, std::string>> counts;
  if (const json::Object *classes = code->getObject("classes"))
    for (const auto &[name, count] : *classes)
      counts.push_back({-count.getAsInteger().value_or(0), name.str()});
  llvm::sort(counts);
  for (const auto &[less, name] : counts)
    item << (name == counts.front().second ? ": " : ", ") << name << " " << -less;
  wrap(out, about, 0);
  if (auto why = code->getString("no_lines"))
    wrap(out, *why, 11);
}

/// What a round of an innermost loop takes, and which lines take it.
std::string clocksOf(const json::Object &loop) {
  std::string about;
  llvm::raw_string_ostream item(about);
  llvm::SmallVector<const json::Object *> ports = objects(loop, "ports");
  std::optional<double> clocks = graded(loop, "simulated"), least = graded(loop, "least");
  if (clocks && least && !ports.empty())
    item << decimal(*clocks) << ", at least " << decimal(*least) << " ("
         << ports.front()->getString("name").value_or("?") << ")";
  else
    item << "not estimated: " << loop.getString("not_estimated").value_or("no model");
  bool isFirst = true;
  for (const json::Object *line : objects(loop, "lines")) {
    std::optional<double> part = line->getNumber("clocks");
    if (!integer(*line, "line") || part == 0.0)
      continue;
    item << (isFirst ? "; line " : ", ") << integer(*line, "line");
    isFirst = false;
    if (part)
      item << ": " << decimal(*part);
  }
  return about;
}

/// Innermost loops of a CPU's code.
void Renderer::loops() {
  if (auto why = document.getString("loops_not_read"))
    wrap(out, ("loops      not known: " + *why).str(), 0);
  llvm::SmallVector<const json::Object *> loops = objects(document, "loops");
  if (loops.empty())
    return;
  std::string reason = loops.front()->getString("not_estimated").value_or("").str();
  if (!reason.empty() && llvm::all_of(loops, [&](const json::Object *loop) {
        return loop->getString("not_estimated") == reason;
      })) {
    wrap(out, "loops      not estimated: " + reason, 0);
    return;
  }
  out << "loops      of the assembly; clocks a round, estimated, with all data in the\n"
         "           first cache\n";
  for (const json::Object *loop : loops) {
    constexpr size_t indent = 13;
    std::string rows = "  " + std::to_string(integer(*loop, "first")) + "-" +
                       std::to_string(integer(*loop, "last")) + " ";
    rows.resize(std::max(rows.size(), indent), ' ');
    std::string wrapped;
    llvm::raw_string_ostream text(wrapped);
    wrap(text, clocksOf(*loop), indent);
    out << rows << llvm::StringRef(wrapped).drop_front(indent);
  }
}

void Renderer::hints() {
  const json::Array *hints = document.getArray("hints");
  if (!hints)
    return;
  out << "\n";
  if (hints->empty())
    out << "Nothing that was tried would help.\n";
  for (const json::Object *each : objects(document, "hints")) {
    const json::Object &hint = *each;
    const json::Object *gain = hint.getObject("gain");
    std::string first, number;
    llvm::raw_string_ostream title(first);
    constexpr size_t indent = 8;
    std::string about = hint.getString("title").value_or("").str() + " (" +
                        hint.getString("certainty").value_or("").str();
    if (std::optional<double> together = hint.getNumber("together"))
      llvm::raw_string_ostream(about)
          << llvm::format("; %.2fx with the first that was tried", *together);
    about += ")";
    if (const json::Object *place = hint.getObject("place"))
      about += ", line " + std::to_string(integer(*place, "line"));
    wrap(title, about, indent);
    llvm::raw_string_ostream(number)
        << llvm::format("%5.2fx  ", gain ? gain->getNumber("expected").value_or(1) : 1.0);
    out << number << llvm::StringRef(first).drop_front(std::min(number.size(), first.size()));
    wrap(out, hint.getString("reason").value_or(""), 8);
  }
}

std::string Renderer::costs(const json::Object &line) const {
  const json::Object *counters = line.getObject("counters");
  std::string made;
  llvm::raw_string_ostream item(made);
  auto add = [&](const std::string &part) { item << (made.empty() ? "" : ", ") << part; };
  if (!counters)
    return made;
  auto pair = [&](const char *name, const char *ideal, const char *what) {
    int64_t found = integer(*counters, name), least = integer(*counters, ideal);
    if (found)
      add(std::to_string(found) + (found > least ? " for " + std::to_string(least) : "") + what);
  };
  pair("global_sectors", "global_sectors_ideal", " sectors");
  pair("shared_wavefronts", "shared_wavefronts_ideal", " passes");
  if (int64_t products = integer(*counters, "matrix_operations"))
    add(std::to_string(products) + " products");
  if (int64_t barriers = integer(*counters, "barriers"))
    add(std::to_string(barriers) + " barriers");
  if (int64_t atomics = integer(*counters, "atomics"))
    add(std::to_string(atomics) + " atomics");
  return made;
}

std::vector<const json::Object *> Renderer::remarksOf(const json::Object &line, bool missed) const {
  std::vector<const json::Object *> made;
  for (const json::Object *remark : referred(line, "remarks", document, "remarks"))
    if ((remark->getString("kind") == "missed") == missed)
      made.push_back(remark);
  return made;
}

void Renderer::line(const json::Object &line) {
  std::vector<const json::Object *> missed = remarksOf(line, true), done = remarksOf(line, false);
  std::optional<double> share = graded(line, "share");
  std::string cost = costs(line);
  bool isQuiet = missed.empty() && done.empty() && cost.empty() && share.value_or(0) < 0.01;
  if (isQuiet && !all) {
    leftOut += line.getArray("ops") || line.getObject("counters");
    return;
  }
  std::string row;
  llvm::raw_string_ostream start(row);
  if (share)
    start << llvm::format("%3.0f%%", *share * 100);
  else
    start << "    ";
  start << " |" << llvm::format("%4d", static_cast<int>(integer(line, "line")))
        << (missed.empty() ? done.empty() ? "   " : " v " : " ! ")
        << llvm::StringRef(line.getString("text").value_or("(elsewhere)")).rtrim();
  out << llvm::StringRef(row).substr(0, kColumns) << "\n";
  constexpr size_t indent = 13;
  if (const json::Object *code = line.getObject("sass"))
    cost += (cost.empty() ? "" : ", ") + std::to_string(integer(*code, "instructions")) +
            " of SASS, " + std::to_string(integer(*code, "waits")) + " wait";
  if (!cost.empty())
    wrap(out, cost, indent);
  for (const json::Object *remark : missed)
    wrap(out, ("! " + remark->getString("message").value_or("")).str(), indent);
  for (const json::Object *remark : done)
    if (all || missed.empty())
      wrap(out, remark->getString("message").value_or(""), indent);
}

void Renderer::lines() {
  out << "\n";
  const json::Array *files = document.getArray("files");
  int64_t last = -1;
  for (const json::Object *one : objects(document, "lines")) {
    const json::Object &each = *one;
    int64_t file = integer(each, "file");
    size_t before = text.size();
    if (file != last && file >= 0 && files && static_cast<size_t>(file) < files->size())
      out << llvm::sys::path::filename(
                 (*files)[static_cast<size_t>(file)].getAsString().value_or(""))
          << "\n";
    size_t named = text.size();
    line(each);
    if (text.size() == named)
      text.resize(before);
    else
      last = file;
  }
  if (leftOut)
    out << "also: " << leftOut << " lines on which there is nothing to say (-a shows them)\n";
}

std::string Renderer::render() {
  head();
  model();
  resources();
  groups();
  loops();
  machineCode();
  hints();
  lines();
  return text;
}
} // namespace

std::string render(const json::Object &document, bool all) {
  return Renderer(document, all).render();
}

} // namespace tritium::explain
