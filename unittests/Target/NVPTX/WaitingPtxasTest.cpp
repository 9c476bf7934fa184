//===- WaitingPtxasTest.cpp - an assembler that starts before its input ---===//

#include "LateFile.h"
#include "tritium/Target/NVPTX/Ptxas.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tritium::nvptx;
using testing::HasSubstr;

namespace {

std::string readAll(const std::string &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

//===-- LateFile ----------------------------------------------------------===//

/// A shell that reads a late file, FILE.
RunningTool shell(const LateFile &file, const std::string &script) {
  std::string all = "FILE=" + file.path().str() + "\n" + script;
  return {"/bin/sh", {"sh", "-c", all}, /*isApart=*/false, file.input()};
}

class LateFiles : public testing::TestWithParam<size_t> {};

TEST_P(LateFiles, AreReadWholeByWhoeverOpensThem) {
  std::string text(GetParam(), 'x'), log;
  for (size_t i = 0; i < text.size(); i += 7)
    text[i] = static_cast<char>('a' + i % 26);
  LateFile file("txt");
  ASSERT_TRUE(file.exists());
  RunningTool reader = shell(file, "cat $FILE; cat $FILE; stat -c ' %F %s' $FILE");
  EXPECT_TRUE(file.write(text, [&] { return reader.hasEnded(); }));
  EXPECT_EQ(reader.wait(log), 0);
  EXPECT_EQ(log, text + text + " regular file " + std::to_string(text.size()) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Sizes, LateFiles, testing::Values(1, 8192, 65536, 65537, 900000));

TEST(LateFile, EndsForItsReaderWhereNothingIsWritten) {
  auto file = std::make_unique<LateFile>("txt");
  ASSERT_TRUE(file->exists());
  std::string said = file->path().str() + ".said", log;
  RunningTool reader = shell(*file, "exec <$FILE; echo >" + said + "; cat; rm " + said);
  while (access(said.c_str(), F_OK) != 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  file.reset();
  EXPECT_EQ(reader.wait(log), 0);
  EXPECT_EQ(log, "");
}

TEST(LateFile, IsNotWrittenWhereNobodyReads) {
  LateFile file("txt");
  ASSERT_TRUE(file.exists());
  RunningTool reader = shell(file, "exit 0");
  EXPECT_FALSE(file.write("text", [&] { return reader.hasEnded(); }));
}

/// A child without another program would keep the pipe open for as long as it lives.
TEST(LateFile, IsClosedInChildren) {
  LateFile file("txt");
  RunningTool reader = shell(file, "cat $FILE");
  pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  std::string log;
  EXPECT_TRUE(file.write("text", [&] { return reader.hasEnded(); }));
  for (int i = 0; i < 2000 && !reader.hasEnded(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(reader.hasEnded());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(reader.wait(log), 0);
  EXPECT_EQ(log, "text");
}

/// Nobody waits for what a process that is gone would have written.
TEST(LateFile, EndsWithTheProcess) {
  char folder[] = "/tmp/tritium-late-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  std::string marks = std::string(folder) + "/marks";
  pid_t child = fork();
  if (child == 0) {
    setenv("TMPDIR", folder, 1);
    LateFile file("txt");
    RunningTool reader = shell(file, "cat $FILE; echo over >>" + marks);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  for (int i = 0; i < 2000 && readAll(marks).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(readAll(marks), "over\n");
  std::filesystem::remove_all(folder);
}

//===-- ptxas -------------------------------------------------------------===//

/// A kernel that adds up so many numbers.
std::string adding(unsigned count) {
  std::string body;
  for (unsigned i = 0; i < count; ++i)
    body += "ld.global.f32 %f1, [%rd1 + " + std::to_string(4 * i) + "];\nadd.f32 %f0, %f0, %f1;\n";
  return ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
         ".reg .f32 %f<2>; .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nmov.f32 %f0, 0f00000000;\n" +
         body + "st.global.f32 [%rd1], %f0;\nret;\n}\n";
}

TEST(WaitingPtxas, AssemblesTheSameCode) {
  std::optional<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  for (unsigned count : {1u, 2000u}) { // less and more than a pipe usually holds
    Assembled plain, waited;
    std::string error;
    ASSERT_TRUE(assemble(*ptxas, adding(count), "sm_90a", {}, plain, error)) << error;
    auto waiting = WaitingPtxas::start(*ptxas, "sm_90a", {});
    ASSERT_TRUE(waiting);
    ASSERT_EQ(waiting->assemble(adding(count), waited), 0) << waited.log;
    EXPECT_EQ(waited.cubin, plain.cubin);
    EXPECT_THAT(waited.log, HasSubstr("registers"));
  }
}

TEST(WaitingPtxas, IsForWhatItWasStartedWith) {
  std::optional<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  AssembleOptions options, other;
  other.fpFusion = false;
  auto waiting = WaitingPtxas::start(*ptxas, "sm_90a", options);
  ASSERT_TRUE(waiting);
  EXPECT_TRUE(waiting->isFor(*ptxas, "sm_90a", options));
  EXPECT_FALSE(waiting->isFor(*ptxas, "sm_80", options));
  EXPECT_FALSE(waiting->isFor(*ptxas, "sm_90a", other));
  EXPECT_FALSE(waiting->isFor({"/other/ptxas", "1"}, "sm_90a", options));
  // Then another one does the work.
  Assembled assembled, plain;
  std::string error, ptx = adding(1);
  ptx.replace(ptx.find("sm_90a"), 6, "sm_80");
  ASSERT_TRUE(assemble(*ptxas, ptx, "sm_80", options, plain, error)) << error;
  EXPECT_TRUE(assemble(*ptxas, ptx, "sm_80", options, assembled, error, std::move(waiting)))
      << error;
  EXPECT_EQ(assembled.cubin, plain.cubin);
}

TEST(WaitingPtxas, ErrorsAreThoseOfOneThatDoesNotWait) {
  std::optional<Ptxas> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  Assembled assembled;
  std::string error;
  EXPECT_FALSE(assemble(*ptxas, "nonsense", "sm_90a", {}, assembled, error,
                        WaitingPtxas::start(*ptxas, "sm_90a", {})));
  EXPECT_THAT(error, HasSubstr("Missing .version"));
}

/// Programs in the place of ptxas, written in sh. SOURCE and BINARY are their files.
class FakePtxas : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/tritium-ptxas-XXXXXX";
    ASSERT_TRUE(mkdtemp(name));
    folder = name;
  }
  ~FakePtxas() override {
    for (const char *file : {"/ptxas", "/said"})
      unlink((folder + file).c_str());
    rmdir(folder.c_str());
  }
  Ptxas write(const std::string &script) {
    std::string path = folder + "/ptxas";
    std::ofstream(path) << "#!/bin/sh\nwhile [ $# -gt 3 ]; do shift; done\n"
                           "SOURCE=$1 BINARY=$3 SAID="
                        << folder << "/said\n"
                        << script;
    chmod(path.c_str(), 0700);
    return {path, "1"};
  }
  std::string said() { return readAll(folder + "/said"); }
  bool assembles(const Ptxas &ptxas, const std::string &ptx) {
    return assemble(ptxas, ptx, "sm_90a", {}, assembled, error,
                    WaitingPtxas::start(ptxas, "sm_90a", {}));
  }
  std::string folder, error;
  Assembled assembled;
};

TEST_F(FakePtxas, ReadsTwice) {
  Ptxas ptxas = write("cat $SOURCE >$BINARY; cat $SOURCE >>$BINARY; echo once >>$SAID\n");
  ASSERT_TRUE(assembles(ptxas, "text\n")) << error;
  EXPECT_EQ(assembled.cubin, "text\ntext\n");
  EXPECT_EQ(said(), "once\n");
  // More than a pipe can have, if the user is not a privileged one.
  std::string longText(3 << 20, 'x');
  ASSERT_TRUE(assembles(ptxas, longText)) << error;
  EXPECT_EQ(assembled.cubin, longText + longText);
}

/// What does not get on with a pipe is run again with a plain file.
TEST_F(FakePtxas, WantsAPlainFile) {
  for (const char *refusal :
       {"[ -f $SOURCE ] || exit 1\n", "[ -f $SOURCE ] || exit 0\n",
        "[ -f $SOURCE ] || kill -9 $$\n", "[ -f $SOURCE ] || head -c 3 $SOURCE >$BINARY\n"}) {
    Ptxas ptxas = write(refusal + std::string("cat $SOURCE >$BINARY\n[ `head -c 4 $BINARY` = text ]"
                                              " || exit 1\n"));
    ASSERT_TRUE(assembles(ptxas, "text and more")) << refusal << error;
    EXPECT_EQ(assembled.cubin, "text and more") << refusal;
  }
}

/// What it says of the text is not asked for again.
TEST_F(FakePtxas, Refuses) {
  for (const char *words :
       {"ptxas x, line 3; error : no", "ptxas error : too much shared data",
        "ptxas fatal : (C7602) Insufficient registers (24) to compile instruction at line 4"}) {
    Ptxas ptxas = write("cat $SOURCE >/dev/null; echo once >>$SAID; echo '" + std::string(words) +
                        "'; exit 255\n");
    EXPECT_FALSE(assembles(ptxas, "text"));
    EXPECT_THAT(error, HasSubstr("failed with status 255: " + std::string(words)));
    EXPECT_EQ(said(), "once\n");
    unlink((folder + "/said").c_str());
  }
}

/// What it says of the file may not be so of a plain one.
TEST_F(FakePtxas, DoesNotGetAtTheText) {
  for (const char *words : {"ptxas x, line 1; fatal : Missing .version directive",
                            "ptxas fatal : Input file x could not be opened",
                            "/opt/ptxas-elsewhere: error: no such file"}) {
    Ptxas ptxas = write("if [ -p $SOURCE ]; then cat $SOURCE >/dev/null; echo '" +
                        std::string(words) + "'; exit 255; fi; cat $SOURCE >$BINARY\n");
    EXPECT_TRUE(assembles(ptxas, "text")) << error;
    EXPECT_EQ(assembled.cubin, "text");
  }
}

TEST_F(FakePtxas, EndsWithTheObject) {
  Ptxas ptxas = write("echo $$ >$SAID.part; mv $SAID.part $SAID; cat $SOURCE; sleep 60\n");
  pid_t process = 0;
  {
    auto waiting = WaitingPtxas::start(ptxas, "sm_90a", {});
    ASSERT_TRUE(waiting);
    while (said().empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process = std::stoi(said());
    EXPECT_EQ(kill(process, 0), 0);
  }
  EXPECT_NE(kill(process, 0), 0);
}

} // namespace
