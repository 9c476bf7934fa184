//===- FormatTest.cpp - the shipped clang-format settings -----------------===//

#include "ParserTestUtil.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace tritium::frontend::tritonc;

namespace {
std::filesystem::path root() { return TRITIUM_SOURCE_DIR; }

std::string read(const std::filesystem::path &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// `text` by clang-format with the settings; empty if it fails.
std::string format(const std::string &text) {
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("tritium-format-" + std::to_string(getpid()));
  std::ofstream(file) << text;
  std::string command = "clang-format-19 --assume-filename=k.tc --style=file:" +
                        (root() / "utils" / "clang-format-tritonc").string() + " < " +
                        file.string();
  std::string out;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      out.append(buffer, count);
    if (pclose(pipe) != 0)
      out.clear();
  }
  std::filesystem::remove(file);
  return out;
}

bool hasClangFormat() { return std::system("clang-format-19 --version > /dev/null 2>&1") == 0; }

TEST(TritonCFormat, KeepsTheExamplesTokensAndItsOwnText) {
  if (!hasClangFormat())
    GTEST_SKIP() << "clang-format-19 is not installed";
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(root() / "examples" / "triton-c")) {
    if (entry.path().extension() != ".tc")
      continue;
    ++files;
    std::string text = read(entry.path()), formatted = format(text);
    // Definitions that make every branch of the examples a text of its own.
    for (const Defines &defines : {Defines{{"TYPE", "float"}},
                                   Defines{{"TYPE", "half"}, {"TRANS_A", "1"}, {"TRANS_B", "1"}}})
      EXPECT_EQ(tokens(formatted, defines), tokens(text, defines)) << entry.path();
    EXPECT_EQ(format(formatted), formatted) << entry.path();
  }
  EXPECT_GE(files, 3);
}

TEST(TritonCFormat, KeepsEveryOperator) {
  if (!hasClangFormat())
    GTEST_SKIP() << "clang-format-19 is not installed";
  std::string text = "void k(float *p __aligned(16), int n __multipleof(8)) {\n"
                     "int r[TM]=pid*TM+0...TM,s[8]=0 ... 8;\n"
                     "float c[TM,TN]=x[:,newaxis]@^y[newaxis,:];\n"
                     "*?(r[:,newaxis]<n)(p+r)=*?(check)pc+c[+,:]-(float[TN])-F32_INFINITY;\n"
                     "@check *p=v; half h=bitcast<half>((short)0x7C00)?:1;\n"
                     "for(int i=1;i==1;i=atomic_cas(lock,0,1));}\n";
  std::string formatted = format(text);
  EXPECT_EQ(tokens(formatted), tokens(text));
  EXPECT_EQ(formatted, "void k(float *p __aligned(16), int n __multipleof(8)) {\n"
                       "  int r[TM] = pid * TM + 0...TM, s[8] = 0 ... 8;\n"
                       "  float c[TM, TN] = x[:, newaxis] @^y [newaxis, :];\n"
                       "  *? (r[:, newaxis] < n)(p + r) = *? (check) pc + c [+, :] - (float[TN]) - "
                       "F32_INFINITY;\n"
                       "  @check *p = v;\n"
                       "  half h = bitcast<half>((short) 0x7C00) ?: 1;\n"
                       "  for (int i = 1; i == 1; i = atomic_cas(lock, 0, 1))\n"
                       "    ;\n"
                       "}\n");
  EXPECT_EQ(format(formatted), formatted);
}
} // namespace
