//===- MemoryNodesTest.cpp ------------------------------------------------===//

#include "MemoryNodes.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

using namespace tritium::runtime;

namespace {

class MemoryNodes : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) / "memory-nodes";
    std::filesystem::remove_all(folder);
    sched_getaffinity(0, sizeof(allowed), &allowed);
    while (!CPU_ISSET(first, &allowed))
      ++first;
  }
  void addNode(int number, const std::string &cpus) {
    std::filesystem::path node = folder / ("node" + std::to_string(number));
    std::filesystem::create_directories(node);
    online += (online.empty() ? "" : ",") + std::to_string(number);
    std::ofstream(folder / "online") << online << "\n";
    std::ofstream(node / "cpulist") << cpus << "\n";
  }
  std::filesystem::path folder;
  std::string online;
  cpu_set_t allowed;
  int first = 0; ///< CPU that this thread may run on
};

TEST_F(MemoryNodes, HaveTheCpusThatMayBeUsed) {
  addNode(0, "0-" + std::to_string(CPU_SETSIZE - 1));
  addNode(1, "");
  addNode(7, "100000," + std::to_string(first));
  std::vector<cpu_set_t> nodes = memoryNodes(folder);
  ASSERT_EQ(nodes.size(), 2u); // the second has none
  EXPECT_TRUE(CPU_EQUAL(&nodes[0], &allowed));
  EXPECT_EQ(CPU_COUNT(&nodes[1]), 1);
  EXPECT_TRUE(CPU_ISSET(first, &nodes[1]));
}

TEST_F(MemoryNodes, ListsThatAreNone) {
  addNode(0, "x-3,-,," + std::to_string(first) + "-");
  std::vector<cpu_set_t> nodes = memoryNodes(folder);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(CPU_COUNT(&nodes[0]), 1);
}

TEST_F(MemoryNodes, ASystemThatDoesNotTell) { EXPECT_TRUE(memoryNodes(folder).empty()); }

} // namespace
