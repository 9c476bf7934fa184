//===- Explain.cpp - explained kernels of the C interface -----------------===//

#include "../Explanation.h"
#include "Internal.h"

#include "tritium/Explain/Explain.h"
#include "tritium/Explain/Html.h"

#include "llvm/Support/raw_ostream.h"

using namespace tritium;
using namespace tritium::capi;

struct tritium_explained {
  std::string json, html;
  std::string texts[2]; ///< what there is to say, and all lines
};

tritium_explained *tritium_compiled_explain(tritium_compiled *compiled,
                                            const tritium_explanation *what, tritium_error *error) {
  return guarded(error, static_cast<tritium_explained *>(nullptr), [&]() -> tritium_explained * {
    runtime::Variant *variant = unwrap(compiled);
    CompileError failure;
    llvm::SmallVector<runtime::BoundArgument, 12> bound;
    runtime::LaunchToExplain launch{{}, what ? what->grid : nullptr};
    bool hasLaunch = what && what->grid[0] && what->grid[1] && what->grid[2];
    llvm::json::Object made;
    bool isBound =
        !hasLaunch || (runtime::checkGrid(variant->metadata().name, what->grid, failure) &&
                       bindAll(*variant, what->arguments, what->count, bound, failure));
    launch.arguments = bound;
    if (!isBound || !runtime::explain(*variant, hasLaunch ? &launch : nullptr,
                                      !what || !what->keeps_options, made, failure)) {
      report(failure, error);
      return nullptr;
    }
    auto explained = std::make_unique<tritium_explained>();
    llvm::raw_string_ostream(explained->json) << llvm::json::Value(llvm::json::Object(made));
    for (bool all : {false, true})
      explained->texts[all] = tritium::explain::render(made, all);
    explained->html = tritium::explain::page(made);
    return explained.release();
  });
}

const char *tritium_explained_json(const tritium_explained *explained) {
  return explained->json.c_str();
}

const char *tritium_explained_text(const tritium_explained *explained, int all) {
  return explained->texts[all != 0].c_str();
}

const char *tritium_explained_html(const tritium_explained *explained) {
  return explained->html.c_str();
}

void tritium_explained_release(tritium_explained *explained) { delete explained; }
