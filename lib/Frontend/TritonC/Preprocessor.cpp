//===- Preprocessor.cpp - a Triton-C file as tokens -----------------------===//
//
// One run of clang's preprocessor: its file manager, source manager and macro table
// belong to the call, so that calls in several threads share nothing.
//
//===----------------------------------------------------------------------===//

#include "tritium/Frontend/TritonC/Preprocessor.h"

#include "ClangDiagnostics.h"
#include "MacroBudget.h"
#include "PlainTarget.h"
#include "Prelude.h"

#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/FileManager.h"
#include "clang/Lex/DirectoryLookup.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/ModuleLoader.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace tritium;
using namespace tritium::frontend::tritonc;

static constexpr size_t kMaxTextBytes = size_t(1) << 24;
static constexpr size_t kMaxTokens = size_t(1) << 21;
static constexpr unsigned kMaxIncludes = 5000;
static constexpr unsigned kMaxErrors = 20;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// C11 with `$` in names, and without digraphs: `[:>` would hold one.
static clang::LangOptions languageOptions() {
  clang::LangOptions options;
  options.LineComment = options.C99 = options.C11 = options.GNUMode = true;
  options.DollarIdents = options.HexFloats = true;
  options.Digraphs = options.Trigraphs = false;
  return options;
}

/// Where included files are searched.
static std::vector<std::string> searchedFolders(const SourceUnit &unit, bool isFile) {
  std::vector<std::string> folders;
  if (isFile) {
    llvm::StringRef own = llvm::sys::path::parent_path(unit.file);
    folders.push_back(own.empty() ? "." : own.str());
  }
  folders.insert(folders.end(), unit.includePaths.begin(), unit.includePaths.end());
  return folders;
}

//===----------------------------------------------------------------------===//
// What a run is asked about
//===----------------------------------------------------------------------===//

namespace {
/// Notes which definitions are looked at, and keeps bounds.
class Watcher : public clang::PPCallbacks {
public:
  Watcher(clang::Preprocessor &preprocessor, const IncludeFiles &includes,
          const ClangSources &sources, Stop &stop)
      : preprocessor(preprocessor), includes(includes), sources(sources), stop(stop),
        budget(preprocessor, stop) {}

  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &definition,
                    clang::SourceRange, const clang::MacroArgs *arguments) override {
    use(name);
    budget.expand(name, *definition.getMacroInfo(), arguments);
  }
  void MacroDefined(const clang::Token &, const clang::MacroDirective *directive) override {
    // The prelude's macros may be defined again.
    const clang::MacroInfo *macro = directive->getMacroInfo();
    if (sources.isHidden(macro->getDefinitionLoc()))
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
  /// Reads the line, which clang leaves to the caller since pragmas are off. One means something in
  /// Triton-C: that a file is read once.
  void PragmaDirective(clang::SourceLocation at, clang::PragmaIntroducerKind) override {
    const clang::SourceManager &manager = preprocessor.getSourceManager();
    clang::Token token;
    preprocessor.LexUnexpandedToken(token);
    if (const clang::IdentifierInfo *id = token.getIdentifierInfo(); id && id->isStr("once"))
      if (auto file = manager.getFileEntryRefForID(manager.getFileID(manager.getFileLoc(at))))
        preprocessor.getHeaderSearchInfo().MarkFileIncludeOnce(*file);
    while (token.isNot(clang::tok::eod))
      preprocessor.LexUnexpandedToken(token);
  }
  void FileChanged(clang::SourceLocation at, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile)
      return;
    const clang::SourceManager &manager = preprocessor.getSourceManager();
    clang::FileID id = manager.getFileID(at);
    auto file = manager.getFileEntryRefForID(id);
    const IncludeFiles::Entry *text = file ? includes.find(file->getName()) : nullptr;
    if (text && text->separated.deepDirective)
      stop.set(at.getLocWithOffset(*text->separated.deepDirective),
               "the directive's expression has too many operators");
    if (++files > kMaxIncludes)
      stop.set(manager.getIncludeLoc(id),
               "more than " + std::to_string(kMaxIncludes) + " files are included");
    if (stop)
      cutOff(preprocessor);
  }

  bool isUsed(llvm::StringRef name) const { return used.contains(name); }

private:
  clang::Preprocessor &preprocessor;
  const IncludeFiles &includes;
  const ClangSources &sources;
  Stop &stop;
  MacroBudget budget;
  llvm::StringSet<> used;
  unsigned files = 0;

  void use(const clang::Token &name) {
    if (const clang::IdentifierInfo *id = name.getIdentifierInfo())
      used.insert(id->getName());
  }
};

/// The text of tokens, which stays where it is.
class TextStore {
public:
  explicit TextStore(std::vector<std::unique_ptr<std::string>> &blocks) : blocks(blocks) {}

  std::string_view add(llvm::StringRef text) {
    if (blocks.empty() || blocks.back()->capacity() - blocks.back()->size() < text.size()) {
      blocks.push_back(std::make_unique<std::string>());
      blocks.back()->reserve(std::max<size_t>(text.size(), 4096));
    }
    std::string &block = *blocks.back();
    size_t begin = block.size();
    block.append(text.data(), text.size());
    return std::string_view(block).substr(begin, text.size());
  }

private:
  std::vector<std::unique_ptr<std::string>> &blocks;
};

/// One run.
class Run {
public:
  Run(const SourceUnit &unit, SourceManager &ours, DiagnosticEngine &diagnostics)
      : unit(unit), ours(ours), diagnostics(diagnostics), before(diagnostics.all().size()),
        includes(llvm::makeIntrusiveRefCnt<IncludeFiles>()), sources(ours, *includes) {}

  std::optional<PreprocessedUnit> run();

private:
  const SourceUnit &unit;
  SourceManager &ours;
  DiagnosticEngine &diagnostics;
  const size_t before; ///< what was reported before this run
  llvm::IntrusiveRefCntPtr<IncludeFiles> includes;
  ClangSources sources;
  SeparatedText mainText, definitions;
  Stop stop;
  PreprocessedUnit result;
  TextStore texts{result.storage};
  llvm::DenseMap<const clang::IdentifierInfo *, std::string_view> names;

  bool hasErrors() const;
  bool prepare(std::string &predefined);
  void lex(clang::Preprocessor &preprocessor);
  void add(const clang::Token &token, clang::Preprocessor &preprocessor);
  void addSearchPaths(clang::HeaderSearch &headers, clang::FileManager &files);
  uint32_t mainFile = 0, definitionsFile = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

bool Run::hasErrors() const {
  auto first = diagnostics.all().begin() + before;
  return std::any_of(first, diagnostics.all().end(), [](const Diagnostic &diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

bool Run::prepare(std::string &predefined) {
  mainFile = ours.addFile(unit.file, unit.text);
  SourceRange start{{mainFile, 0}, {mainFile, 0}};
  if (unit.text.size() > kMaxTextBytes) {
    diagnostics.error(start, "the file has more than 16 MiB");
    return false;
  }
  std::optional<std::string> lines = defineLines(unit, diagnostics);
  if (!lines)
    return false;
  if (lines->size() > kMaxTextBytes) {
    diagnostics.error(start, "the definitions have more than 16 MiB");
    return false;
  }
  definitionsFile = ours.addFile("<command line>", *lines);
  mainText = separateRanges(unit.text);
  definitions = separateRanges(*lines);
  predefined = std::string(prelude()) + definitions.text;
  return true;
}

void Run::addSearchPaths(clang::HeaderSearch &headers, clang::FileManager &files) {
  std::vector<clang::DirectoryLookup> folders;
  for (const std::string &path : unit.includePaths)
    if (auto folder = files.getOptionalDirectoryRef(path))
      folders.emplace_back(*folder, clang::SrcMgr::C_User, /*isFramework=*/false);
  unsigned count = folders.size();
  headers.SetSearchPaths(std::move(folders), /*angledDirIdx=*/0, /*systemDirIdx=*/count,
                         llvm::DenseMap<unsigned, unsigned>());
}

/// A character that no token of C begins with.
static std::string printable(llvm::StringRef text) {
  std::string shown;
  for (unsigned char c : text)
    shown += c < 0x20 || c == 0x7f ? "\\x" + llvm::utohexstr(c, true, 2) : std::string(1, c);
  return shown;
}

void Run::add(const clang::Token &token, clang::Preprocessor &preprocessor) {
  Token ours;
  ours.isBlankBefore = token.hasLeadingSpace() || token.isAtStartOfLine();
  ours.isLineStart = token.isAtStartOfLine();
  ours.range = sources.range(token.getLocation(), token.getLength());
  if (const clang::IdentifierInfo *id = token.getIdentifierInfo()) {
    ours.kind = Token::Identifier;
    std::string_view &name = names[id];
    if (name.empty())
      name = texts.add(id->getName());
    ours.text = name;
  } else if (const char *spelling = clang::tok::getPunctuatorSpelling(token.getKind())) {
    ours.kind = Token::Punctuator;
    ours.text = spelling;
  } else {
    llvm::SmallString<32> buffer;
    llvm::StringRef text = preprocessor.getSpelling(token, buffer);
    if (token.is(clang::tok::numeric_constant))
      ours.kind = Token::Number;
    else if (token.is(clang::tok::eof))
      ours.kind = Token::End;
    else if (clang::tok::isStringLiteral(token.getKind()))
      ours.kind = Token::String;
    else if (token.isLiteral())
      ours.kind = Token::Character;
    else if (text == "@")
      ours.kind = Token::Punctuator;
    else if (!hasErrors())
      diagnostics.error(ours.range, "unexpected character '" + printable(text) + "'");
    ours.text = ours.kind == Token::End ? std::string_view() : texts.add(text);
  }
  result.tokens.push_back(ours);
}

void Run::lex(clang::Preprocessor &preprocessor) {
  clang::Token token;
  do {
    preprocessor.Lex(token);
    if (token.is(clang::tok::annot_embed)) {
      diagnostics.error(sources.tokenRange(token.getLocation()),
                        "Triton-C has no #embed directive");
      return;
    }
    if (stop) {
      diagnostics.error(sources.tokenRange(stop.at), stop.why);
      return;
    }
    if (preprocessor.getDiagnostics().hasFatalErrorOccurred())
      return;
    add(token, preprocessor);
    if (result.tokens.size() > kMaxTokens) {
      diagnostics.error(result.tokens.back().range,
                        "the file has more than " + std::to_string(kMaxTokens) + " tokens");
      return;
    }
  } while (token.isNot(clang::tok::eof));
}

std::optional<PreprocessedUnit> Run::run() {
  std::string predefined;
  if (!prepare(predefined))
    return std::nullopt;

  static const clang::LangOptions language = languageOptions();
  std::string path = includes->setMain(unit.file, unit.text, mainText);
  ClangDiagnostics consumer(sources, diagnostics, stop,
                            searchedFolders(unit, /*isFile=*/path == unit.file));
  clang::DiagnosticsEngine reports(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                   llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>(), &consumer,
                                   /*ShouldOwnClient=*/false);
  reports.setErrorLimit(kMaxErrors);
  for (unsigned id : {clang::diag::ext_unterminated_char_or_string,
                      clang::diag::ext_empty_character, clang::diag::ext_embedded_directive})
    reports.setSeverity(id, clang::diag::Severity::Error, {});
  reports.setSeverity(clang::diag::ext_pp_embed_directive, clang::diag::Severity::Ignored, {});

  clang::FileManager files(clang::FileSystemOptions(), includes);
  clang::SourceManager manager(reports, files);
  PlainTarget target;
  clang::HeaderSearch headers(std::make_shared<clang::HeaderSearchOptions>(), manager, reports,
                              language, &target);
  addSearchPaths(headers, files);
  clang::TrivialModuleLoader modules;
  clang::Preprocessor preprocessor(std::make_shared<clang::PreprocessorOptions>(), reports,
                                   language, manager, headers, modules);
  consumer.start(preprocessor);
  preprocessor.Initialize(target);
  // Some of clang's pragmas print, or end the process. See Watcher::PragmaDirective.
  preprocessor.setPragmasEnabled(false);
  preprocessor.setPredefines(predefined);

  auto entry = files.getOptionalFileRef(path);
  if (!entry) {
    diagnostics.error({{mainFile, 0}, {mainFile, 0}}, "the folder of the file cannot be read");
    return std::nullopt;
  }
  clang::FileID main = manager.getOrCreateFileID(*entry, clang::SrcMgr::C_User);
  // What __FILE__ says.
  manager.AddLineNote(manager.getLocForStartOfFile(main), /*line after this=*/2,
                      manager.getLineTableFilenameID(unit.file), /*IsFileEntry=*/false,
                      /*IsFileExit=*/false, clang::SrcMgr::C_User);
  manager.setMainFileID(main);
  sources.start(manager, language);
  sources.addFile(main, mainFile, mainText);
  auto owned = std::make_unique<Watcher>(preprocessor, *includes, sources, stop);
  Watcher &watcher = *owned;
  preprocessor.addPPCallbacks(std::move(owned));
  preprocessor.EnterMainSourceFile();
  sources.addFile(preprocessor.getPredefinesFileID(), definitionsFile, definitions,
                  prelude().size());
  lex(preprocessor);

  for (const IncludeFiles::Entry *file : includes->opened())
    result.included.push_back({file->status.getName().str(), file->text});
  for (const auto &[name, text] : unit.defines)
    if (watcher.isUsed(definedName(name)) && !llvm::is_contained(result.usedDefines, name))
      result.usedDefines.push_back(name);
  if (hasErrors())
    return std::nullopt;
  return std::move(result);
}

std::optional<PreprocessedUnit>
tritium::frontend::tritonc::preprocess(const SourceUnit &unit, SourceManager &sources,
                                       DiagnosticEngine &diagnostics) {
  return Run(unit, sources, diagnostics).run();
}
