//===- Cache.cpp - tritium cache ------------------------------------------===//

#include "Commands.h"

#include "tritium/tritium.h"

#include <cstdio>
#include <ctime>

using namespace tritium::tool;

const char *const tritium::tool::cacheHelp =
    R"(usage: tritium cache ls [--paths]
       tritium cache path
       tritium cache clear [--kernel NAME]

The cache of compiled kernels on disk. It is safe to remove at any time.

  ls               one line an entry, the newest first: size, time, target, kernel, key
  ls --paths       the files only
  path             the directory: TRITON_CACHE_DIR, or ~/.tritium/cache
  clear            removes all entries, and what autotuning has measured
  --kernel NAME    only those of one kernel
)";

static void printEntry(void *paths, const tritium_cache_entry *entry) {
  if (*static_cast<bool *>(paths)) {
    std::puts(entry->path);
    return;
  }
  char when[32] = "";
  time_t seconds = entry->modified;
  if (const std::tm *local = std::localtime(&seconds))
    std::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", local);
  std::printf("%8.1f KiB  %s  %-9s  %-24s  %.16s\n", double(entry->bytes) / 1024, when,
              entry->intact ? entry->target : "damaged", entry->intact ? entry->kernel : "-",
              entry->key);
}

int tritium::tool::cache(const Arguments &arguments) {
  CommandLine options(arguments);
  std::string action, kernel;
  bool onlyPaths = false;
  while (options.next()) {
    if (!options.isOption && action.empty()) {
      action = options.name;
    } else if (options.name == "-h" || options.name == "--help") {
      std::fputs(cacheHelp, stdout);
      return 0;
    } else if (options.name == "--kernel" && action == "clear") {
      kernel = options.value();
    } else if (options.name == "--paths" && action == "ls") {
      options.noValue();
      onlyPaths = true;
    } else {
      throw UsageError("cache: unexpected '" + options.name + "'");
    }
  }
  if (action == "path") {
    std::puts(tritium_cache_path());
  } else if (action == "ls") {
    tritium_cache_list(printEntry, &onlyPaths);
  } else if (action == "clear") {
    size_t removed = tritium_cache_clear(kernel.empty() ? nullptr : kernel.c_str());
    std::printf("removed %zu %s\n", removed, removed == 1 ? "entry" : "entries");
  } else {
    throw UsageError(action.empty() ? "cache: say ls, path or clear"
                                    : "cache: no action '" + action + "'; say ls, path or clear");
  }
  return 0;
}
