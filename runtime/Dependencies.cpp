//===- Dependencies.cpp - what a compilation learnt of its host -----------===//
//
// Recording and checking share one walk: both number scopes and host functions in the
// order in which lookups open them, so the numbers of a record mean the same scopes
// when its questions are asked again.
//
//===----------------------------------------------------------------------===//

#include "Dependencies.h"

using namespace tritium;
using namespace tritium::runtime;
using frontend::External;
using frontend::FunctionSource;
using frontend::Scope;

namespace {

using HostCall = decltype(External::HostFunction::call);

/// The serialized form of an answer, without what it opens.
std::string describe(const std::optional<External> &external) {
  Writer writer;
  if (!external) {
    writer.text("undefined");
    return writer.bytes;
  }
  writer.number(external->value.index());
  if (auto *constant = std::get_if<Constant>(&external->value)) {
    writer.constant(*constant);
  } else if (auto *function = std::get_if<std::shared_ptr<FunctionSource>>(&external->value)) {
    write(writer, **function);
  } else if (auto *module = std::get_if<External::Module>(&external->value)) {
    writer.text(module->library);
    writer.text(module->object);
  } else if (auto *library = std::get_if<External::Library>(&external->value)) {
    writer.text(library->name);
  } else if (auto *host = std::get_if<External::HostFunction>(&external->value)) {
    writer.text(host->name);
  } else if (auto *unusable = std::get_if<External::Unusable>(&external->value)) {
    writer.text(unusable->reason);
  }
  return writer.bytes;
}

std::string describe(const std::vector<Constant> &arguments,
                     const std::vector<std::string> &keywords) {
  Writer writer;
  writer.number(arguments.size());
  for (const Constant &argument : arguments)
    writer.constant(argument);
  writer.number(keywords.size());
  for (const std::string &keyword : keywords)
    writer.text(keyword);
  return writer.bytes;
}

std::string describe(const std::optional<Constant> &result, const std::string &error) {
  Writer writer;
  writer.number(result.has_value());
  if (result)
    writer.constant(*result);
  else
    writer.text(error);
  return writer.bytes;
}

} // namespace

void tritium::runtime::write(Writer &writer, const FunctionSource &source) {
  writer.text(source.name);
  writer.text(source.file);
  writer.number(static_cast<uint64_t>(source.firstLine));
  writer.number(static_cast<uint64_t>(source.columnOffset));
  writer.text(source.text);
  writer.number(source.noinline_);
  writer.number(static_cast<uint64_t>(source.language));
  writer.number(source.defines.size());
  for (const auto &[name, text] : source.defines) {
    writer.text(name);
    writer.text(text);
  }
}

//===-- Recording ---------------------------------------------------------===//

namespace {

class RecordingScope final : public Scope {
public:
  using Lookup = std::function<std::optional<External>(std::string_view)>;
  explicit RecordingScope(Lookup ask) : ask(std::move(ask)) {}
  std::optional<External> lookup(std::string_view name) override {
    auto known = answers.find(name);
    if (known == answers.end())
      known = answers.emplace(std::string(name), ask(name)).first;
    return known->second;
  }
  /// A recursive function's scope answers with the function, which holds the scope.
  void dropAnswers() { answers.clear(); }

private:
  Lookup ask;
  std::map<std::string, std::optional<External>, std::less<>> answers;
};

} // namespace

struct Recorder::State : std::enable_shared_from_this<Recorder::State> {
  std::mutex mutex;
  std::vector<Dependency> dependencies;
  uint32_t scopes = 0, hostFunctions = 0;
  /// The recording twin of each function: the compiler knows functions by identity.
  std::map<const FunctionSource *, std::shared_ptr<FunctionSource>> twins;
  std::vector<std::shared_ptr<FunctionSource>> originals; ///< keeps the keys alive
  std::vector<std::weak_ptr<RecordingScope>> recording;

  std::optional<External> lookup(Scope &scope, uint32_t number, std::string_view name);
  std::shared_ptr<Scope> wrap(std::shared_ptr<Scope> scope);
};

std::shared_ptr<Scope> Recorder::State::wrap(std::shared_ptr<Scope> scope) {
  uint32_t number = scopes++;
  if (!scope)
    return nullptr;
  auto wrapped = std::make_shared<RecordingScope>(
      [state = shared_from_this(), scope, number](std::string_view name) {
        return state->lookup(*scope, number, name);
      });
  recording.push_back(wrapped);
  return wrapped;
}

std::optional<External> Recorder::State::lookup(Scope &scope, uint32_t number,
                                                std::string_view name) {
  std::optional<External> found = scope.lookup(name);
  std::lock_guard lock(mutex);
  dependencies.push_back({number, false, std::string(name), describe(found)});
  if (!found)
    return found;
  if (auto *function = std::get_if<std::shared_ptr<FunctionSource>>(&found->value)) {
    auto twin = twins.find(function->get());
    if (twin == twins.end()) {
      auto copy = std::make_shared<FunctionSource>(**function);
      copy->scope = wrap((*function)->scope);
      originals.push_back(*function);
      twin = twins.emplace(function->get(), copy).first;
    } else {
      ++scopes; // the check, which knows no twins, opens one here
    }
    *function = twin->second;
  } else if (auto *module = std::get_if<External::Module>(&found->value)) {
    module->scope = wrap(module->scope);
  } else if (auto *host = std::get_if<External::HostFunction>(&found->value)) {
    host->call = [state = shared_from_this(), call = host->call, number = hostFunctions++](
                     const std::vector<Constant> &arguments,
                     const std::vector<std::string> &keywords, std::string &error) {
      std::optional<Constant> result = call(arguments, keywords, error);
      std::lock_guard lock(state->mutex);
      state->dependencies.push_back(
          {number, true, describe(arguments, keywords), describe(result, error)});
      return result;
    };
  }
  return found;
}

Recorder::Recorder() : state(std::make_shared<State>()) {}

Recorder::~Recorder() {
  for (const std::weak_ptr<RecordingScope> &scope : state->recording)
    if (auto alive = scope.lock())
      alive->dropAnswers();
  state->twins.clear();
}

FunctionSource Recorder::record(const FunctionSource &source) {
  FunctionSource recorded = source;
  recorded.scope = state->wrap(source.scope);
  return recorded;
}

std::vector<Dependency> Recorder::dependencies() const {
  std::lock_guard lock(state->mutex);
  return state->dependencies;
}

//===-- Checking ----------------------------------------------------------===//

bool tritium::runtime::dependenciesHold(const FunctionSource &source,
                                        const std::vector<Dependency> &dependencies) {
  std::vector<std::shared_ptr<Scope>> scopes = {source.scope};
  std::vector<HostCall> hostFunctions;
  for (const Dependency &dependency : dependencies) {
    if (dependency.isCall) {
      Reader reader(dependency.question);
      std::vector<Constant> arguments;
      for (size_t count = reader.number(); count && !reader.failed(); --count)
        arguments.push_back(reader.constant());
      std::vector<std::string> keywords;
      for (size_t count = reader.number(); count && !reader.failed(); --count)
        keywords.push_back(reader.text());
      if (reader.failed() || dependency.scope >= hostFunctions.size())
        return false;
      std::string error;
      std::optional<Constant> result = hostFunctions[dependency.scope](arguments, keywords, error);
      if (describe(result, error) != dependency.answer)
        return false;
      continue;
    }
    if (dependency.scope >= scopes.size() || !scopes[dependency.scope])
      return false;
    std::optional<External> found = scopes[dependency.scope]->lookup(dependency.question);
    if (describe(found) != dependency.answer)
      return false;
    if (!found)
      continue;
    if (auto *function = std::get_if<std::shared_ptr<FunctionSource>>(&found->value))
      scopes.push_back((*function)->scope);
    else if (auto *module = std::get_if<External::Module>(&found->value))
      scopes.push_back(module->scope);
    else if (auto *host = std::get_if<External::HostFunction>(&found->value))
      hostFunctions.push_back(host->call);
  }
  return true;
}

void tritium::runtime::write(Writer &writer, const std::vector<Dependency> &dependencies) {
  writer.number(dependencies.size());
  for (const Dependency &dependency : dependencies) {
    writer.number(dependency.scope | uint64_t(dependency.isCall) << 32);
    writer.text(dependency.question);
    writer.text(dependency.answer);
  }
}

std::string tritium::runtime::hashDependencies(const std::vector<Dependency> &dependencies) {
  Writer writer;
  write(writer, dependencies);
  return hashText(writer.bytes);
}

std::vector<Dependency> tritium::runtime::readDependencies(Reader &reader) {
  std::vector<Dependency> dependencies;
  for (size_t count = reader.length(); count && !reader.failed(); --count) {
    uint64_t head = reader.number();
    Dependency dependency{static_cast<uint32_t>(head), (head >> 32 & 1) != 0, {}, {}};
    dependency.question = reader.text();
    dependency.answer = reader.text();
    dependencies.push_back(std::move(dependency));
  }
  return dependencies;
}
