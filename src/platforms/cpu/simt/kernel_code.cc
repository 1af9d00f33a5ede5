#include "platforms/cpu/simt/kernel_code.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "base/files/user_cache.h"
#include "base/process/child_process.h"
#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/text/text.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"
#include "platforms/cpu/modules/host_compiler.h"
#include "platforms/cpu/simt/kernel_text.h"

namespace cupola::cpu {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

constexpr const char* kPreludeFile = "prelude.cc";

// Macros are for the user's text alone; what stands in front of it has names of its own.
std::string definitions_of(const Command& options) {
  std::string text;
  for (const std::string& option : options) {
    const std::string rest = option.substr(2);
    const std::size_t equals = std::min(rest.find('='), rest.size());
    if (option.starts_with("-D")) {
      const std::string value = equals < rest.size() ? rest.substr(equals + 1) : "1";
      text += fmt::format("#define {} {}\n", rest.substr(0, equals), value);
    } else if (option.starts_with("-U")) {
      text += fmt::format("#undef {}\n", rest);
    }
  }
  return text;
}

void run_compiler(const Command& command, const std::string& made, const WorkFolder& folder,
                  const std::string& text) {
  const std::string log = folder.file("log");
  const int code = run_program(command, log).value_or(fs::exists(made) ? 0 : -1);
  if (code != 0) throw_host_compile_error(command.front(), code, read_file(log), text);
}

std::string preprocessed(const ModuleSource& source, const WorkFolder& folder) {
  const fs::path headers = folder.file("include");
  for (const CudaInclude& include : cuda_includes()) {
    const fs::path path = headers / include.path;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << include.text;
  }
  const Command options = preprocessor_options(source);
  const std::string input = folder.file(kPreludeFile), output = folder.file("kernel.ii");
  std::ofstream(input) << simt_prelude(source) << definitions_of(options) << "\n#line 1 \""
                       << kKernelFile << "\"\n"
                       << source.text;
  Command command = host_compiler();
  command.insert(command.end(), {"-std=gnu++20", "-E", "-w", "-x", "c++", "-I" + headers.string()});
  for (const std::string& option : processor_options()) command.push_back(option);
  for (const std::string& option : options) {
    if (option.starts_with("-I")) command.push_back(option);
  }
  command.insert(command.end(), {"-o", output, input});
  run_compiler(command, output, folder, source.text);
  return read_file(output);
}

// The folder's name differs each time.
std::string without_folder(std::string text, const WorkFolder& folder) {
  const std::string name = fs::path(folder.file(kPreludeFile)).parent_path().string();
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
    text.replace(at, name.size(), "cupola");
  }
  return text;
}

Command compile_command(bool checked) {
  Command command = host_compiler();
  // Integers wrap, and nothing is fused or assumed of the types behind pointers. Calls that nothing
  // follows return all the same: where they come from is what messages say.
  command.insert(command.end(),
                 {"-std=gnu++20", "-fPIC", "-w", "-fpermissive", "-Wno-narrowing",
                  "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv",
                  "-fno-strict-aliasing", "-fno-optimize-sibling-calls", "-c"});
  // Of DWARF 5, addr2line of binutils 2.40 takes the first file for the second.
  if (checked) {
    command.insert(command.end(), {"-O1", "-g", "-gdwarf-4", "-fsanitize=thread"});
  } else {
    command.insert(command.end(), {"-O2", "-g1", "-gdwarf-4"});
  }
  for (const std::string& option : processor_options()) command.push_back(option);
  return command;
}

std::string compile_anew(const ModuleSource& source, bool checked) {
  const WorkFolder folder;
  const SimtText text =
      simt_text(without_folder(preprocessed(source, folder), folder), source.name_expressions);
  Command command = compile_command(checked);
  const std::optional<Hash128> key = host_code_key(command, text.text);
  if (key) {
    if (std::optional<std::string> known = user_cache().find(*key)) return std::move(*known);
  }
  const std::string input = folder.file("kernel.ii"), object = folder.file("kernel.o");
  std::ofstream(input) << text.text;
  command.insert(command.end(), {"-fpreprocessed", "-o", object, "-x", "c++", input});
  run_compiler(command, object, folder, source.text);
  // Without the sanitizer's library: what the code calls of it is its own.
  const std::string output = folder.file("kernel.so");
  Command link = host_compiler();
  link.insert(link.end(), {"-shared", "-Wl,-Bsymbolic", "-o", output, object});
  if (checked) {
    const std::string checks = folder.file("checks.cc");
    std::ofstream(checks) << simt_checks();
    link.insert(link.end(), {"-std=gnu++20", "-O2", "-fPIC", "-w", "-x", "c++", checks});
  }
  run_compiler(link, output, folder, source.text);
  std::string image = read_file(output);
  if (key) user_cache().store(*key, image);
  return image;
}

// Of the last texts: programs make the same kernel again and again.
struct Images {
  Images() { lock_at_fork(ForkLayer::base, mutex); }
  std::mutex mutex;
  std::map<std::string, std::string> known;
};
constexpr std::size_t kImages = 32;

}  // namespace

std::string compile_kernels(const ModuleSource& source, bool checked) {
  // What headers say may change between two compilations.
  if (source.text.find("include") != std::string::npos) return compile_anew(source, checked);
  const char* compiler = environment_value("CXX");
  const std::string key =
      fmt::format("{} {}\n{}\n{}\n{}", checked, compiler ? compiler : "",
                  joined(source.options, "\n"), joined(source.name_expressions, "\n"), source.text);
  static constinit Lazy<Images> instance;
  Images& images = *instance;
  {
    const std::lock_guard lock(images.mutex);
    if (const auto known = images.known.find(key); known != images.known.end()) {
      return known->second;
    }
  }
  std::string image = compile_anew(source, checked);
  const std::lock_guard lock(images.mutex);
  if (images.known.size() == kImages) images.known.clear();
  images.known.emplace(key, image);
  return image;
}

KernelCode::KernelCode(std::string image) : image_(std::move(image)) {
  const WorkFolder folder;
  const std::string path = folder.file("kernel.so");
  std::ofstream(path, std::ios::binary) << image_;
  code_ = open_host_code(path);
  kernels_ = static_cast<const cupola_simt::KernelEntry*>(dlsym(code_, "cupola_kernels"));
  if (kernels_ == nullptr) throw LibraryError("the compiled kernels have no table");
  link_map* map = nullptr;
  if (dlinfo(code_, RTLD_DI_LINKMAP, &map) == 0) base_ = map->l_addr;
  shared_bytes_ = shared_memory().size();
}

std::span<std::byte> KernelCode::shared_memory() const {
  if (dlsym(code_, "cupola_shared") == nullptr) return {};  // it exists for this thread from now on
  struct Search {
    std::uintptr_t base;
    std::span<std::byte> found;
  } search{base_, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& own = *static_cast<Search*>(data);
    if (info->dlpi_addr != own.base) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
      own.found = {static_cast<std::byte*>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
    }
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.found;
}

std::vector<MemoryRange> KernelCode::memory() const {
  struct Search {
    std::uintptr_t base;
    std::vector<MemoryRange> found;
  } search{base_, {}};
  const auto visit = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& own = *static_cast<Search*>(data);
    if (info->dlpi_addr != own.base) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      own.found.push_back(
          {reinterpret_cast<const void*>(own.base + segment.p_vaddr), segment.p_memsz, "", false});
    }
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return std::move(search.found);
}

const cupola_simt::KernelEntry* KernelCode::find(const std::string& name) const {
  for (const auto* entry = kernels_; entry->name != nullptr; ++entry) {
    if (name == entry->name) return entry;
  }
  return nullptr;
}

std::string KernelCode::kernel_names() const {
  std::vector<std::string> names;
  for (const auto* entry = kernels_; entry->name != nullptr; ++entry)
    names.emplace_back(entry->name);
  return joined(names, ", ");
}

std::optional<ModuleGlobal> KernelCode::variable(const std::string& name) const {
  void* const address = dlsym(code_, name.c_str());
  Dl_info info{};
  const ElfW(Sym)* symbol = nullptr;
  void* details = nullptr;
  if (address == nullptr || dladdr1(address, &info, &details, RTLD_DL_SYMENT) == 0) return {};
  symbol = static_cast<const ElfW(Sym)*>(details);
  if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) return {};
  return ModuleGlobal{address, symbol->st_size};
}

std::string KernelCode::line_of(const void* address) const {
  const std::string program = find_program("addr2line");
  if (program.empty()) return "";
  const WorkFolder folder;
  const std::string path = folder.file("kernel.so"), output = folder.file("line");
  std::ofstream(path, std::ios::binary) << image_;
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - base_ - 1;  // within the call
  run_program({program, "-i", "-e", path, fmt::format("{:#x}", offset)}, output);
  std::istringstream lines(read_file(output));
  for (std::string line; std::getline(lines, line);) {
    const std::string place = fs::path(line.substr(0, line.find(' '))).filename().string();
    if (place.starts_with(kKernelFile)) return fmt::format(" ({})", place);
  }
  return "";
}

}  // namespace cupola::cpu
