#include "base/files/user_cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/testing/child.h"
#include "cupola/warnings.h"

namespace cupola {
namespace {

// The settings under an environment of these variables only.
FileCacheSettings settings_with(
    const std::vector<std::pair<const char*, const char*>>& environment) {
  for (const char* name :
       {"CUPOLA_CACHE_DIR", "CUPOLA_CACHE_SIZE", "CUPOLA_DISK_CACHE", "XDG_CACHE_HOME", "HOME"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) setenv(name, value, 1);
  return user_cache_settings();
}

// A child, so that the other tests keep their environment.
#define EXPECT_IN_CHILD(...) EXPECT_EQ(status_of_child([&] { return __VA_ARGS__; }), 0)

TEST(UserCache, TheFolder) {
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h o"}}).folder == "/h o/.cache/cupola/kernels");
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).folder ==
                  "/x/cupola/kernels");
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "x"}}).folder ==
                  "/h/.cache/cupola/kernels");
  EXPECT_IN_CHILD(
      settings_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"CUPOLA_CACHE_DIR", "/c/../d/"}})
          .folder == "/d/kernels");
  EXPECT_IN_CHILD(settings_with({{"CUPOLA_CACHE_DIR", "here"}}).folder.starts_with("/"));
}

TEST(UserCache, NoFolder) {
  EXPECT_IN_CHILD(settings_with({}).folder.empty());
  EXPECT_IN_CHILD(settings_with({{"HOME", ""}}).folder.empty());
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h"}, {"CUPOLA_CACHE_DIR", ""}}).folder.empty());
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h"}, {"CUPOLA_DISK_CACHE", "0"}}).folder.empty());
}

TEST(UserCache, TheSize) {
  const auto size = [](const char* text) {
    return settings_with({{"HOME", "/h"}, {"CUPOLA_CACHE_SIZE", text}}).most_bytes;
  };
  set_warning_hook([](WarningKind, const std::string&) noexcept { _exit(2); });
  EXPECT_IN_CHILD(settings_with({{"HOME", "/h"}}).most_bytes == 1 << 30);
  EXPECT_IN_CHILD(size("12345") == 12345);
  EXPECT_IN_CHILD(size("0") == 0);
  EXPECT_IN_CHILD(size("3K") == 3 << 10);
  EXPECT_IN_CHILD(size("500M") == 500 << 20);
  EXPECT_IN_CHILD(size("20G") == std::uint64_t{20} << 30);
  set_warning_hook([](WarningKind, const std::string&) noexcept {});
  for (const char* nonsense :
       {"many", "-1", "1T", "M", "1MM", "99999999999999999999", "18446744073709551615K", "1.5G"}) {
    EXPECT_IN_CHILD(size(nonsense) == 1 << 30) << nonsense;
  }
  set_warning_hook(nullptr);
}

TEST(UserCache, ANonsenseSizeIsWarnedOf) {
  static int count = 0;
  EXPECT_IN_CHILD([] {
    set_warning_hook([](WarningKind, const std::string& message) noexcept {
      count += message.find("CUPOLA_CACHE_SIZE=many") != std::string::npos;
    });
    settings_with({{"HOME", "/h"}, {"CUPOLA_CACHE_SIZE", "many"}});
    return count == 1;
  }());
}

}  // namespace
}  // namespace cupola
