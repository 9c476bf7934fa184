//===- Clocks.cpp - which parts of a kernel have clocks -------------------===//

#include "Clocks.h"

#include "tritium/Dialect/Tile/IR/Scopes.h"
#include "tritium/Dialect/TileGPU/IR/TileGPU.h"

#include <algorithm>
#include <tuple>

using namespace mlir;

namespace tritium {

namespace {

/// Behind the first name of several.
constexpr StringLiteral kAndOthers = " ...";

/// A scope where it stands: those of one line begin one behind the other.
struct PlacedScope {
  ClockedPart part;
  int64_t column;

  auto order() const { return std::tie(part.file, part.line, column); }
  bool operator<(const PlacedScope &other) const { return order() < other.order(); }
};

/// Nothing of what is no scope: the text of a module may say anything.
std::vector<PlacedScope> readScopes(ModuleOp module) {
  std::vector<PlacedScope> found;
  auto all = module->getAttrOfType<ArrayAttr>(tt::kScopes);
  for (Attribute each : all ? all.getValue() : ArrayRef<Attribute>()) {
    auto scope = dyn_cast<DictionaryAttr>(each);
    auto text = [&](const char *name) { return scope ? scope.getAs<StringAttr>(name) : nullptr; };
    auto number = [&](const char *name) -> int64_t {
      auto value = scope ? scope.getAs<IntegerAttr>(name) : nullptr;
      return value && value.getType().isInteger(32) ? value.getInt() : 0;
    };
    int64_t line = number("line"), last = number("last");
    if (!text("name") || !text("file") || line <= 0 || last < line)
      continue;
    found.push_back(
        {{text("name").str(), text("file").str(), static_cast<int>(line), static_cast<int>(last)},
         number("column")});
  }
  std::stable_sort(found.begin(), found.end());
  return found;
}

} // namespace

std::vector<ClockedPart> scopesOf(ModuleOp module) {
  std::vector<ClockedPart> parts(1);
  std::vector<PlacedScope> around;
  for (PlacedScope &scope : readScopes(module)) {
    while (!around.empty() &&
           (around.back().part.file != scope.part.file ||
            around.back().part.last < scope.part.last || around.back().part.last < scope.part.line))
      around.pop_back();
    bool isAgain = !around.empty() && !(around.back() < scope);
    if (isAgain) { // a name that is computed: the lines are one part, of several names
      if (!StringRef(parts.back().name).ends_with(kAndOthers))
        around.back().part.name = parts.back().name += kAndOthers;
      continue;
    }
    if (!around.empty())
      scope.part.name = around.back().part.name + "/" + scope.part.name;
    around.push_back(scope);
    ClockedPart &before = parts.back();
    if (before.line && before.file == scope.part.file && before.line == scope.part.line &&
        before.last == scope.part.last)
      before = scope.part;
    else
      parts.push_back(scope.part);
  }
  return parts;
}

std::vector<ClockedGroup> warpGroupsOf(ModuleOp module) {
  std::vector<ClockedGroup> groups;
  module.walk([&](ttg::WarpGroupsOp op) {
    groups.clear();
    for (auto [name, warps] : llvm::zip(op.getNames().getAsRange<StringAttr>(), op.getWarps()))
      groups.push_back({name.str(), static_cast<unsigned>(warps)});
  });
  return groups;
}

} // namespace tritium
