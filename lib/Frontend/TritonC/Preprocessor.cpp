//===- Preprocessor.cpp - a Triton-C file as tokens -----------------------===//
//
// One clang preprocessor for each run. What does not depend on the unit (the dialect of
// C, the target, which clang wants to know but nothing here shows) is made once.
//
// The prelude and the `-D` definitions are clang's "predefines". The prelude has only
// what `#if` must know; the rest (attributes, type names, F32_INFINITY) are names that
// the parser knows, so that a program may define them itself.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/TritonC/Preprocessor.h"

#include "ClangDiagnostics.h"
#include "ClangSources.h"
#include "IncludeFiles.h"
#include "MacroBudget.h"
#include "SourceText.h"

#include "clang/Basic/FileManager.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/ModuleLoader.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tritium;
using namespace tritium::frontend::tritonc;

static constexpr std::string_view kPrelude = "#define __STDC__ 1\n"
                                             "#define __STDC_VERSION__ 201103L\n"
                                             "#define true 1\n"
                                             "#define false 0\n";
/// Offsets are 32 bits wide, also with blanks put in and after clang's other buffers.
static constexpr size_t kMaxBytes = size_t(1) << 26;
static constexpr unsigned kMaxIncludes = 2000;

//===----------------------------------------------------------------------===//
// What all runs share
//===----------------------------------------------------------------------===//

static const clang::LangOptions &languageOptions() {
  static const clang::LangOptions options = [] {
    clang::LangOptions c;
    c.C99 = c.C11 = c.C17 = true;
    c.LineComment = c.HexFloats = c.GNUMode = c.DollarIdents = true;
    c.Digraphs = false;
    return c;
  }();
  return options;
}

static const clang::TargetInfo &target() {
  static const clang::TargetInfo *const info = [] {
    clang::DiagnosticsEngine silent(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                    new clang::IgnoringDiagConsumer);
    auto options = std::make_shared<clang::TargetOptions>();
    options->Triple = "nvptx64";
    return clang::TargetInfo::CreateTargetInfo(silent, options);
  }();
  return *info;
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

namespace {
/// What the text uses of the `-D` definitions, and the bounds.
class Watcher : public clang::PPCallbacks {
public:
  Watcher(clang::Preprocessor &preprocessor, const ClangSources &map, MacroBudget &budget,
          ClangDiagnostics &diagnostics)
      : preprocessor(preprocessor), map(map), budget(budget), diagnostics(diagnostics) {}

  llvm::StringSet<> used;
  bool tooManyFiles = false;

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition,
                    clang::SourceRange, const clang::MacroArgs *arguments) override {
    use(name);
    if (const clang::MacroInfo *macro = definition.getMacroInfo())
      budget.expand(name, *macro, arguments);
  }
  void MacroDefined(const clang::Token &, const clang::MacroDirective *directive) override {
    const clang::MacroInfo *macro = directive->getMacroInfo();
    if (map.isHidden(macro->getDefinitionLoc()))
      const_cast<clang::MacroInfo *>(macro)->setIsAllowRedefinitionsWithoutWarning(true);
  }
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                      const clang::MacroDirective *) override {
    use(name);
  }
  void Defined(const clang::Token &name, const clang::MacroDefinition &,
               clang::SourceRange) override {
    use(name);
  }
  void Ifdef(clang::SourceLocation, const clang::Token &name,
             const clang::MacroDefinition &) override {
    use(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &name,
              const clang::MacroDefinition &) override {
    use(name);
  }
  void Elifdef(clang::SourceLocation, const clang::Token &name,
               const clang::MacroDefinition &) override {
    use(name);
  }
  void Elifndef(clang::SourceLocation, const clang::Token &name,
                const clang::MacroDefinition &) override {
    use(name);
  }
  void If(clang::SourceLocation, clang::SourceRange, ConditionValueKind) override {
    budget.endDirective();
  }
  void Elif(clang::SourceLocation, clang::SourceRange, ConditionValueKind,
            clang::SourceLocation) override {
    budget.endDirective();
  }

  /// Pragmas are off, but for the one that is about including.
  void PragmaDirective(clang::SourceLocation at, clang::PragmaIntroducerKind) override {
    const clang::SourceManager &sources = preprocessor.getSourceManager();
    if (at.isMacroID())
      return;
    llvm::StringRef line(sources.getCharacterData(at));
    line = line.take_until([](char c) { return c == '\n'; });
    line = line.trim();
    line.consume_front("#");
    line = line.ltrim();
    if (!line.consume_front("pragma") || !line.ltrim().starts_with("once"))
      return;
    if (auto file = sources.getFileEntryRefForID(sources.getFileID(at)))
      preprocessor.getHeaderSearchInfo().MarkFileIncludeOnce(*file);
  }

  void FileChanged(clang::SourceLocation at, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile)
      return;
    const clang::SourceManager &sources = preprocessor.getSourceManager();
    clang::FileID id = sources.getFileID(at);
    auto file = sources.getFileEntryRefForID(id);
    if (!file)
      return;
    included.insert(file->getName());
    if (++files <= kMaxIncludes)
      return;
    preprocessor.getHeaderSearchInfo().MarkFileIncludeOnce(*file);
    if (!tooManyFiles)
      diagnostics.error(sources.getIncludeLoc(id),
                        "files are included more than " + std::to_string(kMaxIncludes) + " times");
    tooManyFiles = true;
  }

  llvm::StringSet<> included;

private:
  clang::Preprocessor &preprocessor;
  const ClangSources &map;
  MacroBudget &budget;
  ClangDiagnostics &diagnostics;
  unsigned files = 0;

  void use(const clang::Token &name) {
    if (const clang::IdentifierInfo *id = name.getIdentifierInfo())
      used.insert(id->getName());
  }
};

/// Tokens in the order of the text, their texts in one string.
class TokenWriter {
public:
  void add(Token::Kind kind, bool isBlankBefore, SourceRange range, llvm::StringRef text) {
    tokens.push_back({kind, isBlankBefore, range, {}});
    ends.push_back(storage.size() + text.size());
    storage.append(text);
  }
  size_t size() const { return tokens.size(); }

  void finish(PreprocessedUnit &unit) {
    unit.storage.push_back(std::make_unique<std::string>(std::move(storage)));
    std::string_view all = *unit.storage.back();
    size_t begin = 0;
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i].text = all.substr(begin, ends[i] - begin);
      begin = ends[i];
    }
    unit.tokens = std::move(tokens);
  }

private:
  std::vector<Token> tokens;
  std::vector<size_t> ends;
  std::string storage;
};
} // namespace

static bool isIdentifier(std::string_view name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
}

/// The text of the `-D` definitions, a line each; false after an error.
static bool defineLines(const SourceUnit &unit, std::string &text, DiagnosticEngine &diagnostics) {
  bool good = true;
  auto fail = [&](const std::string &name, const std::string &why) {
    diagnostics.error({}, "definition of '" + name + "': " + why);
    good = false;
  };
  for (const auto &[name, value] : unit.defines) {
    if (!isIdentifier(name))
      fail(name, "a macro's name has letters, digits and underscores, and no digit first");
    else if (name == "defined" || name == "__VA_ARGS__" || name == "__VA_OPT__")
      fail(name, "this name cannot be a macro");
    else if (value.find_first_of(std::string_view("\n\r\0", 3)) != value.npos)
      fail(name, "its text has more than one line");
    else if (!value.empty() && value.back() == '\\')
      fail(name, "its text ends with a backslash");
    else
      text += "#define " + name + " " + value + "\n";
  }
  return good;
}

static Token::Kind kindOf(const clang::Token &token) {
  if (token.getIdentifierInfo())
    return Token::Identifier;
  if (token.is(clang::tok::numeric_constant))
    return Token::Number;
  if (clang::tok::isStringLiteral(token.getKind()))
    return Token::String;
  if (token.isLiteral())
    return Token::Character;
  return Token::Punctuator;
}

/// Where included files are looked for: beside the file if it is one, then the search paths.
static std::vector<std::string> includeFolders(const SourceUnit &unit, bool isFile) {
  std::vector<std::string> folders;
  if (isFile) {
    llvm::StringRef parent = llvm::sys::path::parent_path(unit.file);
    folders.push_back(parent.empty() ? "." : parent.str());
  }
  folders.insert(folders.end(), unit.includePaths.begin(), unit.includePaths.end());
  return folders;
}

std::optional<PreprocessedUnit>
tritium::frontend::tritonc::preprocess(const SourceUnit &unit, SourceManager &sources,
                                       DiagnosticEngine &diagnostics) {
  uint32_t mainFile = sources.addFile(unit.file, unit.text);
  std::string lines;
  if (!defineLines(unit, lines, diagnostics))
    return std::nullopt;
  if (unit.text.size() + lines.size() > kMaxBytes) {
    diagnostics.error({}, "'" + unit.file + "' is larger than 64 MiB");
    return std::nullopt;
  }
  SeparatedText mainText = separateRanges(unit.text), defineText = separateRanges(lines);
  if (mainText.deepDirective) {
    SourceLoc at{mainFile, *mainText.deepDirective};
    diagnostics.error({at, at}, "a directive has too many operators and parentheses");
    return std::nullopt;
  }

  auto *includes = new IncludeFiles;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystem(includes);
  bool isFile = llvm::sys::fs::is_regular_file(unit.file);
  ClangSources map(sources, *includes);
  ClangDiagnostics consumer(map, diagnostics, includeFolders(unit, isFile));

  clang::DiagnosticsEngine engine(new clang::DiagnosticIDs, new clang::DiagnosticOptions, &consumer,
                                  /*ShouldOwnClient=*/false);
  engine.setFatalsAsError(true);
  clang::FileManager fileManager(clang::FileSystemOptions(), fileSystem);
  clang::SourceManager clangs(engine, fileManager);
  map.start(clangs, languageOptions());

  // Only a file has a folder in which clang looks first.
  auto mainBuffer = llvm::MemoryBuffer::getMemBuffer(mainText.text, unit.file);
  clang::FileID mainID;
  if (isFile) {
    clang::FileEntryRef entry = fileManager.getVirtualFileRef(unit.file, mainText.text.size(), 0);
    clangs.overrideFileContents(entry, std::move(mainBuffer));
    mainID = clangs.createFileID(entry, clang::SourceLocation(), clang::SrcMgr::C_User);
  } else {
    mainID = clangs.createFileID(std::move(mainBuffer));
  }
  clangs.setMainFileID(mainID);
  map.addFile(mainID, mainFile, mainText);

  clang::HeaderSearch headers(std::make_shared<clang::HeaderSearchOptions>(), clangs, engine,
                              languageOptions(), &target());
  for (const std::string &path : unit.includePaths)
    if (auto folder = fileManager.getOptionalDirectoryRef(path))
      headers.AddSearchPath({*folder, clang::SrcMgr::C_User, /*isFramework=*/false},
                            /*isAngled=*/true);
  clang::TrivialModuleLoader modules;
  clang::Preprocessor preprocessor(std::make_shared<clang::PreprocessorOptions>(), engine,
                                   languageOptions(), clangs, headers, modules);
  preprocessor.Initialize(target());
  preprocessor.setPragmasEnabled(false);
  preprocessor.setPredefines(std::string(kPrelude) + defineText.text);
  MacroBudget budget(preprocessor);
  auto owned = std::make_unique<Watcher>(preprocessor, map, budget, consumer);
  Watcher &watcher = *owned;
  preprocessor.addPPCallbacks(std::move(owned));

  preprocessor.EnterMainSourceFile();
  if (!lines.empty())
    map.addFile(preprocessor.getPredefinesFileID(), sources.addFile("<command line>", lines),
                defineText, kPrelude.size());
  else
    map.addFile(preprocessor.getPredefinesFileID(), ~0u, defineText, kPrelude.size());

  TokenWriter writer;
  clang::Token token;
  llvm::SmallString<64> spelling;
  while (true) {
    preprocessor.Lex(token);
    if (token.is(clang::tok::eof) || budget.exceededAt().isValid() || watcher.tooManyFiles)
      break;
    if (token.isAnnotation()) {
      consumer.error(token.getLocation(), "this directive is not part of Triton-C");
      continue;
    }
    SourceRange range = map.range(token.getLocation(), token.getLength());
    spelling.clear();
    writer.add(kindOf(token), token.hasLeadingSpace() || token.isAtStartOfLine(), range,
               preprocessor.getSpelling(token, spelling));
  }
  if (budget.exceededAt().isValid())
    consumer.error(budget.exceededAt(), "the expansion of this macro is too long or too deep");

  PreprocessedUnit result;
  uint32_t end = static_cast<uint32_t>(unit.text.size());
  writer.add(Token::End, true, {{mainFile, end}, {mainFile, end}}, "");
  writer.finish(result);
  for (const auto &name : watcher.included)
    if (const IncludeFiles::Entry *entry = includes->find(name.getKey()))
      result.included.push_back({name.getKey().str(), entry->text});
  llvm::sort(result.included, [](auto &a, auto &b) { return a.path < b.path; });
  for (const auto &[name, value] : unit.defines)
    if (watcher.used.contains(name) && !llvm::is_contained(result.usedDefines, name))
      result.usedDefines.push_back(name);
  if (consumer.hasErrors())
    return std::nullopt;
  return result;
}
