//===- DiskCache.h - compiled kernels on disk -------------------*- C++ -*-===//
//
// One file an entry: `<cache>/<key>/<dependencies>.kernel`. The key is a hash of what is
// known before compiling (text, specialisation, options, compiler, CPU); kernels that
// differ only in what their names stood for are neighbours in one folder. Files appear
// by rename, so a reader sees all of one or nothing; each carries a checksum. Nothing
// here fails a launch: what cannot be read is compiled, what cannot be written is not.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_DISKCACHE_H
#define TRITIUM_RUNTIME_DISKCACHE_H

#include "Dependencies.h"

namespace tritium::runtime {

class DiskCache {
public:
  /// An empty directory name makes a cache that holds nothing.
  explicit DiskCache(std::string directory) : directory(std::move(directory)) {}

  /// The entry under `key` whose dependencies hold in `source`'s scope now, or null.
  /// `dependencyHash`, if not null, receives the hash of these.
  std::unique_ptr<CompiledKernel> find(const std::string &key,
                                       const frontend::FunctionSource &source,
                                       std::string *dependencyHash = nullptr) const;
  /// Writes an entry; returns whether it is there now.
  bool store(const std::string &key, const CompiledKernel &kernel,
             const std::vector<Dependency> &dependencies) const;

  struct Entry {
    std::string key, kernel, target, path;
    uint64_t bytes = 0;
    int64_t modified = 0;
    bool intact = false;
  };
  /// All entries, the newest first.
  std::vector<Entry> list() const;
  /// Removes all entries, or those of the kernel of that name. Returns their number.
  size_t clear(const std::string &kernel = {}) const;

private:
  std::string directory;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_DISKCACHE_H
