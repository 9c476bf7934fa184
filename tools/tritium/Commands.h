//===- Commands.h - the commands of `tritium` -------------------*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_COMMANDS_H
#define TRITIUM_TOOLS_TRITIUM_COMMANDS_H

#include <stdexcept>
#include <string>
#include <vector>

namespace tritium::tool {

/// A wrong command line; the message says what to write instead. Exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The command could not be carried out. Exit status 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What follows the command's name.
using Arguments = std::vector<std::string>;

int compile(const Arguments &arguments);
int explain(const Arguments &arguments);
int cache(const Arguments &arguments);
int tune(const Arguments &arguments);
/// tritium run of a file in Triton-C.
int runProgram(const Arguments &arguments);
int simulate(const Arguments &arguments);
int run(const Arguments &arguments, const std::string &program);
/// These have their help in Python.
int debug(const Arguments &arguments, const std::string &program);
int profile(const Arguments &arguments, const std::string &program);

extern const char *const compileHelp;
extern const char *const cacheHelp;
extern const char *const explainHelp;
extern const char *const tuneHelp;
extern const char *const simHelp;
extern const char *const runHelp, *const runProgramHelp;

/// Walks over a command's arguments, with `--name value`, `--name=value` and `-o value`.
class CommandLine {
public:
  explicit CommandLine(const Arguments &arguments) : arguments(arguments) {}
  /// The next option's name, or positional argument (isOption: which). False at the end.
  bool next();
  std::string name; ///< "--kernel", "-o", or the positional argument
  bool isOption = false;
  /// The option's value. Throws UsageError if there is none.
  std::string value();
  /// Whether the option came as `--name=value`.
  bool hasValue() const { return hasInline; }
  /// Throws unless the option came without a value.
  void noValue() const;

private:
  const Arguments &arguments;
  size_t position = 0;
  bool onlyPositional = false, hasInline = false;
  std::string inlineValue;
};

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_COMMANDS_H
