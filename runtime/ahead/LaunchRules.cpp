//===- LaunchRules.cpp - what a launch of compiled code must hold ---------===//

#include "LaunchRules.h"

using namespace tritium;
using namespace tritium::runtime;

GridLimits tritium::runtime::gridLimits(const KernelMetadata &metadata) {
  constexpr uint32_t most = 0x7fffffff;
  if (metadata.target.isGPU())
    return {{most / std::max(1u, metadata.numCtas), 65535, 65535}};
  return {{most, most, most}};
}

/// The number as a formula: "min(n - (program_id(0) / 4), 8)".
static std::string formula(std::span<const ScalarStep> steps, const KernelMetadata &metadata) {
  std::vector<std::pair<std::string, bool>> stack; // text, is in one piece
  auto pop = [&](bool inOnePiece) {
    if (stack.empty())
      return std::string("?");
    auto [text, isPiece] = stack.back();
    stack.pop_back();
    return isPiece || !inOnePiece ? text : "(" + text + ")";
  };
  auto binary = [&](const char *sign) {
    std::string right = pop(true), left = pop(true);
    stack.push_back({left + sign + right, false});
  };
  auto call = [&](const std::string &name, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      std::string argument = pop(false);
      bool isUsualStep = count == 3 && i == 0 && argument == "1";
      if (!isUsualStep)
        text = argument + (text.empty() ? "" : ", ") + text;
    }
    stack.push_back({name + "(" + text + ")", true});
  };
  for (const ScalarStep &step : steps)
    switch (step.kind) {
    case ScalarStep::Constant:
      stack.push_back({std::to_string(step.value), step.value >= 0});
      break;
    case ScalarStep::Argument:
      stack.push_back({size_t(step.value) < metadata.parameters.size()
                           ? metadata.parameters[size_t(step.value)].name
                           : "?",
                       true});
      break;
    case ScalarStep::ProgramId:
      stack.push_back({"program_id(" + std::to_string(step.value) + ")", true});
      break;
    case ScalarStep::NumPrograms:
      stack.push_back({"num_programs(" + std::to_string(step.value) + ")", true});
      break;
    case ScalarStep::Sum:
      binary(" + ");
      break;
    case ScalarStep::Difference:
      binary(" - ");
      break;
    case ScalarStep::Product:
      binary(" * ");
      break;
    case ScalarStep::Quotient:
      binary(" / ");
      break;
    case ScalarStep::Remainder:
      binary(" % ");
      break;
    case ScalarStep::Minimum:
      call("min", 2);
      break;
    case ScalarStep::Maximum:
      call("max", 2);
      break;
    case ScalarStep::LoopIndex:
      call("range", 3);
      break;
    default:
      stack.push_back({"?", true});
    }
  return pop(false);
}

/// The larger of a number and 1, which is at least 1 where no step wraps.
static bool isRaisedToOne(std::span<const ScalarStep> steps) {
  return steps.size() > 2 && steps.back().kind == ScalarStep::Maximum &&
         steps[steps.size() - 2].kind == ScalarStep::Constant && steps[steps.size() - 2].value == 1;
}

/// 1 - number % divisor is at least 1 just where the divisor divides it; 0: this is none such.
static int64_t divisorIn(std::span<const ScalarStep> steps) {
  if (steps.size() < 7)
    return 0;
  std::span<const ScalarStep> last = steps.last(6);
  bool isOne = last[1].kind == ScalarStep::Remainder && last[2].value == -1 &&
               last[3].kind == ScalarStep::Product && last[4].value == 1 &&
               last[5].kind == ScalarStep::Sum;
  bool hasConstants = true;
  for (size_t at : {0, 2, 4})
    hasConstants &= last[at].kind == ScalarStep::Constant;
  return isOne && hasConstants ? last[0].value : 0;
}

std::vector<LaunchRule> tritium::runtime::launchRules(const KernelMetadata &metadata,
                                                      bool mayAlias) {
  std::vector<LaunchRule> rules;
  auto add = [&](LaunchRule::Kind kind, std::string text) -> LaunchRule & {
    LaunchRule &rule = rules.emplace_back();
    rule.kind = kind;
    rule.text = std::move(text);
    return rule;
  };
  GridLimits limits = gridLimits(metadata);
  add(LaunchRule::GridIsNotEmpty, "each dimension of the grid is at least 1");
  std::string most = "the grid is at most (" + std::to_string(limits.dimension[0]) + ", " +
                     std::to_string(limits.dimension[1]) + ", " +
                     std::to_string(limits.dimension[2]) + ")";
  add(LaunchRule::GridIsInLimits,
      metadata.target.isGPU() ? most : most + " and has less than 2^62 programs");
  const std::vector<ParameterInfo> &parameters = metadata.parameters;
  for (size_t i = 0; i < parameters.size(); ++i)
    if (int64_t divisor = parameters[i].divisibility; divisor > 1) {
      LaunchRule &rule =
          add(LaunchRule::IsMultiple, std::to_string(divisor) + " divides " +
                                          (parameters[i].type.isPointer() ? "the address " : "") +
                                          parameters[i].name);
      rule.parameter = i;
      rule.divisor = divisor;
    }
  for (const LaunchCondition &condition : metadata.conditions) {
    std::span<const ScalarStep> steps = condition;
    if (int64_t divisor = divisorIn(steps)) {
      std::string number = formula(steps.first(steps.size() - 6), metadata);
      add(LaunchRule::IsAtLeastOne, std::to_string(divisor) + " divides " + number).condition =
          &condition;
      continue;
    }
    bool isRaised = isRaisedToOne(steps);
    std::string number = formula(isRaised ? steps.first(steps.size() - 2) : steps, metadata);
    add(isRaised ? LaunchRule::DoesNotWrap : LaunchRule::IsAtLeastOne,
        number + (isRaised ? " does not wrap in any program" : " is at least 1 in every program"))
        .condition = &condition;
  }
  for (size_t i = 0; i < parameters.size() && !mayAlias; ++i)
    for (size_t j = i + 1; j < parameters.size(); ++j)
      if (parameters[i].type.isPointer() && parameters[j].type.isPointer() &&
          (parameters[i].isWritten || parameters[j].isWritten)) {
        LaunchRule &rule =
            add(LaunchRule::DoNotOverlap, "the memory of " + parameters[i].name + " and of " +
                                              parameters[j].name + " does not overlap");
        rule.parameter = i;
        rule.other = j;
      }
  return rules;
}
