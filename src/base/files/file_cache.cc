#include "base/files/file_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/files/atomic_file.h"
#include "base/files/file_cache_entry.h"
#include "base/files/folder_sweep.h"
#include "base/files/private_folder.h"
#include "cupola/warnings.h"

namespace cupola {
namespace {

// The chance that a store looks at the size of all entries is its part of this part of the limit.
constexpr std::uint64_t kSweepsPerLimit = 64;

// Keys are as good as random, so that all processes together look often enough, and none has to
// know what the others store.
bool is_time_to_sweep(const Hash128& key, std::uint64_t bytes, std::uint64_t limit) {
  const std::uint64_t interval = std::max<std::uint64_t>(limit / kSweepsPerLimit, 1);
  return key.low % interval < bytes;
}

// Marks the entry as used now, unless it was marked lately. It does not matter if that fails.
void touch(int folder, const std::string& name, std::int64_t exactness) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (std::time(nullptr) - status.st_mtime < exactness) return;
  ::utimensat(folder, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

}  // namespace

FileDescriptor FileCache::open(bool make) {
  if (settings_.folder.empty()) return {};
  OpenedFolder opened = open_private_folder(settings_.folder, make);
  if (!opened.objection.empty() && !warned_.exchange(true)) {
    warn("compiled kernels are not kept on disk: " + opened.objection +
         ". Name another folder by CUPOLA_CACHE_DIR, or set CUPOLA_DISK_CACHE=0.");
  }
  return std::move(opened.folder);
}

std::optional<std::string> FileCache::read(const Hash128& key) {
  const FileDescriptor folder = open(false);
  if (!folder) return std::nullopt;
  const std::string name = to_string(key);
  auto file = read_own_file(folder.get(), name, settings_.most_bytes + kEntryHeaderBytes);
  if (!file) return std::nullopt;
  auto bytes = entry_bytes(key, std::move(*file));
  if (bytes) touch(folder.get(), name, settings_.touch_seconds);
  return bytes;
}

std::optional<std::string> FileCache::find(const Hash128& key) noexcept {
  if (settings_.folder.empty()) return std::nullopt;
  std::optional<std::string> found;
  try {
    found = read(key);
  } catch (...) {  // no memory: the caller will find that out
  }
  (found ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return found;
}

void FileCache::write(const Hash128& key, std::string_view bytes) {
  const std::uint64_t size = bytes.size() + kEntryHeaderBytes;
  if (size > settings_.most_bytes) return;
  const FileDescriptor folder = open(true);
  if (!folder) return;
  const std::string header = entry_header(key, bytes);
  const std::array<std::string_view, 2> parts{header, bytes};
  if (!write_whole_file(folder.get(), to_string(key), parts)) return;
  if (is_time_to_sweep(key, size, settings_.most_bytes)) {
    FolderSweep(folder.get()).keep_newest(settings_.most_bytes);
  }
}

void FileCache::store(const Hash128& key, std::string_view bytes) noexcept {
  try {
    write(key, bytes);
  } catch (...) {  // no memory
  }
}

FileCache::Usage FileCache::usage() noexcept {
  try {
    const FileDescriptor folder = open(false);
    if (!folder) return {};
    const FolderSweep sweep(folder.get());
    return {sweep.entries(), sweep.bytes()};
  } catch (...) {
    return {};
  }
}

FileCache::Usage FileCache::clear() noexcept {
  try {
    const FileDescriptor folder = open(false);
    if (!folder) return {};
    FolderSweep sweep(folder.get());
    const Usage before{sweep.entries(), sweep.bytes()};
    sweep.remove_all();
    return before;
  } catch (...) {
    return {};
  }
}

std::string FileCache::objection() noexcept {
  if (settings_.folder.empty()) return "";
  try {
    return open_private_folder(settings_.folder, false).objection;
  } catch (...) {
    return "";
  }
}

}  // namespace cupola
