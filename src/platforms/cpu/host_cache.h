#pragma once
// Shared objects in the user's cache folder, which outlive the process.

#include <filesystem>
#include <string>

namespace cupola::cpu {

// The place of one object, by everything that decides what is in it.
class HostCache {
 public:
  explicit HostCache(const std::string& key);
  // Closed to others; the system's temporary folder where the user has none such.
  const std::filesystem::path& folder() const { return folder_; }
  // The object, if it is there and whole; else nothing.
  std::filesystem::path find() const;
  // Moves the object there, in one step, and returns its path; where that cannot be, the path of
  // the object itself, which must then not be used any more once it is open.
  std::filesystem::path keep(const std::filesystem::path& object) const;

 private:
  std::filesystem::path folder_;
  std::string name_;
  bool is_kept_;
};

}  // namespace cupola::cpu
