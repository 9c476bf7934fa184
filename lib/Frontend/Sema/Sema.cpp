//===- Sema.cpp - position, errors, names ---------------------------------===//

#include "tritium/Frontend/Sema/Sema.h"

#include "tritium/Dialect/Tile/IR/Tile.h"
#include "tritium/Frontend/Sema/Builtins.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tritium;
using namespace tritium::sema;
using frontend::External;

Sema::Sema(mlir::OpBuilder &builder, const SourceManager &sources, DiagnosticEngine &diagnostics,
           FunctionCaller &caller, Options options)
    : opBuilder(builder), sources(sources), diagnostics(diagnostics), functionCaller(caller),
      opts(std::move(options)) {}

void Sema::enterCall(std::string callee, bool isLibrary, bool isInlined) {
  frames.push_back({std::move(callee), currentRange, isLibrary, isInlined});
}

void Sema::leaveCall() {
  currentRange = frames.back().callSite;
  frames.pop_back();
}

static mlir::Location fileLocation(mlir::MLIRContext *context, const SourceManager &sources,
                                   SourceRange range) {
  if (!range.begin.isValid())
    return mlir::UnknownLoc::get(context);
  LineColumn at = sources.lineColumn(range.begin);
  std::string_view name = sources.name(range.begin.file);
  return mlir::FileLineColLoc::get(context, llvm::StringRef(name.data(), name.size()), at.line,
                                   at.column);
}

size_t Sema::userDepth() const {
  auto isLibrary = [](const CallFrame &frame) { return frame.isLibrary; };
  return std::find_if(frames.begin(), frames.end(), isLibrary) - frames.begin();
}

SourceRange Sema::userRange() const {
  size_t depth = userDepth();
  return depth < frames.size() ? frames[depth].callSite : currentRange;
}

mlir::Location Sema::loc() const {
  mlir::MLIRContext *context = opBuilder.getContext();
  mlir::Location result = fileLocation(context, sources, userRange());
  for (size_t i = userDepth(); i-- > 0 && frames[i].isInlined;)
    result = mlir::CallSiteLoc::get(result, fileLocation(context, sources, frames[i].callSite));
  return result;
}

std::string Sema::text() const {
  SourceRange range = userRange();
  if (!range.begin.isValid() || range.end.file != range.begin.file)
    return "";
  std::string_view all = sources.text(range.begin.file);
  llvm::StringRef part(all.data() + range.begin.offset, range.end.offset - range.begin.offset);
  llvm::SmallVector<llvm::StringRef> lines;
  part.split(lines, '\n');
  for (llvm::StringRef &line : lines)
    line = line.trim();
  return llvm::join(lines, " ");
}

std::nullopt_t Sema::error(std::string message, std::string kind, std::vector<std::string> notes) {
  size_t depth = userDepth();
  bool inLibrary = depth < frames.size();
  Diagnostic &diagnostic = diagnostics.error(userRange(), std::move(message), std::move(kind));
  for (std::string &note : notes)
    diagnostic.notes.push_back({Severity::Note, "", {}, std::move(note), {}});
  if (inLibrary)
    diagnostic.notes.push_back({Severity::Note,
                                "",
                                currentRange,
                                "within the library function '" + frames.back().callee + "'",
                                {}});
  for (size_t i = depth; i-- > 0;)
    diagnostic.notes.push_back(
        {Severity::Note, "", frames[i].callSite, "'" + frames[i].callee + "' is called here", {}});
  return std::nullopt;
}

void Sema::warning(std::string message) {
  SourceRange range = userRange();
  diagnostics.warning(range, std::move(message));
}

/// A builtin of Python's that kernels do not have.
static std::nullopt_t refuseBuiltin(Sema &sema, const std::string &name) {
  auto advice = llvm::StringSwitch<std::string_view>(name)
                    .Case("type", "; x.dtype and isinstance tell what a value is")
                    .Default("");
  return sema.error(name + "() of Python is not supported in a kernel" + std::string(advice));
}

namespace {
struct ExternalToValue {
  Sema &sema;
  std::string_view name;

  Result operator()(const Constant &constant) const { return sema.known(constant); }
  Result operator()(const std::shared_ptr<frontend::FunctionSource> &function) const {
    return Value(Function{function});
  }
  Result operator()(const External::Module &module) const { return Value(module); }
  Result operator()(const External::Library &library) const {
    if (auto value = libraryName(library.name))
      return value;
    if (library.name.starts_with("builtins."))
      return refuseBuiltin(sema, library.name.substr(strlen("builtins.")));
    return sema.error("'" + library.name + "' is not a name of the library that kernels can use");
  }
  Result operator()(const External::HostFunction &function) const { return Value(function); }
  Result operator()(const External::Unusable &unusable) const {
    return sema.error("'" + std::string(name) + "' cannot be used in a kernel: " + unusable.reason);
  }
};
} // namespace

Result Sema::known(const Constant &constant) {
  if (auto *object = std::get_if<Constant::Object>(&constant.value)) {
    auto external = functionCaller.findObject(object->name);
    if (!external)
      return error("the host does not know the object " + object->name);
    return fromExternal(*external, object->name);
  }
  auto *elements = std::get_if<Constant::Tuple>(&constant.value);
  if (!elements)
    return Value(constant);
  Tuple tuple;
  for (const Constant &element : *elements) {
    auto value = known(element);
    if (!value)
      return std::nullopt;
    tuple.elements.push_back(std::move(*value));
  }
  return Value(std::move(tuple));
}

Result Sema::fromExternal(const External &external, std::string_view name) {
  return std::visit(ExternalToValue{*this, name}, external.value);
}

std::optional<Value> Sema::builtinName(std::string_view name) {
  return libraryName("builtins", name);
}
