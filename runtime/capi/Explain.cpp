//===- Explain.cpp - explained kernels of the C interface -----------------===//

#include "../Explanation.h"
#include "Internal.h"

#include "tritium/Explain/Compare.h"
#include "tritium/Explain/Explain.h"
#include "tritium/Explain/Html.h"

#include "llvm/Support/raw_ostream.h"

using namespace tritium;
using namespace tritium::capi;

struct tritium_explained {
  std::string json, html;
  std::string texts[2]; ///< what there is to say, and all lines
};

static tritium_explained *explainedFrom(const llvm::json::Object &made) {
  auto explained = std::make_unique<tritium_explained>();
  llvm::raw_string_ostream(explained->json) << llvm::json::Value(llvm::json::Object(made));
  for (bool all : {false, true})
    explained->texts[all] = tritium::explain::render(made, all);
  explained->html = tritium::explain::page(made);
  return explained.release();
}

/// The host's function for grids.
static decltype(runtime::LaunchToExplain::gridFor) gridFor(const tritium_explanation *what) {
  if (!what || !what->grid_for)
    return nullptr;
  return [what](const std::map<std::string, int64_t> &constants, std::array<uint32_t, 3> &grid) {
    std::vector<const char *> names;
    std::vector<int64_t> values;
    for (const auto &[name, value] : constants) {
      names.push_back(name.c_str());
      values.push_back(value);
    }
    return what->grid_for(what->user, names.data(), values.data(), names.size(), grid.data()) != 0;
  };
}

static std::string gpuOf(const tritium_explanation *what) {
  return what && what->gpu ? what->gpu : "";
}

tritium_explained *tritium_compiled_explain(tritium_compiled *compiled,
                                            const tritium_explanation *what, tritium_error *error) {
  return guarded(error, static_cast<tritium_explained *>(nullptr), [&]() -> tritium_explained * {
    runtime::Variant *variant = unwrap(compiled);
    CompileError failure;
    llvm::SmallVector<runtime::BoundArgument, 12> bound;
    runtime::LaunchToExplain launch{{}, what ? what->grid : nullptr, gridFor(what), gpuOf(what)};
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
    return explainedFrom(made);
  });
}

tritium_explained *tritium_kernel_explain(tritium_kernel *kernel, const tritium_argument *arguments,
                                          size_t count, const tritium_option *options,
                                          size_t optionCount, const uint32_t grid[3],
                                          const char *target, const tritium_explanation *what,
                                          tritium_error *error) {
  return guarded(error, static_cast<tritium_explained *>(nullptr), [&]() -> tritium_explained * {
    CompileError failure;
    std::optional<Target> aimed;
    runtime::Kernel::Prepared prepared;
    llvm::json::Object made;
    bool isReady = readTarget(target, aimed, failure);
    if (isReady) {
      runtime::Kernel::Call call{arguments, count, options, optionCount};
      call.target = aimed ? &*aimed : nullptr;
      isReady = unwrap(kernel)->prepare(call, prepared, failure) &&
                runtime::checkGrid(prepared.variant->metadata().name, grid, failure);
    }
    runtime::LaunchToExplain launch{prepared.arguments, grid, gridFor(what), gpuOf(what)};
    // A grid without programs launches nothing.
    bool hasLaunch = grid[0] && grid[1] && grid[2];
    if (!isReady || !runtime::explain(*prepared.variant, hasLaunch ? &launch : nullptr,
                                      !what || !what->keeps_options, made, failure)) {
      report(failure, error);
      return nullptr;
    }
    return explainedFrom(made);
  });
}

using ReadDocument = llvm::Expected<llvm::json::Object>(llvm::StringRef, llvm::StringRef);

/// A document of a caller's, by `reader`. Nothing after an error.
static std::optional<llvm::json::Object> readDocument(ReadDocument *reader, const char *text,
                                                      const char *name, tritium_error *error) {
  llvm::Expected<llvm::json::Object> read = reader(text, name);
  if (read)
    return std::move(*read);
  CompileError failure = runtime::launchError("OptionError", llvm::toString(read.takeError()));
  report(failure, error);
  return std::nullopt;
}

tritium_explained *tritium_explanation_read(const char *json, const char *name,
                                            tritium_error *error) {
  return guarded(error, static_cast<tritium_explained *>(nullptr), [&]() -> tritium_explained * {
    std::optional<llvm::json::Object> document =
        readDocument(tritium::explain::readAnyVersion, json, name, error);
    return document ? explainedFrom(*document) : nullptr;
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

//===-- Comparing ---------------------------------------------------------===//

struct tritium_compared {
  std::string json, text;
};

tritium_compared *tritium_explanations_compare(const char *a, const char *aName, const char *b,
                                               const char *bName, double slowdown,
                                               tritium_error *error) {
  return guarded(error, static_cast<tritium_compared *>(nullptr), [&]() -> tritium_compared * {
    constexpr double usual = 1.03;
    std::optional<llvm::json::Object> left =
        readDocument(tritium::explain::readDocument, a, aName, error);
    if (!left)
      return nullptr;
    std::optional<llvm::json::Object> right =
        readDocument(tritium::explain::readDocument, b, bName, error);
    if (!right)
      return nullptr;
    llvm::json::Object made =
        tritium::explain::compare(*left, *right, slowdown > 0 ? slowdown : usual);
    auto compared = std::make_unique<tritium_compared>();
    compared->text = tritium::explain::renderComparison(made);
    llvm::raw_string_ostream(compared->json) << llvm::json::Value(std::move(made));
    return compared.release();
  });
}

const char *tritium_compared_json(const tritium_compared *compared) {
  return compared->json.c_str();
}

const char *tritium_compared_text(const tritium_compared *compared) {
  return compared->text.c_str();
}

void tritium_compared_release(tritium_compared *compared) { delete compared; }
