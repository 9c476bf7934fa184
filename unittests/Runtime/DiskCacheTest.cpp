//===- DiskCacheTest.cpp --------------------------------------------------===//

#include "DiskCache.h"
#include "Samples.h"

#include "gtest/gtest.h"

#include <fstream>
#include <thread>
#include <unistd.h>

using namespace tritium;
using namespace tritium::runtime;
using samples::Constants;
using samples::integer;
namespace fs = std::filesystem;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  samples::TemporaryFolder folder;
  DiskCache cache{folder.path()};
  std::shared_ptr<Constants> names = std::make_shared<Constants>();
  frontend::FunctionSource source;

  void SetUp() override {
    source.scope = names;
    names->names["SIZE"] = integer(4);
  }
  /// Stores a kernel that asked for SIZE.
  bool store(const std::string &key = "key") {
    Recorder recorder;
    recorder.record(source).scope->lookup("SIZE");
    return cache.store(key, samples::kernel(), recorder.dependencies());
  }
  fs::path onlyFile() { return cache.list().at(0).path; }
};

TEST_F(DiskCacheTest, FindsWhatWasStored) {
  EXPECT_FALSE(cache.find("key", source));
  ASSERT_TRUE(store());
  auto found = cache.find("key", source);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stages, samples::kernel().stages);
  EXPECT_FALSE(cache.find("other", source));
}

TEST_F(DiskCacheTest, ChecksWhatNamesMean) {
  store();
  names->names["SIZE"] = integer(5);
  EXPECT_FALSE(cache.find("key", source));
  store(); // a neighbour
  EXPECT_TRUE(cache.find("key", source));
  names->names["SIZE"] = integer(4);
  EXPECT_TRUE(cache.find("key", source));
  EXPECT_EQ(cache.list().size(), 2u);
}

TEST_F(DiskCacheTest, DamageIsAMiss) {
  store();
  fs::path file = onlyFile();
  std::string bytes(fs::file_size(file), 0);
  std::ifstream(file, std::ios::binary).read(bytes.data(), bytes.size());
  for (size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] ^= 0x40;
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_FALSE(cache.find("key", source)) << at;
  }
  for (size_t size : {size_t(0), size_t(10), bytes.size() - 1}) {
    std::ofstream(file, std::ios::binary) << bytes.substr(0, size);
    EXPECT_FALSE(cache.find("key", source)) << size;
  }
  EXPECT_FALSE(cache.list().at(0).intact);
  ASSERT_TRUE(store()); // replaces it
  EXPECT_TRUE(cache.find("key", source));
}

TEST_F(DiskCacheTest, PlacesThatCannotBeWrittenAreNoError) {
  EXPECT_FALSE(DiskCache("").store("key", samples::kernel(), {}));
  EXPECT_FALSE(DiskCache("/proc/none").store("key", samples::kernel(), {}));
  std::ofstream(folder.path() + "/file") << "x";
  DiskCache underFile(folder.path() + "/file");
  EXPECT_FALSE(underFile.store("key", samples::kernel(), {}));
  EXPECT_FALSE(underFile.find("key", source));
  EXPECT_EQ(underFile.list().size(), 0u);
  // A folder where the entry's file should be.
  fs::create_directories(folder.path() + "/key/a.kernel");
  EXPECT_FALSE(cache.find("key", source));
}

TEST_F(DiskCacheTest, NeighboursAreBounded) {
  for (int i = 0; i < 40; ++i) {
    names->names["SIZE"] = integer(i);
    ASSERT_TRUE(store());
  }
  EXPECT_LE(cache.list().size(), 16u);
  EXPECT_TRUE(cache.find("key", source)); // the last one
}

TEST_F(DiskCacheTest, ClearsByKernel) {
  store("a");
  store("b");
  EXPECT_EQ(cache.clear("nothing"), 0u);
  EXPECT_EQ(cache.clear("add"), 2u);
  EXPECT_EQ(cache.list().size(), 0u);
  store("a");
  EXPECT_EQ(cache.clear(), 1u);
}

TEST_F(DiskCacheTest, WritersAndReadersAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        auto kernel = samples::kernel();
        cache.store("key", kernel, {});
        auto found = cache.find("key", source);
        wrong += !found || found->stages != kernel.stages;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
