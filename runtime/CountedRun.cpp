//===- CountedRun.cpp - launches on a simulated GPU, undone ---------------===//

#include "CountedRun.h"
#include "ChildProcess.h"
#include "SavedBuffers.h"
#include "Signature.h"

#include "tritium/Explain/Explain.h"

#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace tritium;
using namespace tritium::runtime;

namespace json = llvm::json;

/// Adds what is to be put back. Whether the launch writes nothing else, as far as its arguments
/// say; nothing, with why, if it cannot be counted.
static std::optional<bool> addArrays(Variant &variant, const LaunchToExplain &launch,
                                     SavedBuffers &saved, std::string &why) {
  const KernelMetadata &metadata = variant.metadata();
  if (metadata.mayWait) {
    why = "its programs wait for one another";
    return std::nullopt;
  }
  bool isAllKnown = !metadata.hasIndirectPointers;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    if (!metadata.parameters[i].type.isPointer() || !argument.slot)
      continue;
    if (argument.memory != TRITIUM_HOST_MEMORY) {
      why = "the memory behind '" + metadata.parameters[i].name + "' is not the host's";
      return std::nullopt;
    }
    isAllKnown &= argument.end != UINT64_MAX;
  }
  // What is reached by an address in memory may be another argument's, in memory that processes
  // share.
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    if (!metadata.parameters[i].type.isPointer() || !argument.slot || argument.end == UINT64_MAX)
      continue;
    if (metadata.parameters[i].isWritten || (!isAllKnown && !argument.isReadOnly))
      saved.add(argument.begin, argument.end, SavedBuffers::BeforeRun::Restore);
  }
  return isAllKnown;
}

static bool isResult(const ParameterInfo &parameter, const BoundArgument &argument) {
  return parameter.type.isPointer() && argument.slot && parameter.isWritten;
}

static bool count(const Backend &backend, const CountRequest &request, json::Object &counters,
                  std::string &why) {
  CompileError error;
  if (backend.count(request, counters, error))
    return true;
  why = error.message;
  return false;
}

/// Where memory is reached of which nobody has said how much there is.
static bool countInChild(const Backend &backend, const CountRequest &request,
                         json::Object &counters, std::string &why) {
  std::optional<std::string> said = inChildProcess(
      [&] {
        json::Object made;
        std::string whyNot;
        if (!count(backend, request, made, whyNot))
          made = json::Object{{"why", json::fixUTF8(whyNot)}};
        return llvm::formatv("{0}", json::Value(std::move(made))).str();
      },
      why);
  if (!said)
    return false;
  llvm::Expected<json::Value> parsed = json::parse(*said);
  if (!parsed) {
    why = llvm::toString(parsed.takeError());
    return false;
  }
  counters = std::move(*parsed->getAsObject());
  if (std::optional<llvm::StringRef> whyNot = counters.getString("why")) {
    why = whyNot->str();
    return false;
  }
  return true;
}

static std::optional<CountedRun> countOnce(Variant &variant, const LaunchToExplain &launch,
                                           uint64_t mostCTAs, bool isTimed, std::string &why) {
  constexpr uint64_t mostSteps = 400'000'000;
  SavedBuffers saved;
  std::optional<bool> isAllKnown = addArrays(variant, launch, saved, why);
  if (!isAllKnown)
    return std::nullopt;
  if (!saved.save()) {
    why = "there is no memory to save its arrays in";
    return std::nullopt;
  }
  const auto &source = variant.recipe().source;
  CountRequest request{
      variant.code(),
      source ? &*source : nullptr,
      launch.arguments,
      launch.grid,
      mostCTAs,
      mostSteps,
      tritium::explain::capabilityOf(variant.metadata().target.architecture(), launch.gpu),
      launch.gpu,
      isTimed,
      !*isAllKnown};
  CountedRun made;
  made.hasResults = *isAllKnown;
  const Backend &backend = *backendThatCounts(variant.metadata().target);
  bool isCounted = made.hasResults ? count(backend, request, made.counters, why)
                                   : countInChild(backend, request, made.counters, why);
  for (size_t i = 0; isCounted && made.hasResults && i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    if (!isResult(variant.metadata().parameters[i], argument))
      continue;
    std::vector<std::byte> &result = made.results.emplace_back(argument.end - argument.begin);
    std::memcpy(result.data(), reinterpret_cast<const void *>(argument.begin), result.size());
  }
  if (!saved.restore()) {
    why = "its memory cannot be put back";
    return std::nullopt;
  }
  return isCounted ? std::optional(std::move(made)) : std::nullopt;
}

uint64_t tritium::runtime::workOfCTA(const CountedRun &run) {
  const json::Object *total = run.counters.getObject("total");
  if (!total)
    return 1;
  // A product of a warp has some thousand operations of its own; measured.
  constexpr int64_t ofProduct = 16;
  int64_t work = total->getInteger("warp_instructions").value_or(0) +
                 ofProduct * total->getInteger("matrix_operations").value_or(0);
  return std::max<uint64_t>(static_cast<uint64_t>(work) / std::max<uint64_t>(run.number("ctas"), 1),
                            1);
}

std::optional<CountedRun> tritium::runtime::countRun(Variant &variant,
                                                     const LaunchToExplain &launch, RunLimit limit,
                                                     std::string &why) {
  constexpr uint64_t atFirst = 2;
  if (!backendThatCounts(variant.metadata().target)) {
    why = "only what GPUs do is counted";
    return std::nullopt;
  }
  if (limit.ctas)
    return countOnce(variant, launch, limit.ctas, limit.isTimed, why);
  std::optional<CountedRun> first = countOnce(variant, launch, atFirst, limit.isTimed, why);
  if (!first)
    return std::nullopt;
  uint64_t affordable = limit.work / workOfCTA(*first);
  // Few more are not worth a second run.
  if (first->isComplete() || affordable < 2 * atFirst)
    return first;
  return countOnce(variant, launch, affordable, limit.isTimed, why);
}

//===-- Comparing ---------------------------------------------------------===//

namespace {
/// How far elements of a type may be apart, of the larger of both and of the array's usual size.
double toleranceOf(const DType &element, bool isInexact) {
  switch (element.kind) {
  case DTypeKind::Float64:
    return 1e-9;
  case DTypeKind::Float32:
    return isInexact ? 2e-2 : 1e-4;
  case DTypeKind::Float16:
    return 1e-2;
  case DTypeKind::BFloat16:
    return 4e-2;
  default:
    return 0;
  }
}

double loadFloat(const std::byte *at, DTypeKind kind) {
  auto get = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (kind) {
  case DTypeKind::Float64:
    return get(double());
  case DTypeKind::Float32:
    return get(float());
  case DTypeKind::BFloat16:
    return std::bit_cast<float>(static_cast<uint32_t>(get(uint16_t())) << 16);
  default:
    return static_cast<double>(get(_Float16()));
  }
}

/// The usual size of the array's elements: the root of the mean square of some of them.
double usualSize(llvm::ArrayRef<std::byte> bytes, const DType &element) {
  size_t size = element.bits() / 8, count = bytes.size() / size;
  constexpr size_t most = 4096;
  size_t step = std::max<size_t>(count / most, 1), seen = 0;
  double squares = 0;
  for (size_t i = 0; i < count; i += step, ++seen) {
    double number = loadFloat(bytes.data() + i * size, element.kind);
    squares += std::isfinite(number) ? number * number : 0;
  }
  return seen ? std::sqrt(squares / static_cast<double>(seen)) : 0;
}

/// Floats of 8 bits: the same, or the next.
bool areNeighbours(std::byte a, std::byte b) {
  return std::abs(std::to_integer<int>(a) - std::to_integer<int>(b)) <= 1;
}
bool areClose(double a, double b, double most) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= most;
}

/// `before`: the array as no run left it.
bool agreeOn(llvm::ArrayRef<std::byte> before, llvm::ArrayRef<std::byte> a,
             llvm::ArrayRef<std::byte> b, const DType &element, bool isComplete, bool isInexact) {
  if (std::memcmp(a.data(), b.data(), a.size()) == 0)
    return true;
  size_t size = std::max(element.bits() / 8, 1u);
  double tolerance = toleranceOf(element, isInexact);
  double usual = tolerance > 0 ? usualSize(a, element) : 0;
  for (size_t at = 0; at + size <= a.size(); at += size) {
    auto same = [&](llvm::ArrayRef<std::byte> x, llvm::ArrayRef<std::byte> y) {
      return std::memcmp(x.data() + at, y.data() + at, size) == 0;
    };
    if (same(a, b) || (!isComplete && (same(a, before) || same(b, before))))
      continue;
    if (size == 1 && isFloat(element.kind) && areNeighbours(a[at], b[at]))
      continue;
    if (tolerance == 0)
      return false;
    double x = loadFloat(a.data() + at, element.kind), y = loadFloat(b.data() + at, element.kind);
    if (!areClose(x, y, tolerance * std::max({std::abs(x), std::abs(y), usual})))
      return false;
  }
  return true;
}
} // namespace

bool tritium::runtime::agree(const LaunchToExplain &launch, const KernelMetadata &metadata,
                             const CountedRun &a, const CountedRun &b, bool isInexact) {
  // The same CTAs of the same grid, or all.
  bool isComplete = (a.isComplete() && b.isComplete()) ||
                    (a.number("grid") == b.number("grid") && a.number("ctas") == b.number("ctas"));
  size_t next = 0;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument &argument = launch.arguments[i];
    if (!isResult(metadata.parameters[i], argument))
      continue;
    // Another variant may write other arrays.
    size_t size = argument.end - argument.begin;
    if (next >= a.results.size() || next >= b.results.size() || a.results[next].size() != size ||
        b.results[next].size() != size)
      return false;
    DType element = metadata.parameters[i].type;
    --element.pointerDepth;
    llvm::ArrayRef<std::byte> before(reinterpret_cast<const std::byte *>(argument.begin),
                                     argument.end - argument.begin);
    if (!agreeOn(before, a.results[next], b.results[next], element, isComplete, isInexact))
      return false;
    ++next;
  }
  return next == a.results.size() && next == b.results.size();
}
