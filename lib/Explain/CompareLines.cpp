//===- CompareLines.cpp - the same line in two explanations ---------------===//

#include "CompareLines.h"

#include "Fields.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace json = llvm::json;

namespace tritium::explain {

/// What a launch costs of which there is more or less, not how it is spread over instructions.
static constexpr const char *counted[] = {"global_sectors", "shared_wavefronts",
                                          "matrix_operations", "barriers", "atomics"};

/// The file and line of an operation's place.
static std::pair<int64_t, int64_t> placeOf(const json::Object &object) {
  const json::Object *place = object.getObject("place");
  return place ? std::pair(integer(*place, "file"), integer(*place, "line"))
               : std::pair<int64_t, int64_t>(-1, 0);
}

static void addAccesses(const llvm::SmallVector<const json::Object *> &remarks, LineFacts &made) {
  std::multimap<int64_t, std::pair<std::string, int64_t>> byColumn;
  for (const json::Object *remark : remarks) {
    if (remark->getString("kind") == "missed")
      made.missed.push_back(remark->getString("message").value_or("").str());
    const json::Object *arguments = remark->getObject("arguments"),
                       *place = remark->getObject("place");
    if (!arguments || !place)
      continue;
    int64_t bytes = 0;
    if (std::optional<llvm::StringRef> access = arguments->getString("access"))
      if (!arguments->getString("bytes").value_or("").getAsInteger(10, bytes))
        byColumn.insert({integer(*place, "column"), {access->str(), bytes}});
  }
  for (auto &[column, access] : byColumn)
    made.accesses.push_back(std::move(access));
}

std::vector<LineFacts> lineFacts(const json::Object &document) {
  std::map<std::pair<int64_t, int64_t>, int64_t> barriers;
  for (const json::Object *barrier : objects(document, "barriers")) {
    if (barrier->getString("kind") != "threads" && barrier->getString("kind") != "warp groups")
      continue;
    json::Object number{{"op", json::Array{integer(*barrier, "op")}}};
    for (const json::Object *op : referred(number, "op", document, "ops"))
      ++barriers[placeOf(*op)];
  }
  const json::Object *counters = document.getObject("counters");
  double ran = counters ? static_cast<double>(integer(*counters, "ctas")) : 0;
  double scale = ran > 0 ? static_cast<double>(integer(*counters, "grid")) / ran : 1;
  std::vector<LineFacts> made;
  for (const json::Object *line : objects(document, "lines")) {
    LineFacts &facts = made.emplace_back();
    facts.file = line->getInteger("file").value_or(-1);
    facts.line = integer(*line, "line");
    facts.text = line->getString("text").value_or("").rtrim().str();
    facts.share = graded(*line, "share").value_or(-1);
    if (auto found = barriers.find({facts.file, facts.line}); found != barriers.end())
      facts.barriers = found->second;
    addAccesses(referred(*line, "remarks", document, "remarks"), facts);
    if (const json::Object *of = line->getObject("counters"))
      for (const char *name : counted)
        if (int64_t count = integer(*of, name))
          facts.counts[name] = static_cast<double>(count) * scale;
  }
  return made;
}

namespace {
/// Pairs two runs of lines: those of equal text as a longest common subsequence, and what stands
/// between them by order.
class Pairing {
public:
  Pairing(const std::vector<LineFacts> &a, const std::vector<LineFacts> &b) : a(a), b(b) {}

  std::vector<LinePair> run() {
    size_t first = 0, lastA = a.size(), lastB = b.size();
    while (first < std::min(lastA, lastB) && same(first, first))
      made.push_back({static_cast<int>(first), static_cast<int>(first)}), ++first;
    while (lastA > first && lastB > first && same(lastA - 1, lastB - 1))
      --lastA, --lastB;
    between(first, lastA, first, lastB);
    for (; lastA < a.size(); ++lastA, ++lastB)
      made.push_back({static_cast<int>(lastA), static_cast<int>(lastB)});
    return std::move(made);
  }

private:
  bool same(size_t i, size_t j) const {
    // Lines of other files have no text: the place says which they are.
    if (a[i].text.empty() && b[j].text.empty())
      return a[i].file == b[j].file && a[i].line == b[j].line;
    return llvm::StringRef(a[i].text).ltrim() == llvm::StringRef(b[j].text).ltrim();
  }

  void byOrder(size_t i, size_t lastA, size_t j, size_t lastB) {
    for (; i < lastA || j < lastB; ++i, ++j)
      made.push_back({i < lastA ? static_cast<int>(i) : -1, j < lastB ? static_cast<int>(j) : -1});
  }

  void between(size_t firstA, size_t lastA, size_t firstB, size_t lastB) {
    // What is quadratic ends somewhere: texts of thousands of lines that have little in common.
    constexpr size_t most = 4'000'000;
    size_t rows = lastA - firstA, columns = lastB - firstB;
    if (!rows || !columns || rows * columns > most)
      return byOrder(firstA, lastA, firstB, lastB);
    // lengths[i][j]: of the longest common subsequence of what follows i and j.
    std::vector<std::vector<unsigned>> lengths(rows + 1, std::vector<unsigned>(columns + 1));
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;)
        lengths[i][j] = same(firstA + i, firstB + j)
                            ? lengths[i + 1][j + 1] + 1
                            : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    size_t doneA = 0, doneB = 0;
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (same(firstA + i, firstB + j)) {
        byOrder(firstA + doneA, firstA + i, firstB + doneB, firstB + j);
        made.push_back({static_cast<int>(firstA + i), static_cast<int>(firstB + j)});
        doneA = ++i;
        doneB = ++j;
      } else if (lengths[i + 1][j] >= lengths[i][j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
    byOrder(firstA + doneA, lastA, firstB + doneB, lastB);
  }

  const std::vector<LineFacts> &a, &b;
  std::vector<LinePair> made;
};
} // namespace

std::vector<LinePair> pairLines(const std::vector<LineFacts> &a, const std::vector<LineFacts> &b) {
  return Pairing(a, b).run();
}

} // namespace tritium::explain
