//===- PreprocessorTest.cpp - tokens of Triton-C --------------------------===//
//
// The numbers in names of tests are those of the language's conformance list.
//
//===----------------------------------------------------------------------===//

#include "ParserTestUtil.h"

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace tritium;
using namespace tritium::frontend::tritonc;

namespace {
TEST(TritonCPreprocessor, Conformance1NumbersEndBeforeRanges) {
  EXPECT_EQ(tokens("0...32"), "0 ... 32");
  EXPECT_EQ(tokens("0...TM", {{"TM", "64"}}), "0 ... 64");
  EXPECT_EQ(tokens("N...8 N ...M", {{"M", "4"}}), "N ... 8 N ... 4");
  EXPECT_EQ(tokens("1.5e+3 .5 0x1p-3f 1. 2...x1 1.5...2"),
            "1.5e+3 .5 0x1p-3f 1. 2 ... x1 1.5 ... 2");
  EXPECT_EQ(tokens("x1...3 \"0...1\" '0' /* 0...1 */ // 0...1\n"), "x1 ... 3 \"0...1\" '0'");
  EXPECT_EQ(tokens("#define R(n) 0...n\nR(8) R(T)", {{"T", "0...2"}}), "0 ... 8 0 ... 0 ... 2");
  EXPECT_EQ(tokens("p*TM+0...TM", {{"TM", "16"}}), "p * 16 + 0 ... 16");
}

TEST(TritonCPreprocessor, Conformance1Punctuators) {
  EXPECT_EQ(tokens("*?(m)p * ? (m) p a @b a@ ^b x[:, newaxis]"),
            "* ? ( m ) p * ? ( m ) p a @ b a @ ^ b x [ : , newaxis ]");
  EXPECT_EQ(tokens("x[:>y]"), "x [ : > y ]");
  EXPECT_EQ(tokens("a <<= b >>= c -= d ^= e"), "a <<= b >>= c -= d ^= e");
}

/// What a run leaves, with all that it needs.
struct Reading {
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::optional<PreprocessedUnit> unit;

  explicit Reading(const SourceUnit &source) { unit = preprocess(source, sources, diagnostics); }
  /// The first token with this text, as an error there.
  std::string at(std::string_view text) {
    for (const Token &token : unit->tokens)
      if (token.text == text) {
        DiagnosticEngine engine(sources);
        engine.error(token.range, "here");
        return engine.render();
      }
    return "";
  }
};

std::string firstLine(std::string text) { return text.substr(0, text.find('\n')); }

TEST(TritonCPreprocessor, Conformance1AttributePositions) {
  EXPECT_EQ(tokens("int n __multipleof(B), T *p __readonly __noalias", {{"B", "16"}}),
            "int n __attribute__ ( ( multipleof ( 16 ) ) ) , T * p __attribute__ ( ( readonly ) ) "
            "__attribute__ ( ( noalias ) )");
  EXPECT_EQ(tokens("T *p __aligned(8) __writeonly, int m __retune"),
            "T * p __attribute__ ( ( aligned ( 8 ) ) ) __attribute__ ( ( writeonly ) ) , "
            "int m __attribute__ ( ( retune ) )");
}

TEST(TritonCPreprocessor, KindsOfTokens) {
  Reading reading({"k.tc", "for x 1.5f 'a' \"s\" @ ... >>= $y", {}, {}});
  ASSERT_TRUE(reading.unit);
  std::vector<Token::Kind> kinds;
  for (const Token &token : reading.unit->tokens)
    kinds.push_back(token.kind);
  using K = Token::Kind;
  EXPECT_EQ(kinds,
            (std::vector<K>{K::Identifier, K::Identifier, K::Number, K::Character, K::String,
                            K::Punctuator, K::Punctuator, K::Punctuator, K::Identifier, K::End}));
}

TEST(TritonCPreprocessor, RangesAreThoseOfTheUsersText) {
  Reading reading({"k.tc", "int r[8] = 0...8;\n  q = 10...32 + z;", {}, {}});
  EXPECT_EQ(reading.at("z"), "k.tc:2:17: error: here\n  q = 10...32 + z;\n                ^\n");
  EXPECT_EQ(reading.at("32"), "k.tc:2:12: error: here\n  q = 10...32 + z;\n           ^~\n");
  const Token &end = reading.unit->tokens.back();
  EXPECT_EQ(end.kind, Token::End);
  EXPECT_EQ(end.range.begin.offset, 36u);
}

TEST(TritonCPreprocessor, Conformance3Macros) {
  Defines defines = {{"SHAPE", "TM, TK"},     {"TM", "64"}, {"TK", "8"},
                     {"ALONG", "newaxis, :"}, {"OP", "^a"}, {"NAME", "kernel"}};
  EXPECT_EQ(tokens("void NAME(T *p) { T a[SHAPE] = x[ALONG] @ OP; }", defines),
            "void kernel ( T * p ) { T a [ 64 , 8 ] = x [ newaxis , : ] @ ^ a ; }");
  EXPECT_EQ(tokens("#define STM 1\n  #define LOAD(p, m) *?(m)(p)\nLOAD(a + STM, i < n)"),
            "* ? ( i < n ) ( a + 1 )");
  EXPECT_EQ(tokens("#define CALL(f, ...) f(__VA_ARGS__)\n#define ADD(T) atomic_add_##T\n"
                   "CALL(ADD(float), p, v) __LINE__"),
            "atomic_add_float ( p , v ) 3");
  EXPECT_EQ(tokens("AT(p, 3)", {{"AT(p, i)", "*(p + i)"}}), "* ( p + 3 )");
}

TEST(TritonCPreprocessor, Conformance3NestedConditionals) {
  std::string text =
      "#ifdef A\n  #if B == 1\none\n  #elif B > 1 && defined C\ntwo\n  #else\nthree\n"
      "  #endif\n#else\n#ifndef C\nfour\n#endif\n#endif\n";
  EXPECT_EQ(tokens(text, {{"A", "1"}, {"B", "1"}}), "one");
  EXPECT_EQ(tokens(text, {{"A", "1"}, {"B", "2"}, {"C", ""}}), "two");
  EXPECT_EQ(tokens(text, {{"A", "1"}}), "three");
  EXPECT_EQ(tokens(text), "four");
  EXPECT_EQ(tokens(text, {{"C", "1"}}), "");
}

TEST(TritonCPreprocessor, Conformance3Infinity) {
  EXPECT_EQ(tokens("-INFINITY", {{"INFINITY", "F16_INFINITY"}}),
            "- bitcast < half > ( ( short ) 0x7C00 )");
  EXPECT_EQ(tokens("INFINITY", {{"INFINITY", "F32_INFINITY"}}), "bitcast < float > ( 0x7F800000 )");
  EXPECT_EQ(tokens("INFINITY"), "INFINITY");
}

TEST(TritonCPreprocessor, Conformance3DefinitionsWithCommasAndColons) {
  EXPECT_EQ(tokens("T a[S]; x[A]; OP", {{"S", "TM,TK"}, {"A", ":,newaxis"}, {"OP", "^a"}}),
            "T a [ TM , TK ] ; x [ : , newaxis ] ; ^ a");
  EXPECT_EQ(tokens("K", {{"K", "\"a // b\" '/*' 1 /* c */ + 2 // rest"}}), "\"a // b\" '/*' 1 + 2");
}

TEST(TritonCPreprocessor, OnlyTheLanguagesOwnMacrosArePredefined) {
  EXPECT_EQ(tokens("__STDC__ __STDC_VERSION__ __FILE__ __LINE__ true false bool"),
            "1 201103L \"k.tc\" 1 1 0 _Bool");
  EXPECT_EQ(tokens("__clang__ __GNUC__ __x86_64__ __linux__ __COUNTER__ __TIME__ linux INFINITY"),
            "__clang__ __GNUC__ __x86_64__ __linux__ __COUNTER__ __TIME__ linux INFINITY");
}

TEST(TritonCPreprocessor, ThePreludeMayBeDefinedAgain) {
  EXPECT_EQ(tokens("#define bool _Bool\n#define __readonly\n#define F32_INFINITY inf\n"
                   "bool x __readonly F32_INFINITY"),
            "_Bool x inf");
  EXPECT_EQ(tokens("bool", {{"bool", "int1"}}), "int1");
  EXPECT_EQ(tokens("TYPE __aligned(4)", {{"bytes", "3"}, {"TYPE", "half"}}),
            "half __attribute__ ( ( aligned ( 4 ) ) )");
}

TEST(TritonCPreprocessor, UsedDefinitions) {
  Defines defines = {{"A", "B"}, {"B", "1"}, {"C", "1"},    {"D", ""},
                     {"E", "1"}, {"F", "1"}, {"G(x)", "x"}, {"NEVER", "1"}};
  Reading reading({"k.tc",
                   "A\n#ifdef C\n#endif\n#if defined(D) && E\n#elif NEVER\n#endif\n"
                   "#ifndef F\nNEVER\n#endif\nG(2) // NEVER\n",
                   defines,
                   {}});
  ASSERT_TRUE(reading.unit);
  EXPECT_EQ(reading.unit->usedDefines,
            (std::vector<std::string>{"A", "B", "C", "D", "E", "F", "G(x)"}));
}

TEST(TritonCPreprocessor, DefinitionsThatAreNone) {
  auto message = [](std::string name, std::string text) { return tokens("", {{name, text}}); };
  EXPECT_EQ(message("3X", "1"),
            "error: definition '3X': expected the name of a macro, as in TM, or "
            "one with its parameters, as in AT(p, i)\n");
  EXPECT_EQ(message("X", "a \\"), "error: the definition of 'X' ends with a backslash\n");
  EXPECT_EQ(message("X", "/* a"), "error: the definition of 'X' has a comment without an end\n");
  EXPECT_EQ(message("X", "1\n#define Y"), "error: the definition of 'X' has more than one line\n");
  EXPECT_EQ(message("defined", "1"),
            "<command line>:1:9: error: 'defined' cannot be used as a macro name\n"
            "#define defined 1\n        ^~~~~~~\n");
}

TEST(TritonCPreprocessor, MacrosOfATokenAreNotes) {
  Reading reading(
      {"k.tc", "#define SQ(x) x * BAD\n#define BAD 7q\n  int y = SQ(SQ(z));\n", {}, {}});
  EXPECT_EQ(reading.at("7q"), "k.tc:3:14: error: here\n  int y = SQ(SQ(z));\n             ^~~~~\n"
                              "k.tc:1:19: note: expanded from macro 'SQ'\n"
                              "#define SQ(x) x * BAD\n                  ^~~\n"
                              "k.tc:2:13: note: expanded from macro 'BAD'\n"
                              "#define BAD 7q\n            ^~\n");
  // An argument stands where it is written.
  EXPECT_EQ(reading.at("z"), "k.tc:3:17: error: here\n  int y = SQ(SQ(z));\n                ^\n");
}

TEST(TritonCPreprocessor, MacrosOfTheCommandLineAreNotes) {
  Reading reading({"k.tc", "int y = TM;\n", {{"TYPE", "half"}, {"TM", "0...8"}}, {}});
  EXPECT_EQ(reading.at("8"), "k.tc:1:9: error: here\nint y = TM;\n        ^~\n"
                             "<command line>:2:16: note: expanded from macro 'TM'\n"
                             "#define TM 0...8\n               ^\n");
}

TEST(TritonCPreprocessor, ThePreludesMacrosLeaveNoTrace) {
  Reading reading({"k.tc", "int n __multipleof(8);", {}, {}});
  EXPECT_EQ(reading.at("multipleof"),
            "k.tc:1:7: error: here\nint n __multipleof(8);\n      ^~~~~~~~~~~~~~~\n");
}

TEST(TritonCPreprocessor, ErrorsOfDirectives) {
  EXPECT_EQ(tokens("#if A +\n#endif\n"),
            "k.tc:1:8: error: expected value in expression\n#if A +\n       ^\n");
  EXPECT_EQ(tokens("#ifdef A\nint x;\n"),
            "k.tc:1:2: error: unterminated conditional directive\n#ifdef A\n ^~~~~\n");
  EXPECT_EQ(tokens("#endif\n"), "k.tc:1:2: error: #endif without #if\n#endif\n ^~~~~\n");
  EXPECT_EQ(tokens("#error TYPE is missing\n"),
            "k.tc:1:2: error: TYPE is missing\n#error TYPE is missing\n ^~~~~\n");
  EXPECT_EQ(tokens("#foo\n"), "k.tc:1:2: error: invalid preprocessing directive\n#foo\n ^~~\n");
  EXPECT_EQ(tokens("#if 1 / ZERO\n#endif\n", {{"ZERO", "0"}}),
            "k.tc:1:7: error: division by zero in preprocessor expression\n"
            "#if 1 / ZERO\n      ^\n");
  EXPECT_EQ(tokens("#define F(a) a\nF(1\n"),
            "k.tc:2:1: error: unterminated function-like macro invocation\nF(1\n^\n"
            "k.tc:1:9: note: macro 'F' defined here\n#define F(a) a\n        ^\n");
  EXPECT_EQ(tokens("#define F(a) a\nF(1, 2)\n"),
            "k.tc:2:6: error: too many arguments provided to function-like macro invocation\n"
            "F(1, 2)\n     ^\n"
            "k.tc:1:9: note: macro 'F' defined here\n#define F(a) a\n        ^\n");
  EXPECT_EQ(tokens("#define TM 8\n", {{"TM", "64"}}),
            "k.tc:1:9: warning: 'TM' macro redefined\n#define TM 8\n        ^~\n"
            "<command line>:1:9: note: previous definition is here\n#define TM 64\n        ^~\n");
  EXPECT_EQ(tokens("#embed \"/etc/hostname\"\n"),
            "k.tc:1:1: error: Triton-C has no #embed directive\n#embed \"/etc/hostname\"\n^\n");
}

TEST(TritonCPreprocessor, ErrorsOfCharacters) {
  EXPECT_EQ(tokens("a ` b"), "k.tc:1:3: error: unexpected character '`'\na ` b\n  ^\n");
  EXPECT_EQ(tokens("a \\ b"), "k.tc:1:3: error: unexpected character '\\'\na \\ b\n  ^\n");
  EXPECT_EQ(tokens("a \x01"), "k.tc:1:3: error: unexpected character '\\x01'\na \x01\n  ^\n");
  EXPECT_EQ(tokens("\"abc\n"),
            "k.tc:1:1: error: missing terminating '\"' character\n\"abc\n^~~~\n");
  EXPECT_EQ(tokens("/* abc\n"), "k.tc:1:1: error: unterminated /* comment\n/* abc\n^\n");
}

TEST(TritonCPreprocessor, ErrorsFromBeforeDoNotCount) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  diagnostics.error({}, "of another file");
  EXPECT_TRUE(preprocess({"k.tc", "int x;", {}, {}}, sources, diagnostics));
  EXPECT_FALSE(preprocess({"k.tc", "int `x;", {}, {}}, sources, diagnostics));
  EXPECT_EQ(diagnostics.all().size(), 2u);
}

TEST(TritonCPreprocessor, PragmasAreIgnored) {
  EXPECT_EQ(
      tokens(
          "#pragma unroll\n#pragma clang __debug crash\n#pragma GCC error \"x\"\n"
          "#pragma once\n_Pragma(\"clang __debug dump\") x _Pragma(\"once\")\n#pragma\ny\n#pragma"),
      "x y");
}

//===----------------------------------------------------------------------===//
// Includes
//===----------------------------------------------------------------------===//

/// A folder of files that goes away at the end.
class Includes : public testing::Test {
protected:
  void SetUp() override {
    folder =
        std::filesystem::temp_directory_path() / ("tritium-includes-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder / "lib");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string write(const std::string &name, const std::string &text) {
    std::string path = (folder / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string read(const std::string &file, const std::string &text,
                   std::vector<std::string> paths = {}) {
    Reading reading({file, text, {}, std::move(paths)});
    std::string out = reading.diagnostics.render();
    if (reading.unit)
      for (const Token &token : reading.unit->tokens)
        out += std::string(token.text) + (token.kind == Token::End ? "" : " ");
    // The folder's name is another one in each run of the test.
    for (size_t at; (at = out.find(folder.string())) != out.npos;)
      out.replace(at, folder.string().size(), "DIR");
    return out;
  }
  std::filesystem::path folder;
};

TEST_F(Includes, BesideTheFileAndOnTheSearchPath) {
  std::string main = write("k.tc", "");
  write("a.h", "# pragma  once // not twice\n#include \"lib/b.h\"\n0...1\n");
  write("lib/b.h", "#define B 3\n#include \"c.h\"\n");
  write("lib/c.h", "c\n");
  EXPECT_EQ(read(main, "#include \"a.h\"\n#include \"a.h\"\nB"), "c 0 ... 1 3 ");
  EXPECT_EQ(read(main, "#include <c.h>\n", {(folder / "lib").string()}), "c ");
  EXPECT_EQ(read("<string>", "#include \"c.h\"\n", {(folder / "lib").string()}), "c ");
}

TEST_F(Includes, AreListedWithTheirText) {
  std::string main = write("k.tc", "");
  std::string header = write("a.h", "0...1\n");
  Reading reading({main, "#include \"a.h\"\n", {}, {}});
  ASSERT_TRUE(reading.unit);
  ASSERT_EQ(reading.unit->included.size(), 1u);
  EXPECT_EQ(reading.unit->included[0].path, header);
  EXPECT_EQ(reading.unit->included[0].text, "0...1\n");
}

TEST_F(Includes, TheTextOfTheUnitCountsNotTheDisks) {
  std::string main = write("k.tc", "on the disk\n");
  EXPECT_EQ(read(main, "given\n"), "given ");
  EXPECT_EQ(read(main, "#ifndef X\n#define X\n#include \"k.tc\"\n#endif\ngiven\n"), "given given ");
  // By another name, it is still the same file.
  EXPECT_EQ(read(main, "#ifndef X\n#define X\n#include \"lib/../k.tc\"\n#else\n0...1 `\n#endif\n"),
            "In file included from DIR/k.tc:3:\nDIR/k.tc:5:7: error: unexpected character '`'\n"
            "0...1 `\n      ^\n");
  Reading reading({main, "#ifndef X\n#define X\n#include \"lib/../k.tc\"\n#endif\n", {}, {}});
  ASSERT_TRUE(reading.unit);
  EXPECT_TRUE(reading.unit->included.empty());
}

TEST_F(Includes, ThatAreMissing) {
  std::string main = write("k.tc", "");
  EXPECT_EQ(read(main, "#include \"no.h\"\nx", {(folder / "lib").string()}),
            "DIR/k.tc:1:10: error: 'no.h' is not found; looked in 'DIR', 'DIR/lib'; -I adds a "
            "folder\n#include \"no.h\"\n         ^~~~~~\n");
  EXPECT_EQ(read("<string>", "#include \"no.h\"\nx"),
            "<string>:1:10: error: 'no.h' is not found; an include needs a search path (-I), or a "
            "kernel that is read from a file\n#include \"no.h\"\n         ^~~~~~\n");
  // A folder, and a device, are no files.
  EXPECT_EQ(read(main, "#include \"lib\"\n"),
            "DIR/k.tc:1:10: error: 'lib' is not found; looked in 'DIR'; -I adds a folder\n"
            "#include \"lib\"\n         ^~~~~\n");
  EXPECT_EQ(read(main, "#include \"/dev/zero\"\n"),
            "DIR/k.tc:1:10: error: '/dev/zero' is not found; looked in 'DIR'; -I adds a folder\n"
            "#include \"/dev/zero\"\n         ^~~~~~~~~~~\n");
}

TEST_F(Includes, ErrorsInThemNameTheFilesAbove) {
  std::string main = write("k.tc", "");
  write("a.h", "\n#include \"lib/b.h\"\n");
  write("lib/b.h", "int x = 0...8; #\n`\n");
  EXPECT_EQ(read(main, "#include \"a.h\"\n"),
            "In file included from DIR/k.tc:1:\nIn file included from DIR/a.h:2:\n"
            "DIR/lib/b.h:2:1: error: unexpected character '`'\n`\n^\n");
}

TEST_F(Includes, CyclesEnd) {
  std::string main = write("k.tc", "");
  write("a.h", "#include \"b.h\"\n");
  write("b.h", "#include \"a.h\"\n");
  std::string text = read(main, "#include \"a.h\"\n");
  EXPECT_NE(text.find("files include each other too deeply; '#pragma once' ends a cycle"),
            text.npos)
      << text;
  EXPECT_NE(text.find("more files between these)\n"), text.npos) << text;
}

TEST_F(Includes, ThatGrowExponentially) {
  std::string main = write("k.tc", "");
  for (int i = 0; i < 6; ++i) {
    std::string twenty;
    for (int k = 0; k < 20; ++k)
      twenty += "#include \"a" + std::to_string(i + 1) + ".h\"\n";
    write("a" + std::to_string(i) + ".h", twenty);
  }
  write("a6.h", "");
  std::string text = read(main, "#include \"a0.h\"\n");
  EXPECT_NE(text.find("error: more than 5000 files are included"), text.npos) << text;
}

TEST_F(Includes, WithDirectivesThatNestDeeply) {
  std::string main = write("k.tc", "");
  write("a.h", "int r = 0...8;\n#if " + std::string(5000, '!') + "1\n#endif\n");
  std::string text = read(main, "x\n#include \"a.h\"\n"),
              above = "In file included from DIR/k.tc:2:\n";
  ASSERT_EQ(text.substr(0, above.size()), above);
  EXPECT_EQ(firstLine(text.substr(above.size())),
            "DIR/a.h:2:505: error: the directive's expression has too many operators");
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// `count` macros M0, M1, ... each of which uses the one before as `body` says with %.
std::string chain(int count, std::string body, std::string first) {
  std::string text = "#define M0 " + first + "\n";
  for (int i = 1; i < count; ++i) {
    std::string line = body;
    for (size_t at; (at = line.find('%')) != line.npos;)
      line.replace(at, 1, "M" + std::to_string(i - 1));
    text += "#define M" + std::to_string(i) + " " + line + "\n";
  }
  return text;
}

TEST(TritonCBounds, MacrosThatGrowExponentially) {
  std::string tooMuch = "error: macros make too much text here, or nest too deeply";
  EXPECT_EQ(firstLine(tokens(chain(60, "% %", "x") + "M59")), "k.tc:61:1: " + tooMuch);
  EXPECT_EQ(firstLine(tokens("#define J_(a, b) a##b\n#define J(a, b) J_(a, b)\n" +
                             chain(60, "J(%, %)", "x") + "M59")),
            "k.tc:63:1: " + tooMuch);
  EXPECT_EQ(firstLine(tokens("#define S_(a) #a\n#define S(a) S_(a)\n" +
                             chain(40, "S(% %)", "\"x\"") + "M39")),
            "k.tc:43:1: " + tooMuch);
  EXPECT_EQ(firstLine(tokens("#define D(x) x x\n" + chain(40, "D(%)", "y") + "M39")),
            "k.tc:42:1: " + tooMuch);
  EXPECT_EQ(firstLine(tokens(chain(40, "% %", "+ 1") + "#if 1 M39\n#endif\n")),
            "k.tc:41:7: " + tooMuch);
  // Parentheses and signs nest in clang.
  EXPECT_EQ(firstLine(tokens(chain(18, "% %", "(") + "#if M17\n#endif\n")),
            "k.tc:19:5: " + tooMuch);
  EXPECT_EQ(firstLine(tokens(chain(18, "% %", "!") + "#if M17 1\n#endif\n")),
            "k.tc:19:5: " + tooMuch);
}

TEST(TritonCBounds, DeepNesting) {
  auto repeat = [](int count, std::string text) {
    std::string all;
    for (int i = 0; i < count; ++i)
      all += text;
    return all;
  };
  std::string calls = "#define F(x) x\n" + repeat(5000, "F(") + "1" + repeat(5000, ")");
  EXPECT_EQ(firstLine(tokens(calls)).substr(9),
            "3: error: macros make too much text here, or nest too deeply");
  EXPECT_EQ(firstLine(tokens("#if " + repeat(50000, "(") + "1\n#endif\n")),
            "k.tc:1:505: error: the directive's expression has too many operators");
  EXPECT_EQ(firstLine(tokens("#if " + repeat(50000, "!") + "1\n#endif\n")),
            "k.tc:1:505: error: the directive's expression has too many operators");
  EXPECT_EQ(tokens("#define F(x) x\n" + repeat(40, "F(") + "1" + repeat(40, ")")), "1");
  EXPECT_EQ(tokens(repeat(20000, "#if 1\n") + "x\n" + repeat(20000, "#endif\n")), "x");
}

TEST(TritonCBounds, DirectivesInArguments) {
  EXPECT_EQ(tokens("#define F(x) x\nF(\n#ifdef A\n1\n#endif\n)\n"),
            "k.tc:3:2: error: a directive cannot stand among the arguments of a macro's call\n"
            "#ifdef A\n ^~~~~\n");
  // Nothing in it is expanded.
  EXPECT_EQ(
      firstLine(tokens(chain(60, "% %", "+ 1") + "#define F(x) x\nF(\n#if 1 M59\n#endif\n)\n")),
      "k.tc:63:2: error: a directive cannot stand among the arguments of a macro's call");
}

TEST(TritonCBounds, ErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "#error e\n";
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  EXPECT_FALSE(preprocess({"k.tc", text, {}, {}}, sources, diagnostics));
  EXPECT_LE(diagnostics.all().size(), 21u);
}

TEST(TritonCPreprocessor, ThreadsShareNothing) {
  std::string text = "#define F(x) (x @ ^x)\n#if TM > 3\nint a[TM] = F(0...TM);\n#endif\n#if 0 +\n";
  auto run = [&](int tm) { return tokens(text, {{"TM", std::to_string(tm)}}); };
  std::string expected = run(5);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i)
        wrong[thread] += run(5) != expected;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}
} // namespace
