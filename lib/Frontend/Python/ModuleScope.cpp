//===- ModuleScope.cpp - the names of a kernel file -----------------------===//

#include "tritium/Frontend/Python/ModuleScope.h"

#include "tritium/Frontend/Python/Parser.h"
#include "tritium/Frontend/Sema/Builtins.h"
#include "tritium/Frontend/Sema/ConstantFold.h"

#include "llvm/ADT/StringRef.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tritium;
using namespace tritium::frontend;
namespace fs = std::filesystem;

/// A name of the library as the resolver reports it.
static std::optional<External> libraryExternal(const std::string &module, std::string_view name) {
  auto value = sema::libraryName(module, name);
  if (!value)
    return std::nullopt;
  if (auto constant = sema::asConstant(*value))
    return External{*constant};
  if (auto *inner = value->getIf<External::Module>())
    return External{*inner};
  return External{External::Library{module + "." + std::string(name)}};
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

std::optional<External> ModuleScope::lookup(std::string_view name) {
  auto it = entries.find(name);
  if (it == entries.end()) {
    for (const std::string &module : openLibraries)
      if (auto external = libraryExternal(module, name))
        return external;
    for (const auto &file : openFiles)
      if (auto external = file->lookup(name))
        return external;
    return std::nullopt;
  }
  if (auto *external = std::get_if<External>(&it->second))
    return *external;
  if (auto *import = std::get_if<Import>(&it->second))
    return import->name.empty() ? External{External::Module{"", import->scope}}
                                : import->scope->lookup(import->name);
  auto &definition = std::get<Definition>(it->second);
  auto source = definition.inUse.lock();
  if (!source) {
    source = std::make_shared<FunctionSource>(definition.source);
    source->scope = shared_from_this();
    definition.inUse = source;
  }
  return External{std::move(source)};
}

std::shared_ptr<FunctionSource> ModuleScope::function(std::string_view name) {
  auto external = lookup(name);
  auto *source =
      external ? std::get_if<std::shared_ptr<FunctionSource>>(&external->value) : nullptr;
  return source ? *source : nullptr;
}

//===----------------------------------------------------------------------===//
// Reading a file
//===----------------------------------------------------------------------===//

namespace tritium::frontend {
/// Reads one file and, through readers of their own, the files that it imports.
class ModuleReader {
public:
  /// `importer`: the reader whose file imports this one, or null.
  ModuleReader(fs::path path, const ModuleReader *importer)
      : path(std::move(path)), importer(importer) {}

  std::shared_ptr<ModuleScope> read(std::string text, std::string &error);
  std::shared_ptr<ModuleScope> readFile(std::string &error);

private:
  using Entry = ModuleScope::Entry;
  fs::path path;
  const ModuleReader *importer;
  std::shared_ptr<ModuleScope> scope;

  bool isLoading(const fs::path &file) const;
  void define(const std::string &name, Entry entry);
  void unusable(const std::string &name, std::string reason);

  void readImport(const ast::ModuleItem &item);
  void readFromImport(const ast::ModuleItem &item);
  void readFunction(const ast::ModuleItem &item, const SourceManager &sources, int firstLine);
  fs::path fileOf(llvm::StringRef module) const;
  std::shared_ptr<ModuleScope> import(const fs::path &file, std::string &reason) const;

  std::optional<External> evaluate(const ast::Expr &expr) const;
  std::optional<External> evaluateCall(const ast::Call &call) const;
  std::optional<Constant> constant(const ast::Expr &expr) const;
  std::optional<Constant> compare(const ast::Compare &compare) const;
};
} // namespace tritium::frontend

bool ModuleReader::isLoading(const fs::path &file) const {
  for (const ModuleReader *reader = this; reader; reader = reader->importer) {
    std::error_code ignored;
    if (fs::equivalent(reader->path, file, ignored))
      return true;
  }
  return false;
}

void ModuleReader::define(const std::string &name, Entry entry) {
  std::erase(scope->kernels, name);
  scope->entries.insert_or_assign(name, std::move(entry));
}

void ModuleReader::unusable(const std::string &name, std::string reason) {
  define(name, External{External::Unusable{std::move(reason)}});
}

std::shared_ptr<ModuleScope> ModuleReader::readFile(std::string &error) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(path)) {
    error = "cannot read '" + path.string() + "'";
    return nullptr;
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return read(std::move(text), error);
}

std::shared_ptr<ModuleScope> ModuleReader::read(std::string text, std::string &error) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  uint32_t file = sources.addFile(path.string(), std::move(text));
  auto module = python::parseModule(sources, file, diagnostics);
  if (!module) {
    error = diagnostics.render();
    return nullptr;
  }
  scope = std::make_shared<ModuleScope>();
  for (const ast::ModuleItem &item : module->items) {
    switch (item.kind) {
    case ast::ModuleItem::Import:
      readImport(item);
      break;
    case ast::ModuleItem::FromImport:
      readFromImport(item);
      break;
    case ast::ModuleItem::Function:
      readFunction(item, sources, sources.lineColumn(item.range.begin).line);
      break;
    case ast::ModuleItem::Opaque:
      unusable(item.name, "it is " + item.reason);
      break;
    case ast::ModuleItem::Assign:
      if (auto value = evaluate(*item.value))
        define(item.name, std::move(*value));
      else
        unusable(item.name, "its value cannot be computed from the file's text; make it a "
                            "literal or pass it as a tl.constexpr parameter");
      break;
    }
  }
  return scope;
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

/// The file of a module beside this one; each leading dot after the first goes up.
fs::path ModuleReader::fileOf(llvm::StringRef module) const {
  fs::path base = path.parent_path();
  if (module.consume_front("."))
    while (module.consume_front("."))
      base /= "..";
  while (!module.empty()) {
    auto [first, rest] = module.split('.');
    base /= first.str();
    module = rest;
  }
  fs::path file = base;
  file += ".py";
  return fs::is_regular_file(file) ? file : base / "__init__.py";
}

std::shared_ptr<ModuleScope> ModuleReader::import(const fs::path &file, std::string &reason) const {
  if (!fs::is_regular_file(file)) {
    reason = "it is imported from a module that is neither part of the language nor a kernel "
             "file beside this one";
    return nullptr;
  }
  if (isLoading(file)) {
    reason = "'" + file.string() + "' is imported in a circle";
    return nullptr;
  }
  std::string error;
  auto result = ModuleReader(file, this).readFile(error);
  if (!result)
    reason = "its module has an error: " + error;
  return result;
}

void ModuleReader::readImport(const ast::ModuleItem &item) {
  bool bindsFirst = item.name == item.module.substr(0, item.module.find('.'));
  std::string target = bindsFirst ? item.name : item.module;
  if (sema::isLibraryModule(target)) {
    auto value = sema::libraryName(target);
    return define(item.name, External{value->get<External::Module>()});
  }
  std::string reason;
  if (auto file = import(fileOf(target), reason))
    return define(item.name, ModuleScope::Import{std::move(file), ""});
  unusable(item.name, std::move(reason));
}

void ModuleReader::readFromImport(const ast::ModuleItem &item) {
  bool isLibrary = sema::isLibraryModule(item.module);
  bool isAll = item.imported == "*";
  if (isLibrary && isAll) {
    scope->openLibraries.push_back(item.module);
    return;
  }
  if (isLibrary) {
    if (auto external = libraryExternal(item.module, item.imported))
      return define(item.name, std::move(*external));
    return unusable(item.name,
                    "'" + item.imported + "' of '" + item.module + "' is for the host only");
  }
  // `from . import helpers` names a file where the module is a folder.
  bool isFolder = llvm::StringRef(item.module).ltrim('.').empty();
  std::string reason;
  auto file = import(fileOf(isFolder ? item.module + item.imported : item.module), reason);
  if (!file)
    return isAll ? void() : unusable(item.name, std::move(reason));
  if (isAll)
    scope->openFiles.push_back(std::move(file));
  else if (isFolder)
    define(item.name, ModuleScope::Import{std::move(file), ""});
  else if (file->lookup(item.imported))
    define(item.name, ModuleScope::Import{std::move(file), item.imported});
  else
    unusable(item.name, "'" + item.module + "' does not define '" + item.imported + "'");
}

void ModuleReader::readFunction(const ast::ModuleItem &item, const SourceManager &sources,
                                int firstLine) {
  bool isKernel = false, isHost = false;
  for (llvm::StringRef decorator : item.decorators) {
    llvm::StringRef last = decorator.rsplit('.').second;
    last = last.empty() ? decorator : last;
    isKernel |= last == "jit";
    isHost |= last == "constexpr_function";
  }
  if (!isKernel)
    return unusable(item.name, isHost ? "a constexpr_function runs in Python, which is not here"
                                      : "it is a Python function; mark it with @triton.jit to "
                                        "call it from a kernel");
  FunctionSource source;
  source.name = item.name;
  source.file = path.string();
  source.firstLine = firstLine;
  source.noinline_ = item.isNoinline;
  std::string_view text = sources.text(item.range.begin.file);
  source.text =
      text.substr(item.range.begin.offset, item.range.end.offset - item.range.begin.offset);
  source.text += "\n";
  define(item.name, ModuleScope::Definition{std::move(source), {}});
  scope->kernels.push_back(item.name);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<Constant> ModuleReader::constant(const ast::Expr &expr) const {
  auto value = evaluate(expr);
  auto *result = value ? std::get_if<Constant>(&value->value) : nullptr;
  return result ? std::optional(*result) : std::nullopt;
}

std::optional<Constant> ModuleReader::compare(const ast::Compare &compare) const {
  std::string ignored;
  std::optional<Constant> lhs = constant(*compare.operands[0]), result;
  for (size_t i = 0; i < compare.ops.size(); ++i) {
    auto rhs = lhs ? constant(*compare.operands[i + 1]) : std::nullopt;
    result = rhs ? sema::foldCompare(compare.ops[i], *lhs, *rhs, ignored) : std::nullopt;
    if (!result || !sema::isTrue(*result))
      return result;
    lhs = rhs;
  }
  return result;
}

/// tl.constexpr(x), float(x), int(x)
std::optional<External> ModuleReader::evaluateCall(const ast::Call &call) const {
  if (call.arguments.size() != 1 || call.arguments[0].kind != ast::CallArgument::Positional)
    return std::nullopt;
  auto argument = evaluate(*call.arguments[0].value);
  if (!argument)
    return std::nullopt;
  auto callee = evaluate(*call.callee);
  auto *library = callee ? std::get_if<External::Library>(&callee->value) : nullptr;
  if (library && llvm::StringRef(library->name).ends_with(".constexpr"))
    return argument;
  auto *value = std::get_if<Constant>(&argument->value);
  auto *name = llvm::dyn_cast<ast::Name>(call.callee.get());
  if (!value || !name || callee)
    return std::nullopt;
  if (name->id == "int")
    if (auto integer = sema::integerOf(*value))
      return External{Constant{*integer}};
  if (name->id != "float")
    return std::nullopt;
  if (auto number = sema::floatOf(*value))
    return External{Constant{*number}};
  auto *text = std::get_if<std::string>(&value->value);
  double number = 0;
  if (!text || llvm::StringRef(*text).trim().getAsDouble(number))
    return std::nullopt;
  return External{Constant{number}};
}

std::optional<External> ModuleReader::evaluate(const ast::Expr &expr) const {
  auto wrap = [](std::optional<Constant> value) {
    return value ? std::optional(External{std::move(*value)}) : std::nullopt;
  };
  std::string ignored;
  if (auto *literal = llvm::dyn_cast<ast::Literal>(&expr))
    return External{literal->value};
  if (auto *name = llvm::dyn_cast<ast::Name>(&expr)) {
    auto value = scope->lookup(name->id);
    bool isUsable = value && !std::holds_alternative<External::Unusable>(value->value) &&
                    !std::holds_alternative<std::shared_ptr<FunctionSource>>(value->value);
    return isUsable ? value : std::nullopt;
  }
  if (auto *attribute = llvm::dyn_cast<ast::Attribute>(&expr)) {
    auto base = evaluate(*attribute->base);
    auto *module = base ? std::get_if<External::Module>(&base->value) : nullptr;
    if (!module)
      return std::nullopt;
    return module->scope ? module->scope->lookup(attribute->name)
                         : libraryExternal(module->library, attribute->name);
  }
  if (auto *unary = llvm::dyn_cast<ast::Unary>(&expr)) {
    auto operand = constant(*unary->operand);
    return wrap(operand ? sema::foldUnary(unary->op, *operand, ignored) : std::nullopt);
  }
  if (auto *binary = llvm::dyn_cast<ast::Binary>(&expr)) {
    auto lhs = constant(*binary->lhs);
    auto rhs = lhs ? constant(*binary->rhs) : std::nullopt;
    return wrap(rhs ? sema::foldBinary(binary->op, *lhs, *rhs, ignored) : std::nullopt);
  }
  if (auto *comparison = llvm::dyn_cast<ast::Compare>(&expr))
    return wrap(compare(*comparison));
  if (auto *conditional = llvm::dyn_cast<ast::Conditional>(&expr)) {
    auto test = constant(*conditional->test);
    return test ? evaluate(sema::isTrue(*test) ? *conditional->body : *conditional->orelse)
                : std::nullopt;
  }
  if (auto *tuple = llvm::dyn_cast<ast::Tuple>(&expr)) {
    Constant::Tuple elements;
    for (const ast::ExprPtr &element : tuple->elements) {
      auto value = constant(*element);
      if (!value)
        return std::nullopt;
      elements.push_back(std::move(*value));
    }
    return External{Constant{std::move(elements)}};
  }
  if (auto *call = llvm::dyn_cast<ast::Call>(&expr))
    return evaluateCall(*call);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

std::shared_ptr<ModuleScope> ModuleScope::load(const std::string &path, std::string &error) {
  return ModuleReader(path, nullptr).readFile(error);
}

std::shared_ptr<ModuleScope> ModuleScope::parse(std::string text, const std::string &path,
                                                std::string &error) {
  return ModuleReader(path, nullptr).read(std::move(text), error);
}
