//===- Tune.cpp - tritium tune, and tritium run of Triton-C ---------------===//
//
// Both run a kernel on arguments that they make: numbers as given, arrays of given
// lengths with values that are the same each time.
//
//===----------------------------------------------------------------------===//

#include "SignatureText.h"
#include "TritonC.h"

#include "tritium/Support/Settings.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

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

/// An argument with the memory behind it.
struct Made {
  tritium_declaration declared;
  std::vector<unsigned char> memory;
  size_t elements = 0;
  tritium_argument argument = {};
};

struct Request {
  ProgramRequest program;
  std::vector<std::pair<std::string, std::string>> arguments;
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
      std::string text = options.value();
      size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        throw UsageError("--arg wants NAME=VALUE, but got '" + text + "'");
      request.arguments.emplace_back(text.substr(0, equals), text.substr(equals + 1));
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

//===-- Elements ----------------------------------------------------------===//

/// The bytes of an element of `type`, which has no pointer.
size_t bytesOf(tritium_dtype type) {
  if (type.pointer_depth)
    return 8;
  switch (type.kind) {
  case TRITIUM_INT16:
  case TRITIUM_UINT16:
  case TRITIUM_FLOAT16:
  case TRITIUM_BFLOAT16:
    return 2;
  case TRITIUM_INT32:
  case TRITIUM_UINT32:
  case TRITIUM_FLOAT32:
    return 4;
  case TRITIUM_INT64:
  case TRITIUM_UINT64:
  case TRITIUM_FLOAT64:
    return 8;
  default:
    return 1;
  }
}

bool isFloat(tritium_dtype type) {
  return !type.pointer_depth && type.kind >= TRITIUM_FLOAT8E5 && type.kind <= TRITIUM_FLOAT64;
}

void storeElement(unsigned char *at, tritium_dtype type, double value) {
  auto put = [&](auto converted) { std::memcpy(at, &converted, sizeof converted); };
  switch (type.pointer_depth ? TRITIUM_UINT64 : type.kind) {
  case TRITIUM_FLOAT16:
    return put(static_cast<_Float16>(value));
  case TRITIUM_BFLOAT16:
    return put(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  case TRITIUM_FLOAT32:
    return put(static_cast<float>(value));
  case TRITIUM_FLOAT64:
    return put(value);
  case TRITIUM_FLOAT8E5:
  case TRITIUM_FLOAT8E4NV:
  case TRITIUM_FLOAT8E4B8:
  case TRITIUM_FLOAT8E4B15:
  case TRITIUM_FLOAT8E5B16:
    return put(static_cast<unsigned char>(0));
  default:
    // Little-endian: the low bytes are the narrower integer.
    int64_t integer = static_cast<int64_t>(value);
    std::memcpy(at, &integer, bytesOf(type));
  }
}

double loadElement(const unsigned char *at, tritium_dtype type) {
  auto get = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (type.kind) {
  case TRITIUM_FLOAT16:
    return static_cast<double>(get(_Float16()));
  case TRITIUM_BFLOAT16:
    return std::bit_cast<float>(static_cast<uint32_t>(get(uint16_t())) << 16);
  case TRITIUM_FLOAT32:
    return get(float());
  case TRITIUM_FLOAT64:
    return get(double());
  case TRITIUM_INT16:
    return get(int16_t());
  case TRITIUM_INT32:
    return get(int32_t());
  case TRITIUM_INT64:
    return static_cast<double>(get(int64_t()));
  case TRITIUM_UINT16:
    return get(uint16_t());
  case TRITIUM_UINT32:
    return get(uint32_t());
  case TRITIUM_UINT64:
    return static_cast<double>(get(uint64_t()));
  case TRITIUM_INT8:
    return get(int8_t());
  default:
    return get(uint8_t());
  }
}

//===-- Arguments ---------------------------------------------------------===//

using Numbers = std::map<std::string, int64_t>;

void makeArray(Made &made, const std::string &text, const Numbers &numbers) {
  tritium_dtype element = made.declared.dtype;
  --element.pointer_depth;
  std::string count = text, fill = isFloat(element) ? "random" : "zeros";
  if (size_t colon = text.rfind(':'); colon != std::string::npos) {
    count = text.substr(0, colon);
    fill = text.substr(colon + 1);
  }
  int64_t elements = evaluate(count, [&](const std::string &name) -> std::optional<int64_t> {
    auto known = numbers.find(name);
    return known == numbers.end() ? std::nullopt : std::optional(known->second);
  });
  if (elements < 0 || elements > (int64_t(1) << 40))
    throw UsageError("--arg " + std::string(made.declared.name) + ": an array of " +
                     std::to_string(elements) + " elements");
  size_t bytes = bytesOf(element);
  made.elements = static_cast<size_t>(elements);
  // Room to begin at a multiple of 64.
  made.memory.resize(made.elements * bytes + 64);
  unsigned char *begin = made.memory.data();
  begin += (64 - reinterpret_cast<uintptr_t>(begin) % 64) % 64;
  std::minstd_rand random(1);
  for (size_t i = 0; i < made.elements; ++i) {
    double unit = static_cast<double>(random()) / static_cast<double>(random.max());
    double value = 0;
    if (fill == "random")
      value = isFloat(element) ? 2 * unit - 1 : std::floor(unit * 100);
    else if (fill == "ones")
      value = 1;
    else if (fill == "iota")
      value = static_cast<double>(i);
    else if (fill != "zeros")
      throw UsageError("--arg " + std::string(made.declared.name) + ": no such content '" + fill +
                       "'; there are: zeros, ones, iota, random");
    storeElement(begin + i * bytes, element, value);
  }
  made.argument.kind = TRITIUM_ARG_POINTER;
  made.argument.type = element;
  made.argument.bits = made.argument.begin = reinterpret_cast<uint64_t>(begin);
  made.argument.bytes = made.elements * bytes;
}

/// Fills the arguments, numbers first: lengths of arrays may name them.
std::vector<Made> makeArguments(const Request &request, tritium_program *program,
                                Numbers &numbers) {
  std::vector<Made> all(tritium_program_parameter_count(program));
  std::map<std::string, std::string> given;
  for (const auto &[name, text] : request.arguments)
    given[name] = text; // the last one counts
  std::string list;
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].declared = tritium_program_parameter(program, i);
    list += (i ? ", " : "") + std::string(all[i].declared.type) + " " + all[i].declared.name;
    if (!given.count(all[i].declared.name))
      throw UsageError("nothing is said of parameter '" + std::string(all[i].declared.name) +
                       "': add --arg " + all[i].declared.name +
                       "=VALUE (for a pointer, the "
                       "number of elements)");
  }
  for (const auto &[name, text] : given)
    if (std::none_of(all.begin(), all.end(),
                     [&, &name = name](const Made &made) { return name == made.declared.name; }))
      throw UsageError("kernel '" + std::string(tritium_program_name(program)) +
                       "' has no parameter '" + name + "'; it takes (" + list + ")");
  for (Made &made : all) {
    if (made.declared.dtype.pointer_depth)
      continue;
    Value value = parseValue(given[made.declared.name]);
    if (value.get().kind != TRITIUM_INT && value.get().kind != TRITIUM_FLOAT &&
        value.get().kind != TRITIUM_BOOL)
      throw UsageError("--arg " + std::string(made.declared.name) + " wants a number, but got '" +
                       given[made.declared.name] + "'");
    if (value.get().kind == TRITIUM_FLOAT) {
      made.argument = detail::toArgument(value.get().as.number);
    } else if (value.get().kind == TRITIUM_BOOL) {
      made.argument = detail::toArgument(value.get().as.boolean != 0);
    } else {
      made.argument = detail::toArgument(static_cast<int64_t>(value.get().as.integer.low));
      numbers[made.declared.name] = static_cast<int64_t>(value.get().as.integer.low);
    }
  }
  for (Made &made : all)
    if (made.declared.dtype.pointer_depth)
      makeArray(made, given[made.declared.name], numbers);
  return all;
}

struct GridCall {
  const Request &request;
  const Numbers &numbers;
  std::string failure;
};

int computeGrid(void *user, const tritium_chosen *chosen, uint32_t grid[3]) {
  auto *call = static_cast<GridCall *>(user);
  try {
    for (size_t axis = 0; axis < call->request.grid.size(); ++axis) {
      int64_t value = evaluate(
          call->request.grid[axis], [&](const std::string &name) -> std::optional<int64_t> {
            int64_t found = 0;
            if (tritium_chosen_integer(chosen, name.c_str(), &found) == 0)
              return found;
            auto known = call->numbers.find(name);
            return known == call->numbers.end() ? std::nullopt : std::optional(known->second);
          });
      if (value < 1 || value > INT32_MAX)
        throw UsageError("--grid: '" + call->request.grid[axis] + "' is " + std::to_string(value) +
                         "; a dimension is from 1 to 2147483647");
      grid[axis] = static_cast<uint32_t>(value);
    }
    return 0;
  } catch (const std::exception &error) {
    call->failure = error.what();
    return 1;
  }
}

/// Launches the kernel; the caller releases what `launched` holds.
void launch(const Request &request, tritium_program *program, std::vector<Made> &made,
            const Numbers &numbers, tritium_launched &launched) {
  std::vector<tritium_argument> arguments;
  for (const Made &one : made)
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
  std::vector<Made> made = makeArguments(request, program.get(), numbers);
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
  std::vector<Made> made = makeArguments(request, program.get(), numbers);
  tritium_launched launched = {};
  launch(request, program.get(), made, numbers, launched);
  release(launched);
  for (const Made &one : made) {
    if (!one.declared.dtype.pointer_depth)
      continue;
    std::printf("%s[%zu]:", one.declared.name, one.elements);
    size_t bytes = bytesOf(one.argument.type);
    for (size_t i = 0; i < std::min(one.elements, request.shown); ++i)
      std::printf(" %.6g", loadElement(reinterpret_cast<const unsigned char *>(one.argument.bits) +
                                           i * bytes,
                                       one.argument.type));
    std::puts(one.elements > request.shown ? " ..." : "");
  }
  return 0;
} catch (const Error &error) {
  throw Failure(error.what());
}
