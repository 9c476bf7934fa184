//===- TritonC.cpp - what the commands share for Triton-C -----------------===//

#include "TritonC.h"
#include "SignatureText.h"

#include <cctype>

using namespace tritium;
using namespace tritium::tool;

bool tool::isTritonC(const std::string &path) {
  for (const char *suffix : {".tc", ".tr", ".c", ".h", ".cu"})
    if (path.ends_with(suffix))
      return true;
  return false;
}

/// "2,4" or "[2, 4]".
static std::vector<int> parseInts(const std::string &option, std::string text) {
  if (text.starts_with("[") && text.ends_with("]"))
    text = text.substr(1, text.size() - 2);
  std::vector<int> numbers;
  for (const std::string &item : splitItems(text)) {
    char *end = nullptr;
    long number = std::strtol(item.c_str(), &end, 10);
    if (item.empty() || *end || number < 1 || number > 1024)
      throw UsageError(option + " wants numbers with commas between, but got '" + item + "'");
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

bool ProgramRequest::take(CommandLine &options) {
  if (options.name == "-D") {
    std::string text = options.value();
    size_t equals = text.find('=');
    if (equals == 0 || text.empty())
      throw UsageError("-D wants NAME or NAME=TEXT, but got '" + text + "'");
    if (equals == std::string::npos)
      defines.emplace_back(text, "1");
    else
      defines.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  } else if (options.name == "-I") {
    includePaths.push_back(options.value());
  } else if (options.name == "--kernel") {
    kernel = options.value();
  } else if (options.name == "--num-warps") {
    numWarps = parseInts(options.name, options.value());
  } else if (options.name == "--key") {
    key = splitItems(options.value());
  } else {
    return false;
  }
  return true;
}

ProgramHandle tool::createProgram(const ProgramRequest &request,
                                  const tritium_kernel_config *config) {
  std::vector<tritium_define> defines;
  for (const auto &[name, text] : request.defines)
    defines.push_back({name.c_str(), text.c_str(), nullptr, 0});
  std::vector<const char *> paths, key;
  for (const std::string &path : request.includePaths)
    paths.push_back(path.c_str());
  for (const std::string &name : request.key)
    key.push_back(name.c_str());
  tritium_program_source source = {};
  source.file = request.file.c_str();
  source.name = request.kernel.empty() ? nullptr : request.kernel.c_str();
  source.defines = defines.data();
  source.define_count = defines.size();
  source.include_paths = paths.data();
  source.include_path_count = paths.size();
  source.num_warps = request.numWarps.data();
  source.num_warps_count = request.numWarps.size();
  source.key = key.data();
  source.key_count = key.size();
  tritium_error error = {};
  tritium_program *program = tritium_program_create(&source, config, &error);
  if (!program)
    throw Error(error);
  return ProgramHandle(program);
}

//===-- Expressions -------------------------------------------------------===//

namespace {

class Evaluator {
public:
  using Lookup = std::function<std::optional<int64_t>(const std::string &)>;
  Evaluator(const std::string &text, const Lookup &lookup) : text(text), lookup(lookup) {}

  int64_t run() {
    int64_t value = sum();
    if (!skip().empty())
      fail("'" + skip() + "' is left over");
    return value;
  }

private:
  [[noreturn]] void fail(const std::string &reason) {
    throw UsageError("expression '" + text + "': " + reason);
  }
  std::string skip() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
    return text.substr(position);
  }
  bool accept(char c) {
    if (!skip().starts_with(c))
      return false;
    ++position;
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      fail(std::string("expected '") + c + "' before '" + skip() + "'");
  }
  int64_t checked(__int128 value) {
    if (value != static_cast<int64_t>(value))
      fail("the value is too large");
    return static_cast<int64_t>(value);
  }
  int64_t nonZero(int64_t value) {
    if (value == 0)
      fail("division by zero");
    return value;
  }

  int64_t sum() {
    int64_t value = product();
    while (true) {
      if (accept('+'))
        value = checked(__int128(value) + product());
      else if (accept('-'))
        value = checked(__int128(value) - product());
      else
        return value;
    }
  }
  int64_t product() {
    int64_t value = primary();
    while (true) {
      if (accept('*'))
        value = checked(__int128(value) * primary());
      else if (accept('/'))
        value = checked(__int128(value) / nonZero(primary()));
      else if (accept('%'))
        value = checked(__int128(value) % nonZero(primary()));
      else
        return value;
    }
  }
  int64_t primary() {
    if (++depth > 100)
      fail("it is nested too deeply");
    int64_t value = unary();
    --depth;
    return value;
  }
  int64_t unary() {
    if (accept('-'))
      return checked(-__int128(primary()));
    if (accept('(')) {
      int64_t value = sum();
      expect(')');
      return value;
    }
    std::string word;
    skip();
    while (position < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[position])) || text[position] == '_'))
      word += text[position++];
    if (word.empty())
      fail("expected a number or a name before '" + skip() + "'");
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      char *end = nullptr;
      errno = 0;
      long long number = std::strtoll(word.c_str(), &end, 0);
      if (*end || errno)
        fail("'" + word + "' is no number");
      return number;
    }
    if (word == "cdiv" || word == "min" || word == "max")
      return call(word);
    std::optional<int64_t> value = lookup(word);
    if (!value)
      fail("'" + word + "' is neither an integer macro nor an integer argument");
    return *value;
  }
  int64_t call(const std::string &name) {
    expect('(');
    int64_t a = sum();
    expect(',');
    int64_t b = sum();
    expect(')');
    if (name == "min")
      return std::min(a, b);
    if (name == "max")
      return std::max(a, b);
    return checked((__int128(a) + nonZero(b) - 1) / b);
  }

  const std::string &text;
  const Lookup &lookup;
  size_t position = 0;
  int depth = 0;
};

} // namespace

int64_t tool::evaluate(const std::string &text,
                       const std::function<std::optional<int64_t>(const std::string &)> &lookup) {
  return Evaluator(text, lookup).run();
}
