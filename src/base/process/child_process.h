#pragma once
// Compilers that run as child processes, and the files that go to and from them.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cupola {

// The program by its path: `name` itself where it is one, else what PATH has. Empty where it cannot
// be run.
std::string find_program(const std::string& name);

// Runs the program, with standard output and error in the file; returns its exit code, -1 where a
// signal ended it, and nothing where the process learns no exit codes: it ignores SIGCHLD, or waits
// for all children elsewhere. Throws LibraryError where it cannot be started.
std::optional<int> run_program(const std::vector<std::string>& command, const std::string& output);

// Empty where it cannot be read.
std::string read_file(const std::filesystem::path& path);

// A folder of our own that is removed again with all it has.
class WorkFolder {
 public:
  // Where TMPDIR says. Throws LibraryError where none can be made.
  WorkFolder();
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace cupola
