//===- main.cpp - the user's command --------------------------------------===//

#include "Commands.h"

#include "tritium/tritium.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tritium::tool;

static const char *const help =
    R"(usage: tritium COMMAND [ARGUMENT...]

Compiles and runs tile kernels.

commands:
  compile   compile a kernel of a file to IR, assembly or object code
  explain   what became of each line of a kernel, and what it costs
  run       run a Python script (its `import triton` gets Tritium), or a Triton-C kernel
  debug     run a Python script whose kernels stop, with their variables as arrays
  profile   run a Python script and print how long its kernels took
  tune      tune a Triton-C kernel on arguments that are made for it
  sim       run a PTX file with no GPU, every access checked and counted
  cache     list, locate or clear the cache of compiled kernels
  help      show this text, or the help of a command: tritium help compile

options:
  -h, --help     show this text
  --version      show the version and this machine's CPU

Each command has --help; `tritium help environment` lists every variable.

The environment:
)";

/// `text` in lines of at most 90 columns, each begun as far to the right as it would follow a name.
static std::string besideName(std::string name, std::string text) {
  constexpr size_t left = 26, most = 90;
  name.resize(std::max(name.size(), left - 1), ' ');
  std::string result = name;
  size_t column = name.size();
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    if (column + 1 + end - at > most) {
      result += "\n" + std::string(left - 1, ' ');
      column = left - 1;
    }
    result += " " + text.substr(at, end - at);
    column += 1 + end - at;
    at = end + 1;
  }
  return result + "\n";
}

/// The environment variables that are heeded, with what is usual.
static std::string environment(bool all) {
  std::string text;
  for (size_t i = 0; i < tritium_setting_count(); ++i) {
    tritium_setting setting = tritium_setting_at(i);
    if ((!all && !setting.for_users) || !std::strcmp(setting.effect, "nothing"))
      continue;
    bool isFlag = !std::strcmp(setting.type, "flag") || !std::strcmp(setting.type, "chosen");
    std::string usual = isFlag || !*setting.usual ? "" : std::string(" (") + setting.usual + ")";
    text += besideName(std::string("  ") + setting.variable, setting.doc + usual);
  }
  return text;
}

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
  if (command == "explain")
    return explain(arguments);
  if (command == "cache")
    return cache(arguments);
  if (command == "sim")
    return simulate(arguments);
  if (command == "tune")
    return tune(arguments);
  if (command == "run")
    return run(arguments, program);
  if (command == "profile")
    return profile(arguments, program);
  if (command == "debug")
    return debug(arguments, program);
  if (command == "help" || command == "-h" || command == "--help") {
    if (!arguments.empty() && arguments[0] == "environment") {
      std::fputs(environment(/*all=*/true).c_str(), stdout);
      return 0;
    }
    const char *text = help;
    if (!arguments.empty() && (arguments[0] == "debug" || arguments[0] == "profile"))
      return dispatch(arguments[0], {"--help"}, program);
    if (!arguments.empty()) {
      text = arguments[0] == "compile"   ? compileHelp
             : arguments[0] == "explain" ? explainHelp
             : arguments[0] == "cache"   ? cacheHelp
             : arguments[0] == "run"     ? runHelp
             : arguments[0] == "sim"     ? simHelp
             : arguments[0] == "tune"    ? tuneHelp
                                         : nullptr;
      if (!text)
        throw UsageError("no command '" + arguments[0] +
                         "'; there are: compile, explain, run, tune, sim, cache");
    }
    std::fputs(text, stdout);
    if (text == help)
      std::fputs(environment(/*all=*/false).c_str(), stdout);
    return 0;
  }
  if (command == "--version") {
    std::printf("tritium %s (%s)\n", tritium_version(), tritium_host_cpu());
    return 0;
  }
  throw UsageError("no command '" + command +
                   "'; there are: compile, explain, run, tune, sim, cache");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "%s%s", help, environment(/*all=*/false).c_str());
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
