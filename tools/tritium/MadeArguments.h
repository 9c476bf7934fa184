//===- MadeArguments.h - arguments that commands make -----------*- C++ -*-===//

#ifndef TRITIUM_TOOLS_TRITIUM_MADEARGUMENTS_H
#define TRITIUM_TOOLS_TRITIUM_MADEARGUMENTS_H

#include "TritonC.h"

namespace tritium::tool {

/// A parameter to make an argument for.
struct Declaration {
  std::string name, typeText; ///< the type as its author writes it
  tritium_dtype type = {};
};

/// An argument with the memory behind it.
struct MadeArgument {
  Declaration declared;
  std::vector<unsigned char> memory;
  size_t elements = 0;
  tritium_argument argument = {};

  /// Of an array.
  double element(size_t index) const;
};

using Numbers = std::map<std::string, int64_t>;
/// NAME=VALUE of --arg.
using GivenArguments = std::vector<std::pair<std::string, std::string>>;

/// Takes --arg NAME=VALUE.
void takeArgument(CommandLine &options, GivenArguments &given);

/// Makes the arguments of `kernel`: numbers as given, arrays of given lengths with values that are
/// the same each time, at multiples of 256 bytes. Numbers are first, and go into `numbers`: lengths
/// of arrays may name them.
std::vector<MadeArgument> makeArguments(const std::string &kernel,
                                        const std::vector<Declaration> &parameters,
                                        const GivenArguments &given, Numbers &numbers);

/// The extents of a grid from expressions, as `lookup` knows names.
void evaluateGrid(const std::vector<std::string> &texts,
                  const std::function<std::optional<int64_t>(const std::string &)> &lookup,
                  uint32_t grid[3]);

} // namespace tritium::tool

#endif // TRITIUM_TOOLS_TRITIUM_MADEARGUMENTS_H
