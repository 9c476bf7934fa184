//===- Program.cpp - a loaded module --------------------------------------===//

#include "Program.h"
#include "Machine.h"

#include <algorithm>

using namespace tritium::sim;
using namespace tritium::sim::ptx;

Program::Program() : state(std::make_unique<State>()) {}
Program::~Program() = default;

std::shared_ptr<Program> Program::load(std::string ptx, std::vector<ptx::Error> &errors) {
  std::shared_ptr<Program> program(new Program);
  program->parsed = parse(std::move(ptx), errors);
  if (!program->parsed)
    return nullptr;
  State &state = *program->state;
  uint64_t address = variableBase, total = 0;
  for (const Variable &variable : program->parsed->variables) {
    bool lives = variable.space == Space::Global || variable.space == Space::Const;
    total += variable.size;
    if (lives && total > uint64_t(1) << 31) {
      errors.push_back({"the module's variables have more than 2 GiB", variable.at});
      return nullptr;
    }
    state.addresses.push_back(lives ? address : 0);
    std::vector<uint8_t> memory;
    if (lives) {
      memory = variable.initial;
      memory.resize(variable.size);
      // Far apart, so that no overrun of one lands in another.
      address += (variable.size / 4096 + 2) * 4096;
    }
    state.variables.push_back(std::move(memory));
  }
  for (size_t i = 0; i < state.variables.size(); ++i)
    for (const Relocation &relocation : program->parsed->variables[i].relocations) {
      uint64_t value =
          relocation.addend + (relocation.isFunction ? functionWindow + relocation.variable
                                                     : state.addresses[relocation.variable]);
      if (relocation.offset + relocation.bytes <= state.variables[i].size())
        std::memcpy(&state.variables[i][relocation.offset], &value,
                    std::min<size_t>(relocation.bytes, 8));
    }
  return program;
}

std::vector<std::string> Program::entries() const {
  std::vector<std::string> names;
  for (const Function &function : parsed->functions)
    if (function.isEntry && function.isDefined)
      names.emplace_back(function.name);
  return names;
}

Result Program::run(const Launch &launch) {
  Result result;
  Machine machine(*parsed, launch, result);
  std::unique_lock<std::mutex> lock(state->mutex, std::defer_lock);
  for (size_t i = 0; i < state->variables.size(); ++i) {
    if (state->variables[i].empty())
      continue;
    if (!lock.owns_lock())
      lock.lock();
    const Variable &variable = parsed->variables[i];
    for (const auto &[name, bytes] : launch.variables)
      if (name == variable.name)
        std::copy_n(bytes.begin(), std::min(bytes.size(), state->variables[i].size()),
                    state->variables[i].begin());
    Range range;
    range.address = state->addresses[i];
    range.bytes = state->variables[i].size();
    range.data = state->variables[i].data();
    range.writable = variable.space == Space::Global;
    range.name = "variable '" + std::string(variable.name) + "'";
    machine.memory.add(std::move(range));
  }
  machine.moduleAddresses = &state->addresses;
  machine.run();
  return result;
}
