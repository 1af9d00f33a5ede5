#include "platforms/cpu/modules/host_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/counters.h"
#include "base/files/user_cache.h"
#include "base/process/child_process.h"
#include "base/process/environment.h"
#include "base/text/text.h"
#include "cupola/error.h"

namespace cupola::cpu {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

Command host_compiler() {
  const char* named = environment_value("CXX");
  std::istringstream words(named ? named : "");
  Command command;
  for (std::string word; words >> word;) command.push_back(word);
  if (!command.empty()) {
    const std::string program = find_program(command.front());
    if (program.empty()) {
      throw LibraryError(
          fmt::format("kernels written in C++ need a compiler on CPU devices, and CXX names {}, "
                      "which cannot be run; unset it or name a C++20 compiler",
                      command.front()));
    }
    command.front() = program;
    return command;
  }
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (const std::string program = find_program(name); !program.empty()) return {program};
  }
  throw LibraryError(
      "kernels written in C++ need a compiler on CPU devices: none of c++, g++ and clang++ is on "
      "the PATH; install one (Debian and Ubuntu: apt install g++), name one by CXX, or use a CUDA "
      "device");
}

// One of the levels that both compilers know.
Command processor_options() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    return {"-march=x86-64-v4"};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return {"-march=x86-64-v3"};
#endif
  return {};
}

// Those that say the same to every compiler.
Command preprocessor_options(const ModuleSource& source) {
  Command command;
  constexpr std::string_view kDefine = "--define-macro=", kInclude = "--include-path=";
  for (std::size_t i = 0; i < source.options.size(); ++i) {
    const std::string& option = source.options[i];
    if (option.starts_with(kDefine)) {
      command.push_back("-D" + option.substr(kDefine.size()));
    } else if (option.starts_with(kInclude)) {
      command.push_back("-I" + option.substr(kInclude.size()));
    } else if (option == "-I" || option == "-D" || option == "-U") {
      if (i + 1 < source.options.size()) command.push_back(option + source.options[++i]);
    } else if (option.starts_with("-I") || option.starts_with("-D") || option.starts_with("-U")) {
      command.push_back(option);
    }
  }
  return command;
}

namespace {

Command command_for(const ModuleSource& source) {
  Command command = host_compiler();
  // Values as NumPy's: no contraction, and integers wrap. Without -fwrapv, g++ 12 also vectorises
  // sums of int8 and int16 in several accumulators wrongly. Warnings would be of text that the user
  // did not write.
  command.insert(command.end(),
                 {"-std=c++20", "-O3", "-falign-loops=32", "-fPIC", "-shared", "-w",
                  "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv"});
  for (const std::string& option : processor_options()) command.push_back(option);
  for (const std::string& option : preprocessor_options(source)) command.push_back(option);
  return command;
}

// As the preprocessor does it first.
std::string with_lines_joined(std::string text) {
  for (std::size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n", at)) {
    text.erase(at, 2);
  }
  return text;
}

// Whether the word at `begin` may be a directive's: after # (or %:), blanks and comments, or the
// end of __has_include.
bool may_be_directive(std::string_view text, std::size_t begin) {
  const std::size_t before = text.find_last_not_of(" \t", begin - 1);
  if (begin == 0 || before == std::string_view::npos) return false;
  return text[before] == '#' || text[before] == ':' || text[before] == '/' ||
         text.substr(0, begin).ends_with("has_");
}

// Whether the text may include other headers than the compiler's own: by their path, as "x.h" or
// </x.h>, or by a name that a macro stands for.
bool includes_files(const std::string& source) {
  constexpr std::string_view kInclude = "include";
  const std::string joined_lines = with_lines_joined(source);
  const std::string_view text = joined_lines;
  for (std::size_t at = text.find(kInclude); at != std::string_view::npos;
       at = text.find(kInclude, at + 1)) {
    if (!may_be_directive(text, at)) continue;
    const std::string_view rest = text.substr(at + kInclude.size());
    const std::string_view name =
        rest.substr(std::min(rest.find_first_not_of(" \t("), rest.size()));
    const std::string_view path = name.substr(0, name.find('>'));
    if (!name.starts_with("<") || name.starts_with("</") || path.find("..") != path.npos)
      return true;
  }
  return false;
}

// Everything that decides what the compiler makes; nothing where headers of the user do, whose
// contents are not known here.
std::optional<Hash128> cache_key(const ModuleSource& source, const Command& command) {
  const auto names_headers = [](const std::string& option) { return option.starts_with("-I"); };
  if (std::any_of(command.begin(), command.end(), names_headers)) return std::nullopt;
  if (includes_files(source.text)) return std::nullopt;
  for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"}) {
    if (environment_value(variable)) return std::nullopt;
  }
  return host_code_key(command, source.prelude + "\n" + source.text);
}

// Gives the path of the object.
std::string compile(const ModuleSource& source, Command command, const WorkFolder& folder) {
  const std::string text = folder.file("kernel.cc"), object = folder.file("kernel.so");
  const std::string log = folder.file("log");
  std::ofstream(text) << source.prelude << "\n#line 1 \"cupola_kernel.cc\"\n" << source.text;
  command.insert(command.end(), {"-o", object, text});
  count(Counter::compilations);
  const int code = run_program(command, log).value_or(fs::exists(object) ? 0 : -1);
  if (code == 0) return object;
  throw_host_compile_error(command.front(), code, read_file(log), source.text);
}

}  // namespace

std::optional<Hash128> host_code_key(const Command& command, const std::string& text) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(command.front(), error);
  const auto changed = fs::last_write_time(command.front(), error).time_since_epoch().count();
  if (error) return std::nullopt;
  return hash128(
      fmt::format("host code\n{}\n{} {}\n{}", joined(command, "\n"), size, changed, text));
}

void throw_host_compile_error(const std::string& program, int code, const std::string& log,
                              const std::string& text) {
  throw CompileError(
      fmt::format("the kernel source does not compile for the CPU ({}, exit code {}):"
                  "\n{}\n{}",
                  program, code, log, numbered(text)));
}

void* open_host_code(const std::string& path) {
  if (void* const code = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return code;
  throw LibraryError(fmt::format(
      "the compiled kernel cannot be loaded: {}; TMPDIR names the folder for such files",
      dlerror()));
}

void* load_host_code(const ModuleSource& source) {
  const Command command = command_for(source);
  const std::optional<Hash128> key = cache_key(source, command);
  const WorkFolder work;
  if (key) {
    if (const std::optional<std::string> known = user_cache().find(*key)) {
      const std::string object = work.file("kernel.so");
      std::ofstream(object, std::ios::binary) << *known;
      return open_host_code(object);
    }
  }
  const std::string object = compile(source, command, work);
  void* const code = open_host_code(object);
  if (key) user_cache().store(*key, read_file(object));
  return code;
}

}  // namespace cupola::cpu
