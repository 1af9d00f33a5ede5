#include "platforms/cuda/device/visible_devices.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cupola::cuda {
namespace {

using Indices = std::vector<std::size_t>;

// Four GPUs as NVML lists them; the second is the fastest. Two UUIDs begin alike.
const std::vector<GpuName> kGpus{
    {"GPU-11111111-aaaa-0000-0000-000000000000", "00000000:1B:00.0", 100, -1},
    {"GPU-11112222-bbbb-0000-0000-000000000000", "00000000:43:00.0", 200, -1},
    {"GPU-33333333-cccc-0000-0000-000000000000", "00000000:52:00.0", 100, -1},
    {"GPU-44444444-dddd-0000-0000-000000000000", "00000001:01:00.0", 100, -1},
};
// A GPU in two parts beside a whole one.
const std::vector<GpuName> kParts{
    {"GPU-11111111-aaaa-0000-0000-000000000000", "00000000:1B:00.0", 100, -1},
    {"MIG-55555555-0000-0000-0000-000000000001", "00000000:1B:00.0", 50, 0},
    {"MIG-55555555-0000-0000-0000-000000000002", "00000000:1B:00.0", 50, 0},
    {"GPU-22222222-bbbb-0000-0000-000000000000", "00000000:43:00.0", 100, -1},
};

struct Row {
  const char* variable;
  Indices expected;
};

class VisibleDevices : public ::testing::TestWithParam<Row> {};

TEST_P(VisibleDevices, InTheOrderOfTheBus) {
  EXPECT_EQ(select_visible(kGpus, GetParam().variable, "PCI_BUS_ID"), GetParam().expected)
      << (GetParam().variable ? GetParam().variable : "not set");
}

INSTANTIATE_TEST_SUITE_P(
    Rows, VisibleDevices,
    ::testing::Values(
        // Not set, and set to nothing.
        Row{nullptr, {0, 1, 2, 3}}, Row{"", {}}, Row{" ", {}}, Row{",", {}},
        // Numbers, in any order.
        Row{"0", {0}}, Row{"3", {3}}, Row{"2,0", {2, 0}}, Row{"0,1,2,3", {0, 1, 2, 3}},
        Row{"03", {3}}, Row{"0000000000002", {2}},
        // Blanks, signs, and what follows the digits.
        Row{" 1 , 2 ", {1, 2}}, Row{"\t1", {1}}, Row{"+1", {1}}, Row{"1abc,2", {1, 2}},
        Row{"0x2", {0}}, Row{"1.9", {1}}, Row{"- 1", {}}, Row{"1 2", {1}},
        // The first that names nothing ends the list.
        Row{"-1", {}}, Row{"0,-1,2", {0}}, Row{"4", {}}, Row{"0,4,1", {0}}, Row{"1,,2", {1}},
        Row{"2,", {2}}, Row{",2", {}}, Row{"junk", {}}, Row{"0,junk,1", {0}}, Row{"none", {}},
        Row{"NoDevFiles", {}}, Row{"99999999999999999999", {}}, Row{"-99999999999999999999", {}},
        Row{"4294967298", {2}}, Row{"-4294967295", {1}},
        // Twice.
        Row{"0,0", {}}, Row{"1,0,1", {}}, Row{"1,01", {}}, Row{"0,junk,0", {0}}, Row{"0,4,0", {0}},
        // UUIDs and their beginnings.
        Row{"GPU-33333333-cccc-0000-0000-000000000000", {2}}, Row{"GPU-3", {2}},
        Row{"GPU-4,GPU-3", {3, 2}}, Row{"GPU-11111", {0}}, Row{"GPU-1111", {}}, Row{"GPU-", {}},
        Row{"GPU-9,GPU-3", {}}, Row{"GPU-3,GPU-9,GPU-4", {2}}, Row{"GPU-3,GPU-3333", {}},
        Row{"gpu-3", {}}, Row{"GPU-3 ", {}}, Row{"GPU-3x", {}},
        Row{"GPU-33333333-cccc-0000-0000-000000000000 ", {2}},
        Row{"GPU-33333333-cccc-0000-0000-000000000000x,GPU-4", {2, 3}}, Row{"GPU-3,1", {2}},
        Row{"1,GPU-3", {1}}, Row{"MIG-3", {}}));

TEST(CudaOrder, FastestFirstUnlessTheBusIsAskedFor) {
  EXPECT_EQ(cuda_order(kGpus, "PCI_BUS_ID"), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(cuda_order(kGpus, "FASTEST_FIRST"), (Indices{1, 0, 2, 3}));
  EXPECT_EQ(cuda_order(kGpus, nullptr), (Indices{1, 0, 2, 3}));
  EXPECT_EQ(cuda_order(kGpus, "junk"), (Indices{1, 0, 2, 3}));
  EXPECT_EQ(select_visible(kGpus, "0,2", nullptr), (Indices{1, 2}));
  EXPECT_EQ(select_visible(kGpus, "GPU-3", nullptr), (Indices{2}));
}

TEST(CudaOrder, OfTheBusWhateverTheList) {
  std::vector<GpuName> reversed(kGpus.rbegin(), kGpus.rend());
  EXPECT_EQ(cuda_order(reversed, "PCI_BUS_ID"), (Indices{3, 2, 1, 0}));
}

TEST(VisibleParts, AreNamedByUuidOnly) {
  EXPECT_EQ(select_visible(kParts, nullptr, "PCI_BUS_ID"), (Indices{0, 3}));
  EXPECT_EQ(select_visible(kParts, "1", "PCI_BUS_ID"), (Indices{3}));
  EXPECT_EQ(select_visible(kParts, "MIG-55555555-0000-0000-0000-000000000002", nullptr),
            (Indices{2}));
  EXPECT_EQ(select_visible(kParts, "MIG-5", nullptr), Indices{});
}

TEST(VisibleDevices, HundredsOfThem) {
  std::vector<GpuName> many;
  std::string list;
  Indices expected;
  for (std::size_t i = 0; i < 300; ++i) {
    many.push_back({"GPU-" + std::to_string(1000 + i), std::to_string(10000 + i), 1, -1});
    list = std::to_string(i) + (list.empty() ? "" : ",") + list;
    expected.insert(expected.begin(), i);
  }
  EXPECT_EQ(select_visible(many, list.c_str(), nullptr), expected);
}

}  // namespace
}  // namespace cupola::cuda
