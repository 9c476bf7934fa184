//===- PtxasLog.cpp - what NVIDIA's assembler says of a kernel ------------===//

#include "tritium/Target/NVPTX/PtxasLog.h"
#include "tritium/Target/GPU/Strategy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace llvm;
using namespace tritium::nvptx;

namespace {

/// The number before `unit` in `text`, or 0.
unsigned numberBefore(StringRef text, StringRef unit) {
  size_t at = text.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef before = text.take_front(at);
  size_t digits = 0;
  while (digits < before.size() && isDigit(before[before.size() - 1 - digits]))
    ++digits;
  unsigned value = 0;
  before.take_back(digits).getAsInteger(10, value);
  return value;
}

constexpr const char *kMoreRegisters = "use smaller tiles, more warps, or a larger maxnreg";

/// What ptxas's code stands for in a kernel. Those of one line for several causes are not here:
/// for them ptxas's own words do.
struct Meaning {
  unsigned code;
  const char *cause, *help;
};

constexpr Meaning serialized[] = {
    {7510, "the kernel has calls, in which nothing may be in flight",
     "leave out device_print and assembly that calls"},
    {7511, "registers do not suffice for the products in flight", kMoreRegisters},
    {7512, "registers do not suffice for the kernel", kMoreRegisters},
    {7513, "an operand in registers changes while a product reads it",
     "compute left operands of dots an iteration ahead, or load them from memory"},
    {7514, "a sum is read while products add to it",
     "use the result of a dot behind the loop, or at the end of its iteration"},
    {7515, "a sum is written while products add to it",
     "begin sums with tl.zeros in front of the loop, and change them only by dots"},
};

constexpr Meaning others[] = {
    {7508,
     "warp groups keep the registers that they begin with: ptxas does not know how many "
     "these are",
     "give maxnreg"},
    {7517, "ptxas waits for products of warp groups where the code does not",
     "use the result of a dot behind what should run beside it"},
    {7519, "ptxas puts a fence in front of products of warp groups, which costs a few clocks",
     "begin sums with tl.zeros in front of the loop"},
    {7600, "a thread has fewer registers than the kernel cannot do without",
     "use smaller tiles, fewer warps, a larger maxnreg, or warp_specialize=False"},
    {7602, "one product of warp groups takes more registers than a thread has",
     "use fewer columns a tile, fewer warps, or a larger maxnreg"},
};

const Meaning *meaningOf(ArrayRef<Meaning> meanings, unsigned code) {
  auto *found = find_if(meanings, [&](const Meaning &meaning) { return meaning.code == code; });
  return found == meanings.end() ? nullptr : found;
}

/// "(C7511) Potential ..." -> 7511, and the rest.
unsigned takeCode(StringRef &text) {
  StringRef rest = text;
  unsigned code = 0;
  if (!rest.consume_front("(C") || rest.consumeInteger(10, code) || !rest.consume_front(")"))
    return 0;
  text = rest.ltrim();
  return code;
}

void readAdvice(StringRef line, PtxasReport &report) {
  // "ptxas info    : text", "ptxas FILE, line 5; fatal   : text"
  auto [head, text] = line.split(": ");
  if (!head.starts_with("ptxas") || text.empty())
    return;
  text = text.trim();
  PtxasAdvice advice;
  advice.code = takeCode(text);
  advice.text = text.str();
  advice.isFatal = head.contains("fatal") || head.contains("error");
  if (!advice.code && !head.contains("warning"))
    return;
  auto same = find_if(report.advice, [&](const PtxasAdvice &other) {
    return advice.code ? other.code == advice.code : other.text == advice.text;
  });
  if (same == report.advice.end())
    report.advice.push_back(std::move(advice));
  else
    ++same->count;
}

/// What it means, and what would help.
struct Words {
  std::string cause, help;
};

Words wordsFor(const PtxasAdvice &advice) {
  std::string source = advice.code ? " (ptxas, C" + std::to_string(advice.code) + ")" : " (ptxas)";
  if (const Meaning *known = meaningOf(others, advice.code)) {
    std::string places = advice.count > 1 ? " in " + std::to_string(advice.count) + " places" : "";
    return {known->cause + places + source, known->help};
  }
  if (!advice.serializesProducts())
    return {advice.text + source, ""};
  std::string consequence = "products of warp groups wait for one another, and nothing runs beside "
                            "them: ";
  if (const Meaning *known = meaningOf(serialized, advice.code))
    return {consequence + known->cause + source, known->help};
  return {consequence + advice.text + source, "try other tiles, or another num_warps"};
}

std::string spillsOf(const PtxasReport &report) {
  if (report.spillBytes <= tritium::strategy::kTolerableSpills)
    return "";
  return "registers do not suffice: " + std::to_string(report.spillBytes) +
         " bytes a thread are spilled to memory at " + std::to_string(report.registers) +
         " registers";
}

} // namespace

PtxasReport tritium::nvptx::readPtxasLog(std::string_view log) {
  PtxasReport report;
  SmallVector<StringRef> lines;
  StringRef(log).split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains(" stack frame")) {
      report.stackBytes = std::max(report.stackBytes, numberBefore(line, " bytes stack frame"));
      report.spillBytes = std::max(report.spillBytes, numberBefore(line, " bytes spill stores"));
    } else if (line.contains(": Used ")) {
      report.registers = std::max(report.registers, numberBefore(line, " registers"));
      report.sharedBytes = std::max(report.sharedBytes, numberBefore(line, " bytes smem"));
    } else {
      readAdvice(line, report);
    }
  }
  return report;
}

bool PtxasAdvice::serializesProducts() const {
  return meaningOf(serialized, code) ||
         text.find("instructions are serialized") != std::string::npos;
}

std::string tritium::nvptx::explain(const PtxasAdvice &advice) {
  Words words = wordsFor(advice);
  return words.cause + (words.help.empty() ? "" : "; " + words.help);
}

std::string tritium::nvptx::explainSpills(const PtxasReport &report) {
  std::string spills = spillsOf(report);
  return spills.empty() ? "" : spills + "; " + kMoreRegisters;
}

std::string tritium::nvptx::handicapOf(const PtxasReport &report) {
  std::string text = spillsOf(report);
  for (const PtxasAdvice &advice : report.advice)
    if (advice.serializesProducts())
      return text + (text.empty() ? "" : "; ") + wordsFor(advice).cause;
  return text;
}
