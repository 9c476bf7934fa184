//===- DependenciesTest.cpp -----------------------------------------------===//

#include "Samples.h"

#include "gtest/gtest.h"

using namespace tritium;
using namespace tritium::runtime;
using frontend::External;
using frontend::FunctionSource;
using samples::Constants;
using samples::integer;

namespace {

/// A kernel whose scope has a constant, a helper with a constant of its own, a module,
/// a host function; the helper knows itself.
struct World {
  std::shared_ptr<Constants> kernelNames = std::make_shared<Constants>();
  std::shared_ptr<Constants> helperNames = std::make_shared<Constants>();
  std::shared_ptr<Constants> moduleNames = std::make_shared<Constants>();
  FunctionSource kernel;
  int factor = 2;

  explicit World(const std::string &helperText = "def helper(): pass") {
    kernel.name = "kernel";
    kernel.text = "def kernel(): pass";
    kernel.scope = kernelNames;
    auto helper = std::make_shared<FunctionSource>();
    helper->name = "helper";
    helper->text = helperText;
    helper->scope = helperNames;
    kernelNames->names["SIZE"] = integer(4);
    kernelNames->names["helper"] = {helper};
    kernelNames->names["config"] = {External::Module{"", moduleNames}};
    kernelNames->names["tl"] = {External::Module{"triton.language", nullptr}};
    kernelNames->names["times"] = {External::HostFunction{
        "times", [this](const std::vector<Constant> &arguments,
                        const std::vector<std::string> &keywords, std::string &) {
          EXPECT_EQ(keywords, std::vector<std::string>{"by"});
          auto value = std::get<Constant::Int>(arguments[0].value);
          return std::optional<Constant>({value * factor});
        }}};
    helperNames->names["DEPTH"] = integer(1);
    helperNames->names["helper"] = {helper};
    moduleNames->names["WIDTH"] = integer(8);
  }
  ~World() { helperNames->names.clear(); } // it holds itself
};

/// Asks what a compilation would, and returns what was recorded.
std::vector<Dependency> compile(World &world) {
  Recorder recorder;
  FunctionSource source = recorder.record(world.kernel);
  source.scope->lookup("SIZE");
  source.scope->lookup("SIZE");
  source.scope->lookup("missing");
  source.scope->lookup("tl");
  auto helper = std::get<std::shared_ptr<FunctionSource>>(source.scope->lookup("helper")->value);
  helper->scope->lookup("DEPTH");
  // A function is one function, however it is reached: recursion must be seen.
  auto again = std::get<std::shared_ptr<FunctionSource>>(helper->scope->lookup("helper")->value);
  EXPECT_EQ(helper, again);
  auto module = std::get<External::Module>(source.scope->lookup("config")->value);
  module.scope->lookup("WIDTH");
  auto times = std::get<External::HostFunction>(source.scope->lookup("times")->value);
  std::string error;
  EXPECT_EQ(times.call({Constant{Constant::Int(21)}}, {"by"}, error), Constant{Constant::Int(42)});
  return recorder.dependencies();
}

TEST(Dependencies, HoldWhileNothingChanges) {
  World world;
  auto dependencies = compile(world);
  EXPECT_TRUE(dependenciesHold(world.kernel, dependencies));
  World same;
  EXPECT_TRUE(dependenciesHold(same.kernel, dependencies));
}

TEST(Dependencies, AskEachNameOnce) {
  World world;
  compile(world);
  EXPECT_EQ(world.kernelNames->lookups, 6);
}

TEST(Dependencies, NoticeEveryChange) {
  World world;
  auto dependencies = compile(world);
  auto holds = [&](auto change, std::string text = "def helper(): pass") {
    World other(text);
    change(other);
    return dependenciesHold(other.kernel, dependencies);
  };
  auto nothing = [](World &) {};
  EXPECT_TRUE(holds(nothing));
  EXPECT_FALSE(holds(nothing, "def helper(): return 1"));
  EXPECT_FALSE(holds([](World &w) { w.kernelNames->names["SIZE"] = integer(5); }));
  EXPECT_FALSE(holds([](World &w) { w.kernelNames->names.erase("SIZE"); }));
  EXPECT_FALSE(holds([](World &w) { w.kernelNames->names["missing"] = integer(0); }));
  EXPECT_FALSE(holds([](World &w) { w.helperNames->names["DEPTH"] = integer(2); }));
  EXPECT_FALSE(holds([](World &w) { w.moduleNames->names["WIDTH"] = integer(9); }));
  EXPECT_FALSE(holds([](World &w) { w.factor = 3; }));
  // A constant of another type is another constant.
  EXPECT_FALSE(holds([](World &w) { w.kernelNames->names["SIZE"] = {Constant{4.0}}; }));
}

TEST(Dependencies, SurviveSerialization) {
  World world;
  auto dependencies = compile(world);
  Writer writer;
  write(writer, dependencies);
  Reader reader(writer.bytes);
  auto copy = readDependencies(reader);
  ASSERT_FALSE(reader.failed());
  EXPECT_EQ(copy.size(), dependencies.size());
  EXPECT_TRUE(dependenciesHold(world.kernel, copy));
  world.factor = 5;
  EXPECT_FALSE(dependenciesHold(world.kernel, copy));
}

} // namespace
