#include "platforms/cpu/host_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "base/child_process.h"

namespace cupola::cpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "cupola host code";  // before the checksum, at the end of a file

fs::path cache_root() {
  if (const char* own = std::getenv("CUPOLA_CACHE_DIR"); own && *own) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) {
    return fs::path(cache) / "cupola";
  }
  if (const char* home = std::getenv("HOME"); home && *home) {
    return fs::path(home) / ".cache/cupola";
  }
  return {};
}

// Nobody else may have put anything there.
bool is_private(const fs::path& folder) {
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == geteuid() && (found.st_mode & 0022) == 0 &&
         access(folder.c_str(), W_OK | X_OK) == 0;
}

// Empty where the user has no folder that is fit.
fs::path private_folder() {
  const fs::path root = cache_root();
  if (root.empty()) return {};
  const fs::path folder = root / "host";
  std::error_code ignored;
  fs::create_directories(root, ignored);
  mkdir(folder.c_str(), 0700);
  return is_private(root) && is_private(folder) ? folder : fs::path();
}

// FNV-1a, from a given start.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001B3u;
  return hash;
}
constexpr std::uint64_t kStart = 0xCBF29CE484222325u, kOtherStart = 0x9E3779B97F4A7C15u;

std::string trailer_of(std::string_view content) {
  return fmt::format("{}{:016x}", kMark, hash_of(content, kStart));
}

bool is_whole(const std::string& content) {
  const std::size_t length = kMark.size() + 16;
  if (content.size() < length) return false;
  const std::string_view object(content.data(), content.size() - length);
  return content.substr(object.size()) == trailer_of(object);
}

}  // namespace

HostCache::HostCache(const std::string& key) : folder_(private_folder()) {
  name_ = fmt::format("{:016x}{:016x}.so", hash_of(key, kStart), hash_of(key, kOtherStart));
  is_kept_ = !folder_.empty();
  if (is_kept_) return;
  std::error_code error;
  folder_ = fs::temp_directory_path(error);
  if (error) folder_ = "/tmp";
}

fs::path HostCache::find() const {
  const fs::path place = folder_ / name_;
  struct stat found {};
  if (!is_kept_ || lstat(place.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return is_whole(read_file(place)) ? place : fs::path();
}

fs::path HostCache::keep(const fs::path& object) const {
  if (!is_kept_) return object;
  const std::string trailer = trailer_of(read_file(object));
  std::ofstream file(object, std::ios::binary | std::ios::app);
  file << trailer;
  file.close();
  const fs::path place = folder_ / name_;
  if (!file || std::rename(object.c_str(), place.c_str()) != 0) return object;
  return place;
}

}  // namespace cupola::cpu
