#include "base/text/byte_units.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace cupola {
namespace {

TEST(ByteUnits, AreThoseThatPeopleRead) {
  EXPECT_EQ(in_byte_units(0), "0 B");
  EXPECT_EQ(in_byte_units(1023), "1023 B");
  EXPECT_EQ(in_byte_units(1536), "1.5 KiB");
  EXPECT_EQ(in_byte_units((std::size_t{1} << 20) - 1), "1.0 MiB");
  EXPECT_EQ(in_byte_units(std::size_t{60} << 20), "60.0 MiB");
  EXPECT_EQ(in_byte_units(std::size_t{42} << 30), "42.0 GiB");
  EXPECT_EQ(in_byte_units(SIZE_MAX), "16.0 EiB");
}

}  // namespace
}  // namespace cupola
