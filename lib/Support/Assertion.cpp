//===- Assertion.cpp - what a failed assertion says -----------------------===//

#include "tritium/Support/Assertion.h"

#include <bit>
#include <cinttypes>
#include <cstdio>

using namespace tritium;

static std::string indexText(const std::vector<int64_t> &shape, int64_t element) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0; element /= shape[d])
    text = std::to_string(element % shape[d]) + (text.empty() ? "" : ", ") + text;
  return shape.size() > 1 ? "(" + text + ")" : text;
}

static std::string valueText(int kind, uint64_t value) {
  if (kind == AssertSite::Signed)
    return std::to_string(static_cast<int64_t>(value));
  if (kind == AssertSite::Unsigned)
    return std::to_string(value);
  char text[32];
  if (kind == AssertSite::Float)
    std::snprintf(text, sizeof text, "%g", std::bit_cast<double>(value));
  else
    std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

std::string tritium::failureText(const AssertSite &site, const FailedAssertion &failure) {
  const uint32_t *pid = failure.pid;
  std::string program = "program (" + std::to_string(pid[0]) + ", " + std::to_string(pid[1]) +
                        ", " + std::to_string(pid[2]) + ")";
  if (site.kind == AssertSite::NoValue)
    return "assertion failed in " + program + ": " + site.message;
  std::string place = site.shape.empty() ? "" : " " + indexText(site.shape, failure.element);
  return site.message + place + " of " + program + " is " + valueText(site.kind, failure.value);
}
