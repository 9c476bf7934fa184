//===- ArgumentSpecTest.cpp - how a parameter is specialised --------------===//

#include "tritium/Kernel/ArgumentSpec.h"

#include "gtest/gtest.h"

using namespace tritium;

// Constants take no place among the arguments of compiled code; the parts of an aggregate take its
// place in their order.
TEST(ArgumentSpec, RunTimeArguments) {
  ArgumentSpec constant, number, pair;
  constant.isConstexpr = true;
  number.type = *DType::parse("i32");
  pair.parts = {number, constant, number};
  std::vector<ArgumentSpec> all = {number, constant, pair, number};
  std::vector<const ArgumentSpec *> expected = {&all[0], &all[2].parts[0], &all[2].parts[2],
                                                &all[3]};
  EXPECT_EQ(runTimeArguments(all), expected);
}
