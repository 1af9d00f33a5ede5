#pragma once
// All entries of a cache's folder at one moment. Other processes may add and remove some meanwhile.

#include <cstdint>
#include <string>
#include <vector>

namespace cupola {

class FolderSweep {
 public:
  // `folder` is open and stays so. Only files that are named like entries are looked at, and those
  // that somebody left unfinished.
  explicit FolderSweep(int folder);

  std::uint64_t entries() const { return files_.size(); }
  std::uint64_t bytes() const { return bytes_; }

  // Removes those that were not used for the longest time, so many that there is room again, if
  // all together are larger than `most` bytes; and what is unfinished for an hour.
  void keep_newest(std::uint64_t most);
  void remove_all();

 private:
  struct File {
    std::int64_t time;  // of last use, ns
    std::uint64_t bytes;
    std::string name;
  };
  void add(const char* name);
  void remove_unfinished(std::int64_t before);

  const int folder_;
  std::vector<File> files_;
  std::vector<File> unfinished_;
  std::uint64_t bytes_ = 0;
};

}  // namespace cupola
