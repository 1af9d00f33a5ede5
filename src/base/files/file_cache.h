#pragma once
// Bytes by their key, in files of a folder that many processes share. An entry is whole, checked
// and the user's own, or it is not found. Nothing here throws or waits for another process: where
// the folder cannot be used there is nothing to find, and what is stored is lost.
//
// Threads: all members may be called from any thread, also in a forked child. No lock is taken.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/containers/hash.h"
#include "base/files/file_descriptor.h"

namespace cupola {

struct FileCacheSettings {
  std::string folder;                // absolute; empty: nothing is kept
  std::uint64_t most_bytes = 1;      // of all entries
  std::int64_t touch_seconds = 600;  // an entry's time of use is exact to this
};

class FileCache {
 public:
  struct Usage {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
  };

  explicit FileCache(FileCacheSettings settings) : settings_(std::move(settings)) {}

  std::optional<std::string> find(const Hash128& key) noexcept;
  // Replaces what is there. When all entries together are larger than `most_bytes`, those go that
  // were not used for the longest time; that is looked at so rarely that the folder may grow a few
  // percent beyond it.
  void store(const Hash128& key, std::string_view bytes) noexcept;

  const FileCacheSettings& settings() const { return settings_; }
  Usage usage() noexcept;
  // Removes all entries and what ended processes left unfinished; returns what there was.
  Usage clear() noexcept;
  // Why the folder is not used; empty where it is, or would be if it were there.
  std::string objection() noexcept;
  // Of this process.
  std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }

 private:
  // Warns of an objection, once.
  FileDescriptor open(bool make);
  std::optional<std::string> read(const Hash128& key);
  void write(const Hash128& key, std::string_view bytes);

  const FileCacheSettings settings_;
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
  std::atomic<bool> warned_{false};
};

}  // namespace cupola
