#include "base/files/folder_sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>

#include "base/containers/hash.h"
#include "base/files/atomic_file.h"

namespace cupola {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kUnfinishedAge = 3600 * kSecond;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// An own handle: reading a folder moves a position that duplicates of a descriptor share.
std::unique_ptr<DIR, CloseFolder> list(int folder) {
  const int own = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* opened = own < 0 ? nullptr : ::fdopendir(own);
  if (opened == nullptr && own >= 0) ::close(own);
  return std::unique_ptr<DIR, CloseFolder>(opened);
}

}  // namespace

FolderSweep::FolderSweep(int folder) : folder_(folder) {
  const auto opened = list(folder);
  if (!opened) return;
  while (const dirent* entry = ::readdir(opened.get())) add(entry->d_name);
}

void FolderSweep::add(const char* name) {
  const bool is_entry = is_hash_text(name);
  if (!is_entry && !std::string_view(name).starts_with(kUnfinishedPrefix)) return;
  struct stat status {};
  if (::fstatat(folder_, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(status.st_mode)) return;
  const std::int64_t time = status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  (is_entry ? files_ : unfinished_).push_back({time, bytes, name});
  if (is_entry) bytes_ += bytes;
}

void FolderSweep::remove_unfinished(std::int64_t before) {
  for (const File& file : unfinished_) {
    if (file.time < before) ::unlinkat(folder_, file.name.c_str(), 0);
  }
}

void FolderSweep::keep_newest(std::uint64_t most) {
  remove_unfinished(std::time(nullptr) * kSecond - kUnfinishedAge);
  if (bytes_ <= most) return;
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.time < b.time; });
  // Some room besides, so that the next entries find the folder small enough.
  const std::uint64_t wanted = most - most / 8;
  for (const File& file : files_) {
    if (bytes_ <= wanted) return;
    ::unlinkat(folder_, file.name.c_str(), 0);  // or another process was faster
    bytes_ -= file.bytes;
  }
}

void FolderSweep::remove_all() {
  remove_unfinished(std::numeric_limits<std::int64_t>::max());
  for (const File& file : files_) ::unlinkat(folder_, file.name.c_str(), 0);
}

}  // namespace cupola
