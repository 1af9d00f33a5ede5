#include "base/files/user_cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/text/size_text.h"
#include "base/threads/lazy.h"
#include "cupola/warnings.h"

namespace cupola {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUsualBytes = std::uint64_t{1} << 30;

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// Empty where there is none.
fs::path cache_folder() {
  if (value_of("CUPOLA_DISK_CACHE") == "0") return {};
  if (const char* own = std::getenv("CUPOLA_CACHE_DIR")) {
    std::error_code error;
    const fs::path folder = *own == '\0' ? fs::path() : fs::absolute(own, error);
    return error ? fs::path() : folder.lexically_normal();
  }
  // The XDG base directory specification: a relative path is to be ignored.
  if (const fs::path caches = value_of("XDG_CACHE_HOME"); caches.is_absolute()) {
    return caches / "cupola";
  }
  const fs::path home = value_of("HOME");
  return home.is_absolute() ? home / ".cache/cupola" : fs::path();
}

std::uint64_t cache_size() {
  const std::string text = value_of("CUPOLA_CACHE_SIZE");
  if (text.empty()) return kUsualBytes;
  const std::optional<std::uint64_t> size = parse_size(text);
  if (!size) {
    warn(
        fmt::format("CUPOLA_CACHE_SIZE={} is no number of bytes (like 500M); the cache may take "
                    "1G",
                    text));
  }
  return size.value_or(kUsualBytes);
}

}  // namespace

FileCacheSettings user_cache_settings() {
  const fs::path folder = cache_folder();
  FileCacheSettings settings;
  if (folder.empty()) return settings;
  settings.folder = (folder / "kernels").string();
  settings.most_bytes = cache_size();
  return settings;
}

FileCache& user_cache() {
  static constinit Lazy<FileCache> instance;
  return instance.get([] { return FileCache(user_cache_settings()); });
}

}  // namespace cupola
