//===- Table.cpp - all opcodes --------------------------------------------===//

#include "Decoder.h"

#include <string>
#include <unordered_map>

using namespace tritium::sim;

const OpcodeEntry *tritium::sim::findOpcode(std::string_view name) {
  static const std::unordered_map<std::string_view, const OpcodeEntry *> table = [] {
    std::unordered_map<std::string_view, const OpcodeEntry *> made;
    for (const Family *family :
         {&integerFamily, &logicFamily, &floatFamily, &halfFamily, &compareFamily, &convertFamily,
          &moveFamily, &controlFamily, &memoryFamily, &atomicFamily, &exchangeFamily,
          &barrierFamily, &asyncFamily, &matrixFamily, &mbarrierFamily, &tensorMapFamily,
          &clusterFamily, &registerPoolFamily, &warpGroupFamily})
      for (const OpcodeEntry &entry : *family)
        made.emplace(entry.name, &entry);
    return made;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}
