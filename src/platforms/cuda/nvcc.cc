// The backend "nvcc": the toolkit's compiler as a child process.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/counters.h"
#include "cupola/error.h"
#include "platforms/cuda/module_compiler.h"

extern char** environ;

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

// NVCC, then CUDA_HOME, CUDA_PATH, PATH and /usr/local/cuda.
std::string find_nvcc() {
  if (const char* named = std::getenv("NVCC"); named && *named) return named;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root && is_program(fs::path(root) / "bin/nvcc")) return fs::path(root) / "bin/nvcc";
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / "nvcc")) return fs::path(folder) / "nvcc";
  }
  if (is_program("/usr/local/cuda/bin/nvcc")) return "/usr/local/cuda/bin/nvcc";
  throw LibraryError(
      "backend='nvcc' needs the CUDA toolkit's compiler nvcc, which is neither named by NVCC nor "
      "found in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda; use backend='nvrtc'");
}

// A folder of our own that is removed again.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "cupola-nvcc-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw LibraryError(
          fmt::format("no folder for nvcc can be made ({}): {}", pattern, std::strerror(errno)));
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs the program, its output in a file; returns its exit code.
int run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw LibraryError(
        fmt::format("nvcc ({}) cannot be started: {}", command.front(), std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

CompiledModule compile_with_nvcc(const ModuleSource& source, int architecture) {
  if (!source.name_expressions.empty()) {
    throw ValueError(
        "name_expressions need backend='nvrtc'; with nvcc, declare the instances "
        "extern \"C\" or give their mangled names");
  }
  const std::string compiler = find_nvcc();
  const TemporaryFolder folder;
  const std::string text = folder.file("cupola_raw.cu");
  const std::string image = folder.file("cupola_raw.cubin");
  const std::string log = folder.file("log");
  std::ofstream(text) << source.text;
  std::vector<std::string> command{compiler, "--cubin", fmt::format("-arch=sm_{}", architecture)};
  command.insert(command.end(), source.options.begin(), source.options.end());
  command.insert(command.end(), {"-o", image, text});
  count(Counter::compilations);
  if (run(command, log) != 0) {
    throw_compile_error(source, architecture, compiler.c_str(), read_file(log));
  }
  CompiledModule result{read_file(image), read_file(log), {}, {}};
  result.kernels = kernels_in(result.image);
  return result;
}

}  // namespace cupola::cuda
