//===- Scope.cpp - the host's names, as the compiler asks for them --------===//

#include "../ForkGate.h"
#include "Internal.h"

#include <mutex>

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

class HostScope final : public frontend::Scope {
public:
  /// The kernel's own scope owns the table; scopes below it only look at it, because
  /// the table holds them.
  HostScope(tritium_scope scope, std::shared_ptr<FunctionTable> table, bool isRoot)
      : scope(scope), owned(isRoot ? table : nullptr), table(table) {}
  ~HostScope() override {
    runtime::OutsideForkGate outside;
    if (scope.release)
      scope.release(scope.user);
  }

  std::optional<External> lookup(std::string_view name) override {
    runtime::OutsideForkGate outside;
    tritium_external result{table.lock(), std::nullopt};
    if (!scope.lookup || !scope.lookup(scope.user, std::string(name).c_str(), &result))
      return std::nullopt;
    return std::move(result.value);
  }

private:
  tritium_scope scope;
  std::shared_ptr<FunctionTable> owned;
  std::weak_ptr<FunctionTable> table;
};

FunctionSource makeFunction(const tritium_source &source, std::shared_ptr<FunctionTable> table,
                            bool isRoot) {
  FunctionSource function;
  function.name = source.name;
  function.file = source.file ? source.file : "";
  function.firstLine = source.first_line;
  function.columnOffset = source.column_offset;
  function.text = source.text;
  function.noinline_ = source.is_noinline != 0;
  function.scope = std::make_shared<HostScope>(source.scope, std::move(table), isRoot);
  return function;
}

} // namespace

FunctionSource capi::makeSource(const tritium_source &source) {
  return makeFunction(source, std::make_shared<FunctionTable>(), /*isRoot=*/true);
}

void tritium_external_set_constant(tritium_external *external, const tritium_value *value) {
  external->value = External{runtime::toConstant(*value)};
}

void tritium_external_set_function(tritium_external *external, const tritium_source *source) {
  FunctionTable *table = external->table.get();
  if (!table || !source->identity) {
    external->value =
        External{std::make_shared<FunctionSource>(makeFunction(*source, external->table, false))};
    return;
  }
  bool isKnown;
  {
    runtime::ForkSafeLock lock(table->mutex);
    std::shared_ptr<FunctionSource> &known = table->functions[source->identity];
    isKnown = known != nullptr;
    if (!isKnown)
      known = std::make_shared<FunctionSource>(makeFunction(*source, external->table, false));
    external->value = External{known};
  }
  if (isKnown && source->scope.release)
    source->scope.release(source->scope.user);
}

void tritium_external_set_library_module(tritium_external *external, const char *path) {
  external->value = External{External::Module{path, nullptr}};
}

void tritium_external_set_module(tritium_external *external, tritium_scope scope) {
  external->value =
      External{External::Module{"", std::make_shared<HostScope>(scope, external->table, false)}};
}

void tritium_external_set_library(tritium_external *external, const char *qualifiedName) {
  external->value = External{External::Library{qualifiedName}};
}

void tritium_external_set_unusable(tritium_external *external, const char *reason) {
  external->value = External{External::Unusable{reason}};
}

void tritium_external_set_host_function(tritium_external *external, const char *name,
                                        tritium_host_function function, void *user,
                                        void (*release)(void *user)) {
  std::shared_ptr<void> owner(user, [release](void *held) {
    runtime::OutsideForkGate outside;
    if (release)
      release(held);
  });
  External::HostFunction host;
  host.name = name;
  host.call = [function, owner](const std::vector<Constant> &arguments,
                                std::string &error) -> std::optional<Constant> {
    std::vector<std::unique_ptr<tritium_value[]>> storage;
    std::vector<tritium_value> values;
    for (const Constant &argument : arguments)
      values.push_back(runtime::fromConstant(argument, storage));
    tritium_call call;
    runtime::OutsideForkGate outside;
    if (function(owner.get(), values.data(), values.size(), &call) == 0 && call.result)
      return std::move(call.result);
    error = call.error.empty() ? "the function gave no compile-time value" : call.error;
    return std::nullopt;
  };
  external->value = External{std::move(host)};
}

void tritium_call_set_result(tritium_call *call, const tritium_value *value) {
  call->result = runtime::toConstant(*value);
}

void tritium_call_set_error(tritium_call *call, const char *message) { call->error = message; }
