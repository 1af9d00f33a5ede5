#pragma once
// For tests: runs of this program, of one test each, that find the fake driver and compiler of
// tests/fake_cuda where the system's would be.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace cupola::cuda {

inline std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }
inline std::filesystem::path fake_folder() { return own_path().parent_path() / "fake_cuda"; }
inline bool has_fake_cuda() { return std::filesystem::exists(fake_folder() / "libcuda.so.1"); }
inline bool is_fake_process() { return std::getenv("CUPOLA_TEST_FAKE_CUDA") != nullptr; }

using Environment = std::vector<std::pair<std::string, std::string>>;

// The status of the process, which runs the tests of `filter`. `program` is this program under
// another name, beside which the process looks for what is shipped with it.
inline int status_of_fake_process(const std::string& filter, const Environment& environment = {},
                                  const std::filesystem::path& program = own_path()) {
  const pid_t process = fork();
  if (process == 0) {
    setenv("LD_LIBRARY_PATH", fake_folder().c_str(), 1);
    setenv("CUPOLA_TEST_FAKE_CUDA", "1", 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execl(program.c_str(), program.c_str(), ("--gtest_filter=" + filter).c_str(), nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(process, &status, 0);
  return status;
}

}  // namespace cupola::cuda
