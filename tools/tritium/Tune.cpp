//===- Tune.cpp - tritium tune, and tritium run of Triton-C ---------------===//
//
// Both run a kernel on arguments that they make: numbers as given, arrays of given
// lengths with values that are the same each time.
//
//===----------------------------------------------------------------------===//

#include "MadeArguments.h"
#include "SignatureText.h"

#include "tritium/Support/Settings.h"

#include <cstdio>
#include <cstdlib>

using namespace tritium;
using namespace tritium::tool;

const char *const tritium::tool::tuneHelp =
    R"help(usage: tritium tune FILE.tc [-DNAME[=TEXT]...] --arg NAME=VALUE... --grid X[,Y[,Z]]

Tunes a Triton-C kernel on arguments that it makes: compiles every combination of the
lists in parallel, measures them, prints a table, and keeps the times in the cache, where
programs find them.

  -DNAME[=TEXT]     a macro; without a text 1. -DTM=[64,128] lists values to try
  -I FOLDER         where #include looks; may be repeated
  --num-warps N,N   values of the option to try
  --kernel NAME     which kernel of the file; default: the first
  --key NAME,NAME   parameters whose values choose anew; default: those marked __retune,
                    else all integers
  --arg NAME=VALUE  a parameter's value; for a pointer the number of elements of an array,
                    an expression, with :zeros, :ones, :iota or :random after it (default:
                    random for floats, zeros for integers); one for each parameter
  --grid X[,Y[,Z]]  the grid, each an expression: integers, macros, integer arguments,
                    + - * / %, cdiv(a, b), min(a, b), max(a, b)
  --recorded        take the result from the cache if it is there
  -h, --help        show this text

Python kernels are tuned by @triton.autotune, with the same tuner.

example:
  tritium tune examples/triton-c/add.tc -DTYPE=float -DSIZE=[256,1024] --arg x=n --arg y=n \
      --arg z=n --arg n=1000000 --grid "cdiv(n, SIZE)"
)help";

const char *const tritium::tool::runProgramHelp =
    R"(usage: tritium run FILE.tc [-DNAME[=TEXT]...] --arg NAME=VALUE... --grid X[,Y[,Z]]

Runs a Triton-C kernel once on arguments that it makes, and prints the first elements of
its arrays. The options are those of `tritium tune` (see there), and
  --print N         how many elements of each array are shown (default 8)
)";

namespace {

struct Request {
  ProgramRequest program;
  GivenArguments arguments;
  std::vector<std::string> grid;
  bool takesRecord = false;
  size_t shown = 8;
};

bool parse(const Arguments &arguments, Request &request, const char *help) {
  CommandLine options(arguments);
  while (options.next()) {
    if (!options.isOption) {
      if (!request.program.file.empty())
        throw UsageError("one file at a time, but got '" + request.program.file + "' and '" +
                         options.name + "'");
      request.program.file = options.name;
    } else if (options.name == "-h" || options.name == "--help") {
      std::fputs(help, stdout);
      return false;
    } else if (options.name == "--arg") {
      takeArgument(options, request.arguments);
    } else if (options.name == "--grid") {
      request.grid = splitItems(options.value());
    } else if (options.name == "--recorded") {
      options.noValue();
      request.takesRecord = true;
    } else if (options.name == "--print") {
      request.shown = static_cast<size_t>(std::atoi(options.value().c_str()));
    } else if (!request.program.take(options)) {
      throw UsageError("no option " + options.name);
    }
  }
  if (request.program.file.empty())
    throw UsageError("name a file");
  if (!isTritonC(request.program.file))
    throw UsageError(request.program.file + " is not in Triton-C (.tc); Python kernels are tuned "
                                            "by @triton.autotune when their program runs");
  if (request.grid.empty() || request.grid.size() > 3)
    throw UsageError("say --grid with one to three expressions, such as --grid \"cdiv(n, SIZE)\"");
  return true;
}

struct GridCall {
  const Request &request;
  const Numbers &numbers;
  std::string failure;
};

int computeGrid(void *user, const tritium_chosen *chosen, uint32_t grid[3]) {
  auto *call = static_cast<GridCall *>(user);
  try {
    evaluateGrid(
        call->request.grid,
        [&](const std::string &name) -> std::optional<int64_t> {
          int64_t found = 0;
          if (tritium_chosen_integer(chosen, name.c_str(), &found) == 0)
            return found;
          auto known = call->numbers.find(name);
          return known == call->numbers.end() ? std::nullopt : std::optional(known->second);
        },
        grid);
    return 0;
  } catch (const std::exception &error) {
    call->failure = error.what();
    return 1;
  }
}

std::vector<MadeArgument> makeFor(const Request &request, tritium_program *program,
                                  Numbers &numbers) {
  std::vector<Declaration> parameters;
  for (size_t i = 0; i < tritium_program_parameter_count(program); ++i) {
    tritium_declaration declared = tritium_program_parameter(program, i);
    parameters.push_back({declared.name, declared.type, declared.dtype});
  }
  return makeArguments(tritium_program_name(program), parameters, request.arguments, numbers);
}

/// Launches the kernel; the caller releases what `launched` holds.
void launch(const Request &request, tritium_program *program, std::vector<MadeArgument> &made,
            const Numbers &numbers, tritium_launched &launched) {
  std::vector<tritium_argument> arguments;
  for (const MadeArgument &one : made)
    arguments.push_back(one.argument);
  GridCall call{request, numbers, {}};
  tritium_error error = {};
  if (tritium_program_launch(program, arguments.data(), arguments.size(), nullptr, 0, computeGrid,
                             &call, nullptr, &launched, &error) == 0) {
    if (launched.warning)
      std::fprintf(stderr, "warning: %s\n", launched.warning);
    return;
  }
  if (!call.failure.empty()) {
    tritium_error_clear(&error);
    throw UsageError(call.failure);
  }
  throw Error(error);
}

void release(tritium_launched &launched) {
  tritium_compiled_release(launched.compiled);
  tritium_tuned_release(launched.tuned);
}

} // namespace

//===-- Commands ----------------------------------------------------------===//

int tool::tune(const Arguments &arguments) try {
  Request request;
  if (!parse(arguments, request, tuneHelp))
    return 0;
  settings::PrintAutotuning.set("1");
  if (!request.takesRecord)
    settings::Tuning.set("always");
  ProgramHandle program = createProgram(request.program);
  Numbers numbers;
  std::vector<MadeArgument> made = makeFor(request, program.get(), numbers);
  tritium_launched launched = {};
  launch(request, program.get(), made, numbers, launched);
  size_t choices = tritium_program_choice_count(program.get());
  if (choices == 1)
    std::puts("there is one configuration: nothing to choose");
  else
    std::printf("%s (%s)\n", tritium_program_choice_label(program.get(), launched.choice),
                launched.tuned ? tritium_tuned_source(launched.tuned) : "known");
  release(launched);
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}

int tool::runProgram(const Arguments &arguments) try {
  Request request;
  if (!parse(arguments, request, runProgramHelp))
    return 0;
  ProgramHandle program = createProgram(request.program);
  Numbers numbers;
  std::vector<MadeArgument> made = makeFor(request, program.get(), numbers);
  tritium_launched launched = {};
  launch(request, program.get(), made, numbers, launched);
  release(launched);
  for (const MadeArgument &one : made) {
    if (!one.declared.type.pointer_depth)
      continue;
    std::printf("%s[%zu]:", one.declared.name.c_str(), one.elements);
    for (size_t i = 0; i < std::min(one.elements, request.shown); ++i)
      std::printf(" %.6g", one.element(i));
    std::puts(one.elements > request.shown ? " ..." : "");
  }
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
