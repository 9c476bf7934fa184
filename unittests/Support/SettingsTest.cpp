//===- SettingsTest.cpp - the table of environment variables --------------===//

#include "tritium/Support/Settings.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <set>

using namespace tritium;

namespace {

/// The environment without any of the variables, put back at the end.
class Settings : public testing::Test {
protected:
  void SetUp() override {
    for (const Setting *setting : settings::all()) {
      if (const char *value = std::getenv(setting->variable))
        before.emplace_back(setting, value);
      unsetenv(setting->variable);
    }
  }
  void TearDown() override {
    for (const Setting *setting : settings::all())
      unsetenv(setting->variable);
    for (const auto &[setting, value] : before)
      setting->set(value);
  }

  std::vector<std::pair<const Setting *, std::string>> before;
};

} // namespace

TEST_F(Settings, TheTableIsWellFormed) {
  std::set<std::string> variables, knobs;
  for (const Setting *setting : settings::all()) {
    EXPECT_TRUE(variables.insert(setting->variable).second) << setting->variable;
    EXPECT_TRUE(!*setting->knob || knobs.insert(setting->knob).second) << setting->knob;
    EXPECT_TRUE(*setting->doc) << setting->variable;
    bool isFlag = setting->type == Setting::Flag || setting->type == Setting::Chosen;
    std::string usual = setting->usual;
    EXPECT_TRUE(!isFlag || usual == "0" || usual == "1") << setting->variable;
    EXPECT_TRUE(setting->type != Setting::Integer || usual.empty() || setting->integer());
    EXPECT_TRUE(setting->type != Setting::Number || setting->number()) << setting->variable;
  }
}

// What changes code is in the keys of caches under its own name and value.
TEST_F(Settings, WhatChangesCodeIsDescribed) {
  EXPECT_EQ(settings::describe(Setting::Code), "");
  for (const Setting *setting : settings::all()) {
    setting->set("x");
    for (Setting::Effect effect : {Setting::Run, Setting::Kernel, Setting::Code})
      EXPECT_EQ(settings::describe(effect), effect == setting->effect
                                                ? setting->variable + std::string("=x") + '\0'
                                                : std::string())
          << setting->variable;
    unsetenv(setting->variable);
  }
}

TEST_F(Settings, Flags) {
  EXPECT_FALSE(settings::Debug.isOn());
  EXPECT_TRUE(settings::DefaultFPFusion.isOn());
  for (const char *word : {"1", "true", "ON", "Yes", "y"}) {
    settings::Debug.set(word);
    EXPECT_TRUE(settings::Debug.isOn()) << word;
  }
  for (const char *word : {"0", "False", "off", "no", "N"}) {
    settings::DefaultFPFusion.set(word);
    EXPECT_FALSE(settings::DefaultFPFusion.isOn()) << word;
  }
  // Other words leave it as it is usually.
  settings::Debug.set("perhaps");
  settings::DefaultFPFusion.set("perhaps");
  EXPECT_FALSE(settings::Debug.isOn());
  EXPECT_TRUE(settings::DefaultFPFusion.isOn());
}

TEST_F(Settings, OfOneKernel) {
  EXPECT_FALSE(settings::MLIRDump.isOnFor(""));
  settings::MLIRDump.set("softmax");
  EXPECT_TRUE(settings::MLIRDump.isOnFor("softmax"));
  EXPECT_FALSE(settings::MLIRDump.isOnFor("add"));
  settings::MLIRDump.set("1");
  EXPECT_TRUE(settings::MLIRDump.isOnFor("add"));
}

TEST_F(Settings, Numbers) {
  EXPECT_FALSE(settings::NumThreads.integer());
  EXPECT_EQ(settings::WaitSeconds.number(), 10);
  settings::NumThreads.set("12");
  settings::WaitSeconds.set("0.5");
  EXPECT_EQ(settings::NumThreads.integer(), 12u);
  EXPECT_EQ(settings::WaitSeconds.number(), 0.5);
  for (const char *text : {"", "x", "3x", "-1", " 4"}) {
    settings::NumThreads.set(text);
    settings::WaitSeconds.set(text);
    EXPECT_FALSE(settings::NumThreads.integer()) << text;
    EXPECT_EQ(settings::WaitSeconds.number(), 10) << text;
  }
}

TEST_F(Settings, Directories) {
  settings::Home.set("/somewhere");
  EXPECT_EQ(settings::directory(settings::DumpDirectory), "/somewhere/.tritium/dump");
  settings::DumpDirectory.set("/elsewhere");
  EXPECT_EQ(settings::directory(settings::DumpDirectory), "/elsewhere");
}
