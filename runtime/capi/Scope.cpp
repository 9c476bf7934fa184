//===- Scope.cpp - the host's names, as the compiler asks for them --------===//

#include "Internal.h"

#include "tritium/Support/ForkGate.h"

#include <mutex>
#include <utility>

using namespace tritium;
using frontend::External;
using frontend::FunctionSource;

namespace {

/// Functions by the identity that the host gave them: a function that is reached by
/// two ways is one function to the compiler, and recursion is seen.
struct FunctionTable {
  std::mutex mutex;
  std::map<const void *, std::shared_ptr<FunctionSource>> functions;
};

} // namespace

struct tritium_external {
  std::shared_ptr<FunctionTable> table;
  std::optional<External> value;
};

struct tritium_call {
  std::optional<Constant> result;
  std::string error;
};

namespace {

/// A scope that was taken over: released once, also after a failure.
class OwnedScope {
public:
  explicit OwnedScope(const tritium_scope &scope) : scope(scope) {}
  OwnedScope(OwnedScope &&other) noexcept : scope(std::exchange(other.scope, {})) {}
  OwnedScope &operator=(OwnedScope &&) = delete;
  ~OwnedScope() {
    OutsideForkGate outside;
    if (scope.release)
      capi::guarded(nullptr, [&] { scope.release(scope.user); });
  }
  const tritium_scope *operator->() const { return &scope; }

private:
  tritium_scope scope;
};

class HostScope final : public frontend::Scope {
public:
  /// The kernel's own scope owns the table; scopes below it only look at it, because
  /// the table holds them.
  HostScope(OwnedScope scope, std::shared_ptr<FunctionTable> table, bool isRoot)
      : scope(std::move(scope)), owned(isRoot ? table : nullptr), table(table) {}

  std::optional<External> lookup(std::string_view name) override {
    OutsideForkGate outside;
    tritium_external result{table.lock(), std::nullopt};
    std::string asked(name), thrown;
    int isFound = 0;
    if (!scope->lookup)
      return std::nullopt;
    if (!capi::callHost(thrown,
                        [&] { isFound = scope->lookup(scope->user, asked.c_str(), &result); }))
      return External{External::Unusable{thrown}};
    return isFound ? std::move(result.value) : std::nullopt;
  }

private:
  OwnedScope scope;
  std::shared_ptr<FunctionTable> owned;
  std::weak_ptr<FunctionTable> table;
};

FunctionSource makeFunction(const tritium_source &source, OwnedScope scope,
                            std::shared_ptr<FunctionTable> table, bool isRoot) {
  FunctionSource function;
  function.name = source.name;
  function.file = source.file ? source.file : "";
  function.firstLine = source.first_line;
  function.columnOffset = source.column_offset;
  function.text = source.text;
  function.noinline_ = source.is_noinline != 0;
  function.scope = std::make_shared<HostScope>(std::move(scope), std::move(table), isRoot);
  return function;
}

} // namespace

FunctionSource capi::makeSource(const tritium_source &source) {
  OwnedScope scope(source.scope);
  return makeFunction(source, std::move(scope), std::make_shared<FunctionTable>(),
                      /*isRoot=*/true);
}

// The host calls these inside of a lookup. What there is no memory for stays undefined.

void tritium_external_set_constant(tritium_external *external, const tritium_value *value) {
  capi::guarded(nullptr, [&] { external->value = External{runtime::toConstant(*value)}; });
}

void tritium_external_set_function(tritium_external *external, const tritium_source *source) {
  OwnedScope scope(source->scope);
  capi::guarded(nullptr, [&] {
    auto made = std::make_shared<FunctionSource>(
        makeFunction(*source, std::move(scope), external->table, false));
    // Beyond the lock: a scope that is not needed is released by the host.
    std::shared_ptr<FunctionSource> found = made;
    if (FunctionTable *table = external->table.get(); table && source->identity) {
      ForkSafeLock lock(table->mutex);
      std::shared_ptr<FunctionSource> &known = table->functions[source->identity];
      if (!known)
        known = made;
      found = known;
    }
    external->value = External{std::move(found)};
  });
}

void tritium_external_set_library_module(tritium_external *external, const char *path) {
  capi::guarded(nullptr, [&] { external->value = External{External::Module{path, nullptr}}; });
}

void tritium_external_set_module(tritium_external *external, const char *name,
                                 tritium_scope given) {
  OwnedScope scope(given);
  capi::guarded(nullptr, [&] {
    auto answers = std::make_shared<HostScope>(std::move(scope), external->table, false);
    external->value = External{External::Module{"", std::move(answers), name ? name : ""}};
  });
}

void tritium_external_set_library(tritium_external *external, const char *qualifiedName) {
  capi::guarded(nullptr, [&] { external->value = External{External::Library{qualifiedName}}; });
}

void tritium_external_set_unusable(tritium_external *external, const char *reason) {
  capi::guarded(nullptr, [&] { external->value = External{External::Unusable{reason}}; });
}

void tritium_external_set_host_function(tritium_external *external, const char *name,
                                        tritium_host_function function, void *user,
                                        void (*release)(void *user)) {
  capi::guarded(nullptr, [&] {
    // Releases also if there is no memory for its own count.
    std::shared_ptr<void> owner(user, [release](void *held) {
      OutsideForkGate outside;
      if (release)
        capi::guarded(nullptr, [&] { release(held); });
    });
    External::HostFunction host;
    host.name = name;
    host.call = [function, owner](const std::vector<Constant> &arguments,
                                  const std::vector<std::string> &keywords,
                                  std::string &error) -> std::optional<Constant> {
      std::vector<std::unique_ptr<tritium_value[]>> storage;
      std::vector<tritium_value> values;
      for (const Constant &argument : arguments)
        values.push_back(runtime::fromConstant(argument, storage));
      std::vector<const char *> names;
      for (const std::string &keyword : keywords)
        names.push_back(keyword.c_str());
      tritium_call call;
      int status = 1;
      OutsideForkGate outside;
      capi::callHost(call.error, [&] {
        status =
            function(owner.get(), values.data(), values.size(), names.data(), names.size(), &call);
      });
      if (status == 0 && call.result)
        return std::move(call.result);
      error = call.error.empty() ? "the function gave no compile-time value" : call.error;
      return std::nullopt;
    };
    external->value = External{std::move(host)};
  });
}

void tritium_call_set_result(tritium_call *call, const tritium_value *value) {
  capi::guarded(nullptr, [&] { call->result = runtime::toConstant(*value); });
}

void tritium_call_set_error(tritium_call *call, const char *message) {
  capi::guarded(nullptr, [&] { call->error = message; });
}
