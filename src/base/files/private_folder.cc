#include "base/files/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace cupola {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::string objection_to(const fs::path& path, const struct stat& status) {
  const uid_t user = ::geteuid();
  if (status.st_uid != user) {
    return fmt::format("{} belongs to another user (uid {}, this process runs as {})",
                       path.string(), status.st_uid, user);
  }
  if ((status.st_mode & kOthersWrite) != 0) {
    return fmt::format("other users may write to {} (mode {:04o})", path.string(),
                       status.st_mode & 07777);
  }
  return "";
}

// Whoever may write to a folder above can put another one in this one's place, unless only owners
// may rename there. Of the next one that counts for groups, too; those higher up often let the
// user's own group write.
std::string objection_above(const fs::path& path, const struct stat& status, bool is_next) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0) return objection_to(path, status);
  const mode_t others = is_next ? kOthersWrite : S_IWOTH;
  if ((status.st_mode & others) != 0 && (status.st_mode & S_ISVTX) == 0) {
    return fmt::format("other users may write to {} (mode {:04o})", path.string(),
                       status.st_mode & 07777);
  }
  return "";
}

std::string objection_above(const fs::path& folder) {
  std::error_code error;
  const fs::path start = fs::weakly_canonical(folder, error);
  for (fs::path path = start; path.has_relative_path();) {
    const bool is_next = path == start;
    path = path.parent_path();
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) continue;  // what is not there yet will be ours
    std::string objection = objection_above(path, status, is_next);
    if (!objection.empty()) return objection;
  }
  return "";
}

bool make_folders(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !path.has_relative_path()) return false;
  return make_folders(path.parent_path()) && (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

FileDescriptor open_folder(const fs::path& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

OpenedFolder open_private_folder(const std::string& path, bool make) {
  OpenedFolder result;
  result.folder = open_folder(path);
  if (!result.folder && make) {
    result.objection = objection_above(path);
    if (!result.objection.empty()) return result;
    if (make_folders(path)) result.folder = open_folder(path);
  }
  if (!result.folder) return result;
  struct stat status {};
  if (::fstat(result.folder.get(), &status) != 0) return {};
  result.objection = objection_to(path, status);
  if (result.objection.empty()) result.objection = objection_above(path);
  if (!result.objection.empty()) result.folder = FileDescriptor();
  return result;
}

}  // namespace cupola
