//===- DiskCache.cpp - compiled kernels on disk ---------------------------===//

#include "DiskCache.h"
#include "Files.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>

using namespace tritium;
using namespace tritium::runtime;
namespace fs = std::filesystem;

namespace {

/// Changes with the form of the entries.
constexpr char magic[8] = {'T', 'R', 'I', 'T', 'I', 'U', 'M', '2'};
constexpr size_t headerBytes = 24; // magic, checksum, size of the payload
constexpr const char *suffix = ".kernel";
/// No kernel comes near it: a larger file is none of the cache's.
constexpr uint64_t maxEntryBytes = uint64_t(256) << 20;
/// Neighbours in one folder: a kernel whose globals keep changing must not fill the disk.
constexpr size_t maxNeighbours = 16;

/// The payload of an undamaged entry, or nothing.
std::string_view payload(std::string_view bytes) {
  if (bytes.size() < headerBytes || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    return {};
  Reader header(bytes.substr(sizeof magic, 16));
  uint64_t checksum = header.number(), size = header.number();
  std::string_view body = bytes.substr(headerBytes);
  if (body.size() != size || llvm::xxh3_64bits(llvm::StringRef(body)) != checksum)
    return {};
  return body;
}

/// What lies at an entry's place, if it can be one.
std::string readEntry(const std::string &path) {
  return readFile(path, maxEntryBytes, {magic, sizeof magic});
}

/// The entries of one folder. A folder that is not there has none.
std::vector<fs::directory_entry> entriesIn(const fs::path &folder) {
  std::vector<fs::directory_entry> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == suffix)
      found.push_back(*it);
  return found;
}

} // namespace

std::unique_ptr<CompiledKernel> DiskCache::find(const std::string &key,
                                                const frontend::FunctionSource &source,
                                                std::string *dependencyHash) const {
  if (directory.empty())
    return nullptr;
  for (const fs::directory_entry &entry : entriesIn(fs::path(directory) / key)) {
    std::string bytes = readEntry(entry.path());
    std::string_view body = payload(bytes);
    if (body.empty())
      continue;
    Reader reader(body);
    std::vector<Dependency> dependencies = readDependencies(reader);
    if (reader.failed() || !dependenciesHold(source, dependencies))
      continue;
    auto kernel = std::make_unique<CompiledKernel>();
    read(reader, *kernel);
    if (reader.failed() || !reader.atEnd())
      continue;
    if (dependencyHash)
      *dependencyHash = hashDependencies(dependencies);
    return kernel;
  }
  return nullptr;
}

bool DiskCache::store(const std::string &key, const CompiledKernel &kernel,
                      const std::vector<Dependency> &dependencies) const {
  if (directory.empty())
    return false;
  Writer body;
  write(body, dependencies);
  std::string name = hashDependencies(dependencies) + suffix;
  write(body, kernel);
  Writer header;
  header.bytes.assign(magic, sizeof magic);
  header.number(llvm::xxh3_64bits(llvm::StringRef(body.bytes)));
  header.number(body.bytes.size());
  if (header.bytes.size() + body.bytes.size() > maxEntryBytes)
    return false;

  std::error_code error;
  fs::path folder = fs::path(directory) / key;
  fs::create_directories(folder, error);
  std::vector<fs::directory_entry> neighbours = entriesIn(folder);
  if (neighbours.size() >= maxNeighbours) {
    auto oldest = std::min_element(neighbours.begin(), neighbours.end(), [](auto &a, auto &b) {
      std::error_code ignored;
      return a.last_write_time(ignored) < b.last_write_time(ignored);
    });
    fs::remove(oldest->path(), error);
  }
  return writeFile(folder / name, {header.bytes, body.bytes});
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries;
  std::error_code error;
  if (directory.empty())
    return entries;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    for (const fs::directory_entry &file : entriesIn(it->path())) {
      Entry entry;
      entry.key = it->path().filename();
      entry.path = file.path();
      struct stat status;
      if (stat(entry.path.c_str(), &status) == 0) {
        entry.bytes = static_cast<uint64_t>(status.st_size);
        entry.modified = status.st_mtime;
      }
      std::string bytes = readEntry(entry.path);
      Reader reader(payload(bytes));
      readDependencies(reader);
      CompiledKernel kernel;
      read(reader, kernel);
      if ((entry.intact = !reader.failed())) {
        entry.kernel = kernel.metadata.name;
        entry.target = kernel.metadata.target.platform();
      }
      entries.push_back(std::move(entry));
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.modified > b.modified; });
  return entries;
}

size_t DiskCache::clear(const std::string &kernel) const {
  size_t removed = 0;
  for (const Entry &entry : list()) {
    if (!kernel.empty() && entry.kernel != kernel)
      continue;
    std::error_code error;
    fs::remove_all(entry.path, error); // what stands in an entry's place may be a folder
    removed += !error;
    fs::remove(fs::path(entry.path).parent_path(), error); // only when it is empty
  }
  return removed;
}
