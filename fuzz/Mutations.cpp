//===- Mutations.cpp - what can be taken away from PTX --------------------===//

#include "Mutations.h"

#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

using namespace tritium;

bool Mutant::isMask() const {
  return std::string_view(kind) == "mask" || std::string_view(kind) == "branch";
}

std::vector<std::string> tritium::linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// A forward branch over code that has accesses without masks of their own, and no other jumps:
/// a mask as control flow.
static bool skipsAccesses(const std::vector<std::string> &lines, size_t branch,
                          const std::string &to) {
  static const std::regex access("^\\s*(ld|st|atom|red|cp)\\.[\\w.:]*(global|shared)");
  static const std::regex jump("^\\s*(@!?%\\w+\\s+)?(bra|brx|call|ret|exit)\\b");
  bool found = false;
  for (size_t i = branch + 1; i < lines.size(); ++i) {
    if (lines[i].find(to + ":") != std::string::npos)
      return found;
    if (std::regex_search(lines[i], jump))
      return false;
    found |= std::regex_search(lines[i], access);
  }
  return false;
}

/// What orders something: the first that an opcode begins with.
static constexpr std::pair<std::string_view, const char *> orderings[] = {
    {"mbarrier.arrive", "arrival"},
    {"cp.async.mbarrier.arrive", "arrival"},
    {"mbarrier.expect_tx", "expected bytes"},
    {"mbarrier.test_wait", "wait for a phase"},
    {"mbarrier.try_wait", "wait for a phase"},
    {"fence.proxy", "proxy fence"},
    {"fence.mbarrier_init", "proxy fence"},
    {"fence", "fence"},
    {"membar", "fence"},
    {"wgmma.fence", "wgmma.fence"},
    {"wgmma.commit", "commit"},
    {"wgmma.wait", "wait for products"},
    {"cp.async.bulk.wait_group", "bulk wait"},
    {"cp.async.bulk.commit_group", "bulk commit"},
    {"cp.async.wait", "wait"},
    {"cp.async.commit", "commit"},
    {"bar.warp", "warp barrier"},
    {"bar", "barrier"}};

std::vector<Mutant> tritium::mutantsOf(const std::vector<std::string> &lines) {
  // A label may stand before an instruction of inline assembly.
  static const std::regex form(
      "^\\s*(?:\\$?\\w+:\\s*)?(@!?%?\\w+\\s+)?([a-z][\\w.:]*)\\s*([^;]*);\\s*(//.*)?$");
  static const std::regex labelled("^\\s*\\$?\\w+:(?!:)");
  std::vector<Mutant> made;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch parts;
    if (!std::regex_match(lines[i], parts, form))
      continue;
    std::string guard = parts[1], opcode = parts[2], operands = parts[3];
    std::string label;
    if (std::smatch before; std::regex_search(lines[i], before, labelled))
      label = before.str() + " ";
    auto add = [&](const char *kind, std::string text) { made.push_back({kind, i, label + text}); };
    for (auto [prefix, kind] : orderings)
      if (opcode.starts_with(prefix)) {
        // The predicate says that the phase is over.
        bool answers = opcode.starts_with("mbarrier.") && opcode.find("_wait") != opcode.npos;
        std::string result = operands.substr(0, operands.find(','));
        add(kind, answers ? "setp.eq.u32 " + result + ", 0, 0;" : "");
        break;
      }
    // An arrival that expects bytes arrives without them, too.
    if (size_t at = opcode.find(".expect_tx");
        opcode.starts_with("mbarrier.arrive") && at != opcode.npos)
      add("expected bytes", guard + std::string(opcode).erase(at, 10) + " " +
                                operands.substr(0, operands.rfind(',')) + ";");
    if (guard.empty()) {
      // cp.async with the bytes to read in a register: fewer where masked.
      static const std::regex partly("(.*\\], \\d+), %\\w+");
      std::smatch copy;
      if (opcode.starts_with("cp.async.c") && std::regex_match(operands, copy, partly))
        add("mask", opcode + " " + copy[1].str() + ";");
    } else if (opcode == "bra" || opcode.starts_with("bra.")) {
      if (skipsAccesses(lines, i, operands))
        add("branch", "");
    } else if (!opcode.starts_with("bar")) {
      add("mask", opcode + " " + operands + ";");
    }
  }
  return made;
}
