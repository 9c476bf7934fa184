//===- TuningRecordTest.cpp - measured times on disk ----------------------===//

#include "TuningRecord.h"
#include "Files.h"
#include "Samples.h"

#include "gtest/gtest.h"

#include <cmath>
#include <filesystem>
#include <limits>

using namespace tritium::runtime;

namespace {

class TuningRecordTest : public testing::Test {
protected:
  static TuningRecord sample() {
    return {"add",
            "n=3",
            {{"BLOCK: 16", {{0.1, 1e-7, 1.0 / 3}, ""}},
             {"BLOCK: 32", {{}, "add.py:3: \"too\" small\n"}},
             {"BLOCK: 99", {{}, "registers", true}}}};
  }

  samples::TemporaryFolder holder;
  std::string folder = holder.path();
};

TEST_F(TuningRecordTest, ComesBackAsItWas) {
  TuningRecords records(folder, "name");
  EXPECT_FALSE(records.exist());
  EXPECT_FALSE(records.find("scope"));
  EXPECT_TRUE(records.store("scope", sample()));
  EXPECT_TRUE(records.exist());
  EXPECT_EQ(records.find("scope"), sample());
  EXPECT_FALSE(records.find("other"));
  EXPECT_FALSE(TuningRecords(folder, "other").exist());
}

TEST_F(TuningRecordTest, AddsToWhatIsThere) {
  TuningRecords records(folder, "name");
  ASSERT_TRUE(records.store("scope", sample()));
  TuningRecord more{"add", "n=3", {{"BLOCK: 16", {{9, 9, 9}, ""}}, {"BLOCK: 64", {{2, 2, 2}, ""}}}};
  ASSERT_TRUE(records.store("scope", more));
  TuningRecord all = sample();
  all.timings["BLOCK: 16"] = more.timings["BLOCK: 16"];
  all.timings["BLOCK: 64"] = more.timings["BLOCK: 64"];
  EXPECT_EQ(records.find("scope"), all);
}

TEST_F(TuningRecordTest, DamageIsNoRecord) {
  TuningRecords records(folder, "name");
  ASSERT_TRUE(records.store("scope", sample()));
  std::string path = records.path("scope"), good = readFile(path);
  for (size_t size = 0; size + 2 < good.size(); ++size) {
    ASSERT_TRUE(writeFile(path, {std::string_view(good).substr(0, size)}));
    EXPECT_FALSE(records.find("scope")) << size;
  }
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = bad[at] == '7' ? '8' : '7';
    ASSERT_TRUE(writeFile(path, {bad}));
    // Between the tokens a change is none, or breaks the form.
    auto found = records.find("scope");
    EXPECT_TRUE(!found || *found == sample()) << at;
  }
  ASSERT_TRUE(writeFile(path, {"[]"}));
  EXPECT_TRUE(records.store("scope", sample()));
  EXPECT_EQ(records.find("scope"), sample());
}

TEST_F(TuningRecordTest, TimesThatNoClockGives) {
  TuningRecords records(folder, "name");
  for (double time : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    TuningRecord record = sample();
    record.timings["BLOCK: 16"].times[1] = time;
    records.store("scope", record);
    EXPECT_FALSE(records.find("scope")) << time;
    std::filesystem::remove(records.path("scope"));
  }
}

TEST_F(TuningRecordTest, UnusablePlaces) {
  for (const std::string &place : {std::string(), std::string("/proc/no"), folder + "/file"}) {
    if (place == folder + "/file")
      ASSERT_TRUE(writeFile(place, {"x"}));
    TuningRecords records(place, "name");
    EXPECT_FALSE(records.store("scope", sample())) << place;
    EXPECT_FALSE(records.exist());
    EXPECT_FALSE(records.find("scope"));
    EXPECT_EQ(TuningRecords::clear(place), 0u);
  }
}

TEST_F(TuningRecordTest, Clear) {
  TuningRecord other = sample();
  other.kernel = "other";
  ASSERT_TRUE(TuningRecords(folder, "a").store("1", sample()));
  ASSERT_TRUE(TuningRecords(folder, "a").store("2", sample()));
  ASSERT_TRUE(TuningRecords(folder, "b").store("1", other));
  EXPECT_EQ(TuningRecords::clear(folder, "none"), 0u);
  EXPECT_EQ(TuningRecords::clear(folder, "other"), 1u);
  EXPECT_FALSE(TuningRecords(folder, "b").exist());
  EXPECT_EQ(TuningRecords::clear(folder), 2u);
}

} // namespace
