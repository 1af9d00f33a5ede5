#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/files/file_descriptor.h"

namespace cupola {
namespace {

constexpr int kAttempts = 4;  // at a name that nobody else has

std::string unfinished_name() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    number = static_cast<std::uint64_t>(getpid());
  }
  return fmt::format("{}{:016x}", kUnfinishedPrefix, number);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Some file systems tell of a full disk only when the file is closed.
bool write_and_close(int file, std::span<const std::string_view> parts) {
  bool done = true;
  for (const std::string_view part : parts) done = done && write_all(file, part);
  return ::close(file) == 0 && done;
}

bool try_to_write(int folder, const std::string& name, std::span<const std::string_view> parts) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string unfinished = unfinished_name();
    const int file = ::openat(folder, unfinished.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) return false;
    if (write_and_close(file, parts) &&
        ::renameat(folder, unfinished.c_str(), folder, name.c_str()) == 0) {
      return true;
    }
    ::unlinkat(folder, unfinished.c_str(), 0);
    return false;
  }
  return false;
}

bool read_all(int file, std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::read(file, bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

bool write_whole_file(int folder, const std::string& name,
                      std::span<const std::string_view> parts) noexcept {
  try {
    return try_to_write(folder, name, parts);
  } catch (...) {  // no memory
    return false;
  }
}

std::optional<std::string> read_own_file(int folder, const std::string& name, std::size_t most) {
  // A pipe that somebody put there would keep a blocking open waiting.
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  if (static_cast<std::size_t>(status.st_size) > most) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.get(), bytes)) return std::nullopt;
  return bytes;
}

}  // namespace cupola
