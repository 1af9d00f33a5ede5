#include "base/files/file_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/files/file_cache_entry.h"
#include "base/testing/child.h"
#include "base/testing/temporary_folder.h"
#include "cupola/warnings.h"

namespace cupola {
namespace {

namespace fs = std::filesystem;
using testing::mode_of;
using testing::read_text;
using testing::TemporaryFolder;
using testing::write_text;

constexpr std::uint64_t kLarge = 1 << 24;

Hash128 key_of(int number) { return hash128("key " + std::to_string(number)); }
// A value that tells of which key it is; its length varies.
std::string value_of(int number) {
  return std::string(static_cast<std::size_t>(100 + number % 7 * 331), static_cast<char>(number)) +
         std::to_string(number);
}

void set_age(const fs::path& file, std::int64_t seconds) {
  const timespec then{std::time(nullptr) - seconds, 0};
  const timespec times[] = {then, then};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

class FileCacheTest : public ::testing::Test {
 protected:
  FileCache make(std::uint64_t most = kLarge) const {
    return FileCache({.folder = folder.string(), .most_bytes = most});
  }
  fs::path file(int number) const { return folder / to_string(key_of(number)); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "a cache, with spaces" / "kernels";
};

TEST_F(FileCacheTest, FindsWhatWasStored) {
  FileCache cache = make();
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
  cache.store(key_of(1), "one");
  cache.store(key_of(2), "");
  EXPECT_EQ(cache.find(key_of(1)), "one");
  EXPECT_EQ(make().find(key_of(2)), "");
  cache.store(key_of(1), "another");
  EXPECT_EQ(cache.find(key_of(1)), "another");
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 1u);
  EXPECT_EQ(cache.usage().entries, 2u);
  EXPECT_EQ(cache.usage().bytes, 2 * kEntryHeaderBytes + 7);
}

TEST_F(FileCacheTest, IsPrivate) {
  const mode_t before = umask(0);
  make().store(key_of(1), "one");
  umask(before);
  EXPECT_EQ(mode_of(folder), 0700u);
  EXPECT_EQ(mode_of(folder.parent_path()), 0700u);
  EXPECT_EQ(mode_of(file(1)), 0600u);
}

TEST_F(FileCacheTest, ClearRemovesItsOwnOnly) {
  FileCache cache = make();
  for (int i = 0; i < 5; ++i) cache.store(key_of(i), value_of(i));
  write_text(folder / "somebody else's", "text");
  write_text(folder / (std::string(kUnfinishedPrefix) + "1234"), "half");
  EXPECT_EQ(cache.clear().entries, 5u);
  EXPECT_EQ(cache.usage().entries, 0u);
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
}

TEST_F(FileCacheTest, KeepsNothingWithoutAFolder) {
  FileCache cache({});
  cache.store(key_of(1), "one");
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
  EXPECT_EQ(cache.usage().entries, 0u);
  EXPECT_EQ(cache.misses(), 0u);
}

// -- What is not what was stored

TEST_F(FileCacheTest, DamagedFilesAreReplaced) {
  FileCache cache = make();
  const std::string value(1000, 'v');
  cache.store(key_of(1), value);
  const std::string whole = read_text(file(1));
  std::vector<std::string> damaged{"",
                                   "x",
                                   whole.substr(0, kEntryHeaderBytes - 1),
                                   whole.substr(0, whole.size() - 1),
                                   whole + "x",
                                   std::string(4000, '\xff')};
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{16}, std::size_t{32},
                               std::size_t{40}, kEntryHeaderBytes, whole.size() - 1}) {
    damaged.push_back(whole);
    damaged.back()[at] ^= 1;
  }
  for (const std::string& text : damaged) {
    write_text(file(1), text);
    EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
    cache.store(key_of(1), value);
    EXPECT_EQ(cache.find(key_of(1)), value);
  }
}

TEST_F(FileCacheTest, AnEntryUnderAnotherKeyIsForeign) {
  FileCache cache = make();
  cache.store(key_of(1), "one");
  fs::copy_file(file(1), file(2));
  EXPECT_EQ(cache.find(key_of(2)), std::nullopt);
}

TEST_F(FileCacheTest, WhatIsNoFileIsNotRead) {
  FileCache cache = make();
  cache.store(key_of(1), "one");
  cache.store(key_of(2), "two");
  fs::rename(file(1), temporary.path() / "elsewhere");
  fs::create_symlink(temporary.path() / "elsewhere", file(1));
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
  fs::remove(file(2));
  ASSERT_EQ(mkfifo(file(2).c_str(), 0600), 0);
  EXPECT_EQ(cache.find(key_of(2)), std::nullopt);
  fs::create_directory(file(3));
  cache.store(key_of(3), "three");
  EXPECT_EQ(cache.find(key_of(3)), std::nullopt);
  cache.store(key_of(1), "one");
  EXPECT_EQ(cache.find(key_of(1)), "one");
  EXPECT_EQ(read_text(temporary.path() / "elsewhere").size(), kEntryHeaderBytes + 3);
}

TEST_F(FileCacheTest, FilesThatOthersMayWriteToAreNotRead) {
  FileCache cache = make();
  cache.store(key_of(1), "one");
  fs::permissions(file(1), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
  cache.store(key_of(1), "one");
  EXPECT_EQ(cache.find(key_of(1)), "one");
}

// -- Room

TEST_F(FileCacheTest, WhatWasNotUsedForTheLongestTimeGoesFirst) {
  constexpr std::size_t kValue = 1000 - kEntryHeaderBytes;
  FileCache cache = make(8000);
  for (int i = 0; i < 8; ++i) {
    cache.store(key_of(i), std::string(kValue, 'v'));
    set_age(file(i), 100'000 - i * 1000);
  }
  EXPECT_EQ(cache.usage().bytes, 8000u);
  EXPECT_TRUE(cache.find(key_of(0)));  // now it is the newest
  cache.store(key_of(8), std::string(kValue, 'v'));
  std::vector<int> left;
  for (int i = 0; i < 9; ++i) {
    if (fs::exists(file(i))) left.push_back(i);
  }
  EXPECT_EQ(left, (std::vector<int>{0, 3, 4, 5, 6, 7, 8}));
}

TEST_F(FileCacheTest, StaysNearItsLimit) {
  constexpr std::uint64_t kLimit = 400'000;
  FileCache cache = make(kLimit);
  std::uint64_t largest = 0;
  for (int i = 0; i < 3000; ++i) {
    cache.store(key_of(i), value_of(i));
    if (i % 100 == 0) largest = std::max(largest, cache.usage().bytes);
  }
  EXPECT_LT(largest, kLimit + kLimit / 4);
  EXPECT_GT(cache.usage().bytes, kLimit / 2);
}

TEST_F(FileCacheTest, WhatIsLargerThanTheLimitIsNotKept) {
  FileCache cache = make(1000);
  cache.store(key_of(1), "one");
  cache.store(key_of(2), std::string(1001, 'x'));
  EXPECT_EQ(cache.find(key_of(2)), std::nullopt);
  EXPECT_EQ(cache.find(key_of(1)), "one");
  FileCache none = make(0);
  none.store(key_of(3), "");
  EXPECT_EQ(none.find(key_of(3)), std::nullopt);
}

TEST_F(FileCacheTest, WhatEndedProcessesLeftUnfinishedGoes) {
  make().store(key_of(0), "zero");
  const fs::path old_one = folder / (std::string(kUnfinishedPrefix) + "1");
  const fs::path new_one = folder / (std::string(kUnfinishedPrefix) + "2");
  write_text(old_one, "half");
  write_text(new_one, "half");
  set_age(old_one, 7200);
  make(64).store(key_of(1), "");  // so small a limit is looked at each time
  EXPECT_FALSE(fs::exists(old_one));
  EXPECT_TRUE(fs::exists(new_one));
}

// -- Folders that cannot be used

std::vector<std::string> warnings;
void note(WarningKind, const std::string& message) noexcept { warnings.push_back(message); }

class Objections : public FileCacheTest {
 protected:
  void SetUp() override {
    warnings.clear();
    set_warning_hook(note);
  }
  void TearDown() override { set_warning_hook(nullptr); }

  // Neither read nor written, and said once, with `reason`.
  void expect_refused(const std::string& reason) {
    FileCache cache = make();
    cache.store(key_of(2), "two");
    EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
    EXPECT_FALSE(fs::exists(file(2)));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(reason), std::string::npos) << warnings[0];
    EXPECT_NE(cache.objection(), "");
    warnings.clear();
  }
};

TEST_F(Objections, OthersMayWrite) {
  make().store(key_of(1), "one");
  for (const fs::path& open : {folder, folder.parent_path()}) {
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
      fs::permissions(open, others, fs::perm_options::add);
      expect_refused("may write to " + open.string() + " ");
      fs::permissions(open, others, fs::perm_options::remove);
    }
  }
  fs::permissions(temporary.path(), fs::perms::others_write, fs::perm_options::add);
  expect_refused("may write to " + temporary.path().string() + " ");
  fs::permissions(temporary.path(), fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_EQ(make().find(key_of(1)), "one");
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Objections, AFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  make().store(key_of(1), "one");
  for (const fs::path& given : {folder, folder.parent_path()}) {
    ASSERT_EQ(chown(given.c_str(), 65534, 65534), 0);
    expect_refused(given.string() + " belongs to another user");
    ASSERT_EQ(chown(given.c_str(), 0, 0), 0);
  }
  ASSERT_EQ(chown(file(1).c_str(), 65534, 65534), 0);
  EXPECT_EQ(make().find(key_of(1)), std::nullopt);
  EXPECT_TRUE(warnings.empty());
}

// What happens to a user who is not root, in a child.
int status_as_user(const fs::path& home, bool (*body)(const fs::path&)) {
  return status_of_child([&] {
    if (geteuid() == 0) {
      for (const fs::path& path : {home, home.parent_path()}) {
        if (chown(path.c_str(), 65534, 65534) != 0) return false;
      }
      if (seteuid(65534) != 0) return false;
    }
    return body(home);
  });
}

TEST_F(FileCacheTest, AReadOnlyFolderIsReadOnly) {
  fs::create_directory(temporary.path() / "home");
  const int status = status_as_user(temporary.path() / "home", [](const fs::path& home) {
    const fs::path kernels = home / "kernels";
    FileCache cache({.folder = kernels.string(), .most_bytes = kLarge});
    cache.store(key_of(1), "one");
    set_age(kernels / to_string(key_of(1)), 100'000);
    if (chmod(kernels.c_str(), 0500) != 0) return false;
    cache.store(key_of(2), "two");
    const bool content = cache.find(key_of(1)) == "one" && !cache.find(key_of(2)).has_value() &&
                         cache.clear().entries == 1 && cache.find(key_of(1)) == "one";
    if (chmod(kernels.c_str(), 0) != 0) return false;
    return content && !cache.find(key_of(1)) && cache.usage().entries == 0 &&
           chmod(kernels.c_str(), 0700) == 0;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(FileCacheTest, AFolderThatCannotBeMadeIsNoError) {
  write_text(temporary.path() / "a cache, with spaces", "a file");
  FileCache cache = make();
  cache.store(key_of(1), "one");
  EXPECT_EQ(cache.find(key_of(1)), std::nullopt);
  EXPECT_EQ(cache.usage().entries, 0u);
  EXPECT_EQ(cache.clear().entries, 0u);
}

TEST_F(FileCacheTest, AFullDiskIsNoError) {
  make().store(key_of(1), "one");
  EXPECT_EQ(status_of_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{2000, 2000};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
              FileCache cache = make();
              cache.store(key_of(2), std::string(5000, 'x'));
              return !cache.find(key_of(2)) && cache.find(key_of(1)) == "one";
            }),
            0);
  EXPECT_EQ(file_count(), 1u) << "something unfinished was left";
}

// -- Many at once

// Stores and looks up for a while; whether all that was found was right, and something was.
bool use_together(FileCache& cache, int seed) {
  int found_count = 0;
  for (int i = 0; i < 400; ++i) {
    const int number = (i * 7 + seed * 31) % 60;
    const std::optional<std::string> found = cache.find(key_of(number));
    if (found && *found != value_of(number)) return false;
    found_count += found.has_value();
    if (!found || i % 5 == 0) cache.store(key_of(number), value_of(number));
    if (seed == 0 && i % 100 == 99) cache.clear();
  }
  return found_count > 0;
}

TEST_F(FileCacheTest, ThreadsShareIt) {
  FileCache cache = make(30'000);
  std::atomic<int> content{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] { content += use_together(cache, t); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(content, 8);
}

TEST_F(FileCacheTest, ProcessesShareIt) {
  std::vector<pid_t> children;
  for (int seed = 0; seed < 8; ++seed) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    alarm(60);
    FileCache cache = make(30'000);
    _exit(use_together(cache, seed) ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    EXPECT_TRUE(is_hash_text(entry.path().filename().string())) << entry.path();
  }
}

TEST_F(FileCacheTest, AProcessKilledWhileItWritesLeavesNoHalfEntry) {
  const std::string value(1 << 20, 'v');
  int seen = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      FileCache cache = make();
      for (;;) cache.store(key_of(1), value);
    }
    const std::time_t deadline = std::time(nullptr) + 20;
    while (!fs::exists(file(1)) && std::time(nullptr) < deadline) std::this_thread::yield();
    usleep(static_cast<useconds_t>(round * 137));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    seen += make().find(key_of(1)) == value;
  }
  EXPECT_EQ(seen, 20);
}

}  // namespace
}  // namespace cupola
