//===- Process.cpp - threads, output and cache of the C interface ---------===//

#include "../ClockTables.h"
#include "../DiskCache.h"
#include "../HostOutput.h"
#include "../Interrupt.h"
#include "../ThreadPool.h"
#include "../TuningRecord.h"
#include "Internal.h"

#include "tritium/Frontend/Sema/Signatures.h"
#include "tritium/Support/Settings.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

using namespace tritium;
using namespace tritium::capi;

void tritium_set_num_threads(int count) {
  guarded(nullptr, [&] { runtime::setThreadCount(count > 0 ? static_cast<unsigned>(count) : 0); });
}

int tritium_num_threads(void) {
  return guarded(nullptr, 1, [] { return static_cast<int>(runtime::threadCount()); });
}

void tritium_cancel(void) { runtime::cancelAll(); }

void tritium_set_interrupt_check(int (*check)(void *user), void *user) {
  runtime::setInterruptCheck(check, user);
}

void tritium_set_printer(void (*print)(void *user, const char *text, size_t size), void *user) {
  guarded(nullptr, [&] { runtime::setPrinter(print, user); });
}

size_t tritium_setting_count(void) { return settings::all().size(); }

tritium_setting tritium_setting_at(size_t index) {
  static constexpr const char *types[] = {"flag", "integer", "number", "text", "chosen", "class"};
  static constexpr const char *effects[] = {"run", "kernel", "code", "nothing"};
  const Setting &setting = *settings::all()[index];
  return {setting.variable,
          types[setting.type],
          setting.usual,
          effects[setting.effect],
          setting.knob,
          setting.doc,
          setting.audience == Setting::User};
}

const char *tritium_take_clocks(tritium_error *error) {
  return guarded(error, static_cast<const char *>(nullptr), [&]() -> const char * {
    thread_local std::string text;
    CompileError failure;
    std::optional<llvm::json::Array> tables = runtime::ClockTables::ofProcess().take(failure);
    if (!tables) {
      report(failure, error);
      return nullptr;
    }
    text.clear();
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(*tables));
    return text.c_str();
  });
}

size_t tritium_builtin_count(void) {
  return guarded(nullptr, size_t(0), [] { return sema::builtinSignatures().size(); });
}

tritium_builtin tritium_builtin_at(size_t index) {
  return guarded(nullptr, tritium_builtin{}, [&]() -> tritium_builtin {
    const sema::BuiltinSignature &builtin = sema::builtinSignatures()[index];
    return {builtin.name.c_str(), builtin.signature.c_str(), builtin.types.c_str(),
            builtin.isMethod};
  });
}

const char *tritium_version(void) { return TRITIUM_VERSION; }

const char *tritium_host_cpu(void) {
  return guarded(nullptr, "", [] {
    static const std::string name = llvm::sys::getHostCPUName().str();
    return name.c_str();
  });
}

const char *tritium_cache_path(void) {
  return guarded(nullptr, "", [] {
    thread_local std::string path;
    path = settings::directory(settings::CacheDirectory);
    return path.c_str();
  });
}

size_t tritium_cache_list(void (*visit)(void *user, const tritium_cache_entry *entry), void *user) {
  return guarded(nullptr, size_t(0), [&] {
    auto entries = runtime::DiskCache(settings::directory(settings::CacheDirectory)).list();
    for (const auto &entry : entries) {
      tritium_cache_entry view = {entry.key.c_str(),  entry.kernel.c_str(), entry.target.c_str(),
                                  entry.path.c_str(), entry.bytes,          entry.modified,
                                  entry.intact};
      if (visit)
        visit(user, &view);
    }
    return entries.size();
  });
}

size_t tritium_cache_clear(const char *kernel) {
  return guarded(nullptr, size_t(0), [&] {
    std::string name = kernel ? kernel : "",
                directory = settings::directory(settings::CacheDirectory);
    return runtime::DiskCache(directory).clear(name) +
           runtime::TuningRecords::clear(directory, name);
  });
}
