//===- CallPattern.h - the calls that a variant is known to fit -*- C++ -*-===//
//
// A program launches a kernel again and again with arguments of the same kinds. Whether
// one more call means the same to the compiler as an earlier one takes a few comparisons
// an argument; the key, which tells all calls apart, takes ten times as long to make.
//
//===----------------------------------------------------------------------===//

#ifndef TRITIUM_RUNTIME_CALLPATTERN_H
#define TRITIUM_RUNTIME_CALLPATTERN_H

#include "Signature.h"

namespace tritium::runtime {

/// The calls whose key is that of one call. It may miss some, for which the key is made.
class CallPattern {
public:
  /// The pattern of a call with these arguments and options, which classify() gave
  /// `classes` and `bound`. None for a call that only its key describes: with tuples,
  /// descriptors, or arrays in more than one kind of memory.
  static std::optional<CallPattern> of(const Signature &signature,
                                       const tritium_argument *arguments, size_t count,
                                       const tritium_option *options, size_t optionCount,
                                       llvm::ArrayRef<ArgumentClass> classes,
                                       llvm::ArrayRef<const tritium_argument *> bound);

  /// Whether a call fits. `device` receives the number of the device that all of its arrays are
  /// on; -1: they are in host memory.
  bool fits(const tritium_argument *arguments, size_t count, const tritium_option *options,
            size_t optionCount, int &device) const;

  /// The argument that parameter `index` has in a call that fits.
  const tritium_argument &argument(const tritium_argument *arguments, size_t index) const {
    const Item &item = items[index];
    return item.whenAbsent ? *item.whenAbsent : arguments[index];
  }
  /// The tritium_memory of the calls' arrays.
  uint8_t memory() const { return arrays; }
  bool isOnDevice() const { return arrays != TRITIUM_HOST_MEMORY; }

private:
  /// What one argument must be: its kind and type, and its bits within a class.
  struct Item {
    uint64_t head = 0; ///< kind, type and memory, as headOf() has them
    uint64_t mask = 0, masked = 0;
    bool unlike = false; ///< the bits under the mask differ from `masked`
    int64_t low = 0;
    uint64_t span = UINT64_MAX; ///< the bits are a number from low to low + span,
    bool outside = false;       ///< or outside of that range,
    bool notOne = false;        ///< and not 1
    const tritium_argument *whenAbsent = nullptr;
    std::unique_ptr<Constant> constant; ///< of an argument that is a tritium_value
  };
  struct Option {
    std::string name;
    uint64_t value;
  };
  bool fits(const tritium_argument &argument, const Item &item) const;
  static bool describe(const Parameter &parameter, const tritium_argument &argument,
                       const ArgumentClass &known, Item &item);

  uint64_t headMask = 0; ///< the bytes of a head that are compared
  std::vector<Item> items;
  std::vector<Option> options;
  uint8_t arrays = TRITIUM_HOST_MEMORY;
};

} // namespace tritium::runtime

#endif // TRITIUM_RUNTIME_CALLPATTERN_H
