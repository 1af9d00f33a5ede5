#include "platforms/cpu/host_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/child_process.h"
#include "base/counters.h"
#include "base/text.h"
#include "cupola/error.h"
#include "platforms/cpu/host_cache.h"

namespace cupola::cpu {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

// The compiler with the arguments that CXX may give it.
Command find_compiler() {
  const char* named = std::getenv("CXX");
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
      "the PATH; install one, name one by CXX, or use a CUDA device");
}

// What this processor has, as one of the levels that both compilers know.
std::vector<std::string> processor_options() {
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
void add_user_options(const ModuleSource& source, Command& command) {
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
}

Command command_for(const ModuleSource& source) {
  Command command = find_compiler();
  // Values as NumPy's: no contraction. Warnings would be of text that the user did not write.
  command.insert(command.end(), {"-std=c++20", "-O3", "-fPIC", "-shared", "-w", "-ffp-contract=off",
                                 "-fno-math-errno", "-fno-trapping-math"});
  for (const std::string& option : processor_options()) command.push_back(option);
  add_user_options(source, command);
  return command;
}

// Gives the path of the object.
std::string compile(const ModuleSource& source, Command command, const WorkFolder& folder) {
  const std::string text = folder.file("kernel.cc"), object = folder.file("kernel.so");
  const std::string log = folder.file("log");
  std::ofstream(text) << source.prelude << "\n#line 1 \"cupola_kernel.cc\"\n" << source.text;
  command.insert(command.end(), {"-o", object, text});
  count(Counter::compilations);
  const int code = run_program(command, log);
  if (code == 0) return object;
  throw CompileError(
      fmt::format("the kernel source does not compile for the CPU ({}, exit code {}):"
                  "\n{}\n{}",
                  command.front(), code, read_file(log), numbered(source.text)));
}

void* open_code(const fs::path& path) {
  if (void* const code = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return code;
  throw LibraryError(fmt::format("the compiled kernel cannot be loaded: {}", dlerror()));
}

}  // namespace

void* load_host_code(const ModuleSource& source) {
  const Command command = command_for(source);
  const HostCache cache(joined(command, "\n") + "\n" + source.prelude + source.text);
  if (const fs::path known = cache.find(); !known.empty()) return open_code(known);
  const WorkFolder work(cache.folder());
  return open_code(cache.keep(compile(source, command, work)));
}

}  // namespace cupola::cpu
