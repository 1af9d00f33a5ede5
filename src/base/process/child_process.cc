#include "base/process/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cupola/error.h"

extern char** environ;

namespace cupola {

namespace fs = std::filesystem;

std::string find_program(const std::string& name) {
  const auto is_program = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(folder + "/" + name)) return folder + "/" + name;
  }
  return "";
}

std::optional<int> run_program(const std::vector<std::string>& command, const std::string& output) {
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
    throw LibraryError("the compiler " + command.front() +
                       " cannot be started: " + std::strerror(error));
  }
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != child) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

WorkFolder::WorkFolder() {
  std::error_code error;
  const fs::path within = fs::temp_directory_path(error);
  std::string pattern = (within / "cupola-XXXXXX").string();
  if (error || mkdtemp(pattern.data()) == nullptr) {
    const char* const named = std::getenv("TMPDIR");
    const std::string place = error && named ? named : pattern;
    throw LibraryError("no folder for a compiler can be made (" + place +
                       "): " + (error ? error.message() : std::strerror(errno)) +
                       "; TMPDIR names the folder for such files");
  }
  path_ = pattern;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace cupola
