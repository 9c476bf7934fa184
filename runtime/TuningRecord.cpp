//===- TuningRecord.cpp - measured times, kept on disk --------------------===//

#include "TuningRecord.h"
#include "Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <filesystem>

using namespace tritium::runtime;
namespace fs = std::filesystem;
namespace json = llvm::json;

namespace {

/// Changes with the form and the meaning of the files.
constexpr int64_t version = 2;
constexpr const char *suffix = ".json";
constexpr const char *setAside = "set aside";
/// No record comes near it: a larger file is none of ours.
constexpr uint64_t maxBytes = uint64_t(16) << 20;

std::string toText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

std::string checksum(const json::Value &record) {
  return llvm::utohexstr(llvm::xxh3_64bits(toText(record)));
}

json::Value toJSON(const TuningRecord &record) {
  json::Object timings;
  for (const auto &[label, timing] : record.timings) {
    if (timing.reason.empty())
      timings[json::fixUTF8(label)] =
          json::Array{timing.times[0], timing.times[1], timing.times[2]};
    else if (timing.isSetAside)
      timings[json::fixUTF8(label)] = json::Object{{setAside, json::fixUTF8(timing.reason)}};
    else
      timings[json::fixUTF8(label)] = json::fixUTF8(timing.reason);
  }
  return json::Object{{"version", version},
                      {"kernel", json::fixUTF8(record.kernel)},
                      {"key", json::fixUTF8(record.key)},
                      {"timings", std::move(timings)}};
}

/// A time that a measurement can give.
bool isTime(double time) { return std::isfinite(time) && time >= 0; }

bool fromJSON(const json::Value &value, Timing &timing) {
  const json::Object *object = value.getAsObject();
  timing.isSetAside = object != nullptr;
  if (auto reason = object ? object->getString(setAside) : value.getAsString()) {
    timing.reason = reason->str();
    return !timing.reason.empty();
  }
  const json::Array *times = value.getAsArray();
  if (!times || times->size() != timing.times.size())
    return false;
  for (size_t i = 0; i < timing.times.size(); ++i) {
    std::optional<double> time = (*times)[i].getAsNumber();
    if (!time || !isTime(*time))
      return false;
    timing.times[i] = *time;
  }
  return true;
}

std::optional<TuningRecord> parse(const std::string &text) {
  llvm::Expected<json::Value> file = json::parse(text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return std::nullopt;
  }
  const json::Object *top = file->getAsObject();
  const json::Value *body = top ? top->get("record") : nullptr;
  const json::Object *fields = body ? body->getAsObject() : nullptr;
  if (!fields || top->getString("checksum") != llvm::StringRef(checksum(*body)) ||
      fields->getInteger("version") != version)
    return std::nullopt;
  auto kernel = fields->getString("kernel"), key = fields->getString("key");
  const json::Object *timings = fields->getObject("timings");
  if (!kernel || !key || !timings)
    return std::nullopt;
  TuningRecord record{kernel->str(), key->str(), {}};
  for (const auto &[label, value] : *timings)
    if (!fromJSON(value, record.timings[label.str()]))
      return std::nullopt;
  return record;
}

fs::path rootOf(const std::string &cacheDirectory) { return fs::path(cacheDirectory) / "tuning"; }

} // namespace

TuningRecords::TuningRecords(const std::string &cacheDirectory, const std::string &name)
    : folder(cacheDirectory.empty() ? "" : (rootOf(cacheDirectory) / name).string()) {}

std::string TuningRecords::path(const std::string &scope) const {
  return folder.empty() ? "" : (fs::path(folder) / (scope + suffix)).string();
}

bool TuningRecords::exist() const {
  std::error_code error;
  return !folder.empty() && fs::is_directory(folder, error) && !fs::is_empty(folder, error) &&
         !error;
}

std::optional<TuningRecord> TuningRecords::find(const std::string &scope) const {
  return folder.empty() ? std::nullopt : parse(readFile(path(scope), maxBytes));
}

bool TuningRecords::store(const std::string &scope, const TuningRecord &record) const {
  if (folder.empty())
    return false;
  std::error_code error;
  fs::create_directories(folder, error);
  TuningRecord all = record;
  if (std::optional<TuningRecord> before = find(scope))
    all.timings.insert(before->timings.begin(), before->timings.end());
  json::Value body = toJSON(all);
  std::string sum = checksum(body);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv(
      "{0:2}", json::Value(json::Object{{"checksum", sum}, {"record", std::move(body)}}));
  return writeFile(path(scope), {text, "\n"});
}

size_t TuningRecords::clear(const std::string &cacheDirectory, const std::string &kernel) {
  size_t removed = 0;
  std::error_code error;
  if (cacheDirectory.empty())
    return removed;
  for (fs::directory_iterator it(rootOf(cacheDirectory), error), end; !error && it != end;
       it.increment(error)) {
    std::error_code inner;
    for (fs::directory_iterator file(it->path(), inner); !inner && file != fs::directory_iterator();
         file.increment(inner)) {
      std::optional<TuningRecord> record = parse(readFile(file->path(), maxBytes));
      std::error_code ignored;
      if (file->path().extension() == suffix &&
          (kernel.empty() || (record && record->kernel == kernel)))
        removed += fs::remove(file->path(), ignored);
    }
    fs::remove(it->path(), inner); // only when it is empty
  }
  return removed;
}
