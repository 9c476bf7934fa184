//===- Run.cpp - tritium run ----------------------------------------------===//

#include "TritonC.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <unistd.h>

using namespace tritium::tool;

const char *const tritium::tool::runHelp =
    R"(usage: tritium run SCRIPT [ARGUMENT...]
       tritium run -m MODULE [ARGUMENT...]
       tritium run FILE.tc [-DNAME[=TEXT]...] --arg NAME=VALUE... --grid X[,Y[,Z]]

Runs a Python script or module unmodified; its `import triton` and
`import triton.language` get Tritium. The Python is the one beside this command
(as in .venv/bin), else python3. A file in Triton-C is run on arguments that are made
for it: see tritium run FILE.tc --help.
)";

/// The interpreter of the environment that this command is installed in.
static std::string findPython(const std::string &program) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path self = program;
  if (program.find('/') == std::string::npos) {
    const char *path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');)
      if (access((fs::path(folder) / program).c_str(), X_OK) == 0) {
        self = fs::path(folder) / program;
        break;
      }
  }
  fs::path beside = self.parent_path() / "python";
  return fs::exists(beside, error) ? beside.string() : "python3";
}

/// Goes on as `python -m tritium COMMAND ARGUMENT...`.
[[noreturn]] static void becomePython(const std::string &program, const char *name,
                                      const Arguments &arguments) {
  std::string python = findPython(program);
  std::vector<std::string> command = {python, "-m", "tritium", name};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : command)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(python.c_str(), pointers.data());
  throw Failure("tritium " + std::string(name) + ": cannot start " + python + ": " +
                std::strerror(errno));
}

int tritium::tool::run(const Arguments &arguments, const std::string &program) {
  if (arguments.empty())
    throw UsageError("run: say which script");
  if (arguments[0] == "-h" || arguments[0] == "--help") {
    std::fputs(runHelp, stdout);
    return 0;
  }
  if (isTritonC(arguments[0]))
    return runProgram(arguments);
  becomePython(program, "run", arguments);
}

int tritium::tool::profile(const Arguments &arguments, const std::string &program) {
  becomePython(program, "profile", arguments);
}

int tritium::tool::debug(const Arguments &arguments, const std::string &program) {
  becomePython(program, "debug", arguments);
}
