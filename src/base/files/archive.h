#pragma once
// Many small entries in one compressed file, which is written once and read by key.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/containers/hash.h"

namespace cupola {

struct ArchiveEntry {
  Hash128 key;
  std::string bytes;
};

// The content of the file. Entries that follow each other are compressed together: those that are
// alike belong side by side. Of entries with one key the first counts.
std::string make_archive(std::span<const ArchiveEntry> entries);

// The file, of which only the index is kept in memory. All threads may use it.
class Archive {
 public:
  // Nothing where there is no such file, or it is not an archive.
  static std::optional<Archive> open(const std::string& path);

  // Nothing also where the file was changed meanwhile or cannot be read.
  std::optional<std::string> find(const Hash128& key) const;
  std::size_t size() const { return entries_.size(); }

 private:
  // As they lie in the file, one after the other behind the header.
  struct Entry {
    Hash128 key;
    std::uint32_t block = 0;
    std::uint32_t offset = 0;  // in the block
    std::uint64_t bytes = 0;
  };
  struct Block {
    std::uint64_t offset = 0;      // in the file
    std::uint32_t compressed = 0;  // bytes
    std::uint32_t bytes = 0;
  };
  friend std::string make_archive(std::span<const ArchiveEntry>);
  Archive() = default;
  bool read_index(int file);
  std::optional<std::string> read_block(const Block& block) const;

  std::string path_;
  std::vector<Entry> entries_;  // by key
  std::vector<Block> blocks_;
};

}  // namespace cupola
