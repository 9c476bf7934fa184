//===- KernelLanguage.cpp - library functions in the kernel language ------===//
//
// The files of lib/Frontend/Library are built in as text. Each top-level function in
// them is a library function; it sees `tl` and the other functions of these files.
//
//===----------------------------------------------------------------------===//

#include "BuiltinSupport.h"

#include "llvm/ADT/StringRef.h"

using namespace tritium;
using namespace tritium::sema;
using frontend::External;
using frontend::FunctionSource;

namespace tritium::sema {
struct LibraryText {
  const char *name, *text;
};
/// Ends with a null name. Written by the build.
extern const LibraryText kLibraryTexts[];
} // namespace tritium::sema

namespace {
class LibraryScope : public frontend::Scope {
public:
  void define(const std::shared_ptr<FunctionSource> &function) {
    functions.emplace(function->name, function);
  }

  std::optional<External> lookup(std::string_view name) override {
    if (name == "tl")
      return External{External::Module{"triton.language", nullptr}};
    auto it = functions.find(name);
    if (it == functions.end())
      return std::nullopt;
    if (auto function = it->second.lock())
      return External{function};
    return std::nullopt;
  }

private:
  // The functions own this scope; the registry owns them.
  std::map<std::string, std::weak_ptr<FunctionSource>, std::less<>> functions;
};
} // namespace

/// Splits a file at its top-level `def`s.
static void readFile(const LibraryText &file, const std::shared_ptr<LibraryScope> &scope,
                     FunctionTable &functions) {
  llvm::StringRef rest = file.text;
  std::shared_ptr<FunctionSource> current;
  int line = 0;
  auto finish = [&] {
    if (!current)
      return;
    scope->define(current);
    functions.emplace(current->name, current);
  };
  while (!rest.empty()) {
    auto [text, next] = rest.split('\n');
    rest = next;
    ++line;
    if (text.starts_with("def ")) {
      finish();
      current = std::make_shared<FunctionSource>();
      current->name = text.drop_front(4).take_until([](char c) { return c == '('; }).str();
      current->file = std::string("<tritium>/") + file.name;
      current->firstLine = line;
      current->scope = scope;
    }
    if (current)
      current->text += text.str() + "\n";
  }
  finish();
}

void sema::addKernelLanguageBuiltins(Registry &registry) {
  // The device library is a scope of its own: it has names of the language's.
  auto scope = std::make_shared<LibraryScope>(), device = std::make_shared<LibraryScope>();
  FunctionTable language;
  static FunctionTable libdevice; // with functions that are no names of the library's
  for (const LibraryText *file = kLibraryTexts; file->name; ++file) {
    bool isDevice = llvm::StringRef(file->name).starts_with("libdevice");
    readFile(*file, isDevice ? device : scope, isDevice ? libdevice : language);
  }
  for (auto &[name, function] : language)
    registry.add(function, name == "softmax" || name == "atomic_poll");
  addLibdeviceBuiltins(registry, libdevice);
}
