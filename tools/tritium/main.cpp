//===- main.cpp - the user's command --------------------------------------===//

#include "Commands.h"

#include "tritium/tritium.h"

#include <cstdio>
#include <cstring>

using namespace tritium::tool;

static const char *const help =
    R"(usage: tritium COMMAND [ARGUMENT...]

Compiles and runs tile kernels.

commands:
  compile   compile a kernel of a file to IR, assembly or object code
  run       run a Python script (its `import triton` gets Tritium), or a Triton-C kernel
  tune      tune a Triton-C kernel on arguments that are made for it
  sim       run a PTX file with no GPU, every access checked and counted
  cache     list, locate or clear the cache of compiled kernels
  help      show this text, or the help of a command: tritium help compile

options:
  -h, --help     show this text
  --version      show the version and this machine's CPU

Each command has --help. The environment:
  TRITON_CACHE_DIR       where compiled kernels are kept (~/.tritium/cache)
  TRITON_HOME            what ~ stands for in these paths
  TRITON_ALWAYS_COMPILE  1: do not take kernels from the cache
  TRITON_KERNEL_DUMP     1: write the stages of each kernel under TRITON_DUMP_DIR
  TRITON_KERNEL_OVERRIDE 1: take tile IR from TRITON_OVERRIDE_DIR where it has some
  TRITON_INTERPRET       1: run kernels in the interpreter, which checks every access
  TRITON_DEBUG           1: check device_assert and hints
  TRITIUM_BACKEND        cpu or interpret
  TRITIUM_CPU            compile for this CPU instead of this machine's
  TRITIUM_NUM_THREADS    threads that a launch uses
  TRITIUM_WAIT_SECONDS   how long programs may all wait for each other (10); 0: for ever
  TRITIUM_TUNING         how a configuration is chosen: measure (the default: once, then as
                         recorded), always, first, recorded
  TRITON_PRINT_AUTOTUNING 1: print a table of what tuning measured
)";

bool CommandLine::next() {
  if (position >= arguments.size())
    return false;
  const std::string &text = arguments[position++];
  hasInline = false;
  isOption = !onlyPositional && text.size() > 1 && text[0] == '-';
  name = text;
  if (!isOption)
    return true;
  if (text == "--") {
    onlyPositional = true;
    return next();
  }
  size_t equals = text.find('=');
  if (text[1] == '-' && equals != std::string::npos) {
    name = text.substr(0, equals);
    inlineValue = text.substr(equals + 1);
    hasInline = true;
  } else if (text[1] != '-' && text.size() > 2) {
    name = text.substr(0, 2);
    inlineValue = text.substr(2);
    hasInline = true;
  }
  return true;
}

std::string CommandLine::value() {
  if (hasInline)
    return inlineValue;
  if (position >= arguments.size())
    throw UsageError("option " + name + " needs a value");
  return arguments[position++];
}

void CommandLine::noValue() const {
  if (hasInline)
    throw UsageError("option " + name + " takes no value");
}

static int dispatch(const std::string &command, const Arguments &arguments, const char *program) {
  if (command == "compile")
    return compile(arguments);
  if (command == "cache")
    return cache(arguments);
  if (command == "sim")
    return simulate(arguments);
  if (command == "tune")
    return tune(arguments);
  if (command == "run")
    return run(arguments, program);
  if (command == "help" || command == "-h" || command == "--help") {
    const char *text = help;
    if (!arguments.empty()) {
      text = arguments[0] == "compile" ? compileHelp
             : arguments[0] == "cache" ? cacheHelp
             : arguments[0] == "run"   ? runHelp
             : arguments[0] == "sim"   ? simHelp
             : arguments[0] == "tune"  ? tuneHelp
                                       : nullptr;
      if (!text)
        throw UsageError("no command '" + arguments[0] + "'; there are: compile, run, tune, cache");
    }
    std::fputs(text, stdout);
    return 0;
  }
  if (command == "--version") {
    std::printf("tritium %s (%s)\n", tritium_version(), tritium_host_cpu());
    return 0;
  }
  throw UsageError("no command '" + command + "'; there are: compile, run, tune, cache");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fputs(help, stderr);
    return 2;
  }
  try {
    return dispatch(argv[1], Arguments(argv + 2, argv + argc), argv[0]);
  } catch (const UsageError &error) {
    std::fprintf(stderr, "tritium: %s (see tritium help)\n", error.what());
    return 2;
  } catch (const Failure &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
