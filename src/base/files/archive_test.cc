#include "base/files/archive.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/temporary_folder.h"

namespace cupola {
namespace {

using testing::TemporaryFolder;
using testing::write_text;

Hash128 entry_key(int number) { return hash128(std::to_string(number)); }

// 500 entries of 0 to 5,000 bytes: many blocks.
std::vector<ArchiveEntry> some_entries() {
  std::vector<ArchiveEntry> entries;
  for (int i = 0; i < 500; ++i) {
    std::string bytes(static_cast<std::size_t>(i * 37 % 5000), static_cast<char>(i));
    for (std::size_t at = 0; at < bytes.size(); at += 7) bytes[at] = static_cast<char>(at * 31);
    entries.push_back({entry_key(i), std::move(bytes)});
  }
  return entries;
}

class ArchiveTest : public ::testing::Test {
 protected:
  std::optional<Archive> written(const std::string& content) const {
    write_text(path, content);
    return Archive::open(path);
  }
  const TemporaryFolder folder;
  const std::string path = folder.path() / "an archive";
};

TEST_F(ArchiveTest, HasWhatWasPutIn) {
  const std::vector<ArchiveEntry> entries = some_entries();
  const std::string content = make_archive(entries);
  const auto archive = written(content);
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->size(), entries.size());
  std::size_t bytes = 0;
  for (const ArchiveEntry& entry : entries) {
    EXPECT_EQ(archive->find(entry.key), entry.bytes);
    bytes += entry.bytes.size();
  }
  EXPECT_EQ(archive->find(entry_key(500)), std::nullopt);
  EXPECT_LT(content.size(), bytes / 2);
}

TEST_F(ArchiveTest, MayBeEmpty) {
  const auto archive = written(make_archive({}));
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->find(entry_key(0)), std::nullopt);
}

TEST_F(ArchiveTest, TheFirstOfOneKeyCounts) {
  const std::vector<ArchiveEntry> entries{{entry_key(1), "first"}, {entry_key(1), "second"}};
  const auto archive = written(make_archive(entries));
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->size(), 1u);
  EXPECT_EQ(archive->find(entry_key(1)), "first");
}

TEST_F(ArchiveTest, WhatIsNoArchiveIsNotOpened) {
  EXPECT_FALSE(Archive::open(path));
  EXPECT_FALSE(Archive::open(folder.path()));
  const std::string content = make_archive(some_entries());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{20}, std::size_t{47}, std::size_t{9000}}) {
    EXPECT_FALSE(written(content.substr(0, size))) << size;
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{17}, std::size_t{32},
                               std::size_t{48}, std::size_t{5000}}) {
    std::string damaged = content;
    damaged[at] ^= 1;
    EXPECT_FALSE(written(damaged)) << at;
  }
}

TEST_F(ArchiveTest, DamagedBlocksAreNotThere) {
  const std::vector<ArchiveEntry> entries = some_entries();
  std::string content = make_archive(entries);
  content[content.size() - 5] ^= 1;
  const auto archive = written(content);
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->find(entries.front().key), entries.front().bytes);
  EXPECT_EQ(archive->find(entries.back().key), std::nullopt);
  write_text(path, content.substr(0, content.size() / 2));
  EXPECT_EQ(archive->find(entries.back().key), std::nullopt);
}

}  // namespace
}  // namespace cupola
