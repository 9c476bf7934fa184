//===- DefinitionsTest.cpp - `-D` definitions and their lists -------------===//

#include "Definitions.h"

#include "gtest/gtest.h"

using namespace tritium::runtime;
using List = std::vector<std::string>;

namespace {

// 14.3: values with commas, colons and blanks are text; brackets around all make a list.
TEST(DefinitionsTest, Lists) {
  EXPECT_EQ(listValues("[64, 128]"), (List{"64", "128"}));
  EXPECT_EQ(listValues("  [ 64,128 ]\t"), (List{"64", "128"}));
  EXPECT_EQ(listValues("[half]"), (List{"half"}));
  EXPECT_EQ(listValues("[1, 2,]"), (List{"1", "2"}));
  EXPECT_EQ(listValues("[]"), List{});
  EXPECT_EQ(listValues("[f(a, b), {c, d}, [e, f]]"), (List{"f(a, b)", "{c, d}", "[e, f]"}));
  EXPECT_EQ(listValues("[',', \"]\\\",\"]"), (List{"','", "\"]\\\",\""}));
  for (const char *text : {"", "1", "TM, TK", "newaxis, :", "^a", "[1] + [2]", "[1", "1]", "[(]",
                           "a[1, 2]", "[", "]", "['a]"})
    EXPECT_FALSE(listValues(text)) << text;
}

TEST(DefinitionsTest, Integers) {
  EXPECT_EQ(integerValue("64"), 64);
  EXPECT_EQ(integerValue(" -7 "), -7);
  EXPECT_EQ(integerValue("+0x1Fu"), 31);
  EXPECT_EQ(integerValue("010"), 8);
  EXPECT_EQ(integerValue("0"), 0);
  EXPECT_EQ(integerValue("12ULL"), 12);
  EXPECT_EQ(integerValue("9223372036854775807"), INT64_MAX);
  for (const char *text :
       {"", "-", "half", "1.5", "TM", "1 2", "09", "0x", "9223372036854775808", "1uuuu", "4*2"})
    EXPECT_FALSE(integerValue(text)) << text;
}

// 14.11: every combination of the lists, the last one changing fastest.
TEST(DefinitionsTest, Combinations) {
  ChoiceSpace space;
  space.defines = {{"TYPE", {"half"}}, {"TM", {"16", "32"}}, {"TN", {"1", "2"}}};
  space.numWarps = {2, 4};
  std::string error;
  auto choices = enumerate(space, error);
  ASSERT_TRUE(choices);
  ASSERT_EQ(choices->size(), 8u);
  EXPECT_EQ((*choices)[0].label, "TM=16, TN=1, num_warps=2");
  EXPECT_EQ((*choices)[1].label, "TM=16, TN=1, num_warps=4");
  EXPECT_EQ((*choices)[2].label, "TM=16, TN=2, num_warps=2");
  EXPECT_EQ((*choices)[7].label, "TM=32, TN=2, num_warps=4");
  EXPECT_EQ(*(*choices)[4].find("TM"), "32");
  EXPECT_EQ(*(*choices)[4].find("TYPE"), "half");
  EXPECT_EQ(*(*choices)[4].find("num_warps"), "2");
  EXPECT_EQ((*choices)[4].find("TK"), nullptr);
}

TEST(DefinitionsTest, Configs) {
  ChoiceSpace space;
  space.defines = {{"TM", {"16"}}, {"TN", {"8"}}};
  space.configs = {{{{"TM", {"32"}}}, 8}, {{{"TK", {"1", "2"}}}, std::nullopt}};
  space.numWarps = {4};
  std::string error;
  auto choices = enumerate(space, error);
  ASSERT_TRUE(choices);
  ASSERT_EQ(choices->size(), 3u);
  EXPECT_EQ((*choices)[0].label, "TM=32, num_warps=8");
  EXPECT_EQ((*choices)[2].label, "TM=16, TK=2, num_warps=4");
}

TEST(DefinitionsTest, OneChoiceHasNoLabel) {
  ChoiceSpace space;
  space.defines = {{"TM", {"16"}}};
  std::string error;
  auto choices = enumerate(space, error);
  ASSERT_TRUE(choices);
  ASSERT_EQ(choices->size(), 1u);
  EXPECT_EQ(choices->front().label, "");
  EXPECT_EQ(choices->front().find("num_warps"), nullptr);
}

TEST(DefinitionsTest, Errors) {
  ChoiceSpace space;
  space.defines = {{"TM", {}}};
  std::string error;
  EXPECT_FALSE(enumerate(space, error));
  EXPECT_EQ(error, "the list of 'TM' is empty");
  List many(70, "1");
  space.defines = {{"A", many}, {"B", many}};
  EXPECT_FALSE(enumerate(space, error));
  EXPECT_EQ(error, "the lists make more than 4096 configurations");
}

TEST(DefinitionsTest, Names) {
  auto names = identifiersIn("#if TM // NOT this\n/* nor\nTHIS */ x_1 = 0x1F...TN; $a /");
  EXPECT_EQ(names, (std::set<std::string>{"if", "TM", "x_1", "TN", "$a"}));
  EXPECT_EQ(nearestName("TTM", names), "TM");
  EXPECT_EQ(nearestName("BLOCK", names), "");
}

} // namespace
