// What one process compiles others find: processes that share a folder, with the compiler of
// tests/fake_cuda.

#include "platforms/cuda/compile/compiled_code.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/counters.h"
#include "base/testing/temporary_folder.h"
#include "cupola/error.h"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/compile/module_compiler.h"
#include "platforms/cuda/fake_tests/fake_process.h"

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::TemporaryFolder;
using testing::write_text;

TEST(CompiledCode, BytesAndBack) {
  const CompiledModule code{
      std::string("im\0age", 6), "a log", {{"f<int>", "_f"}, {"g", ""}}, {"f"}};
  const std::string bytes = to_bytes(code);
  const auto back = module_from(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->image, code.image);
  EXPECT_EQ(back->log, code.log);
  EXPECT_EQ(back->lowered_names, code.lowered_names);
  EXPECT_EQ(back->kernels, code.kernels);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(module_from(std::string_view(bytes).substr(0, size)));
  }
  EXPECT_FALSE(module_from(bytes + "x"));
  EXPECT_FALSE(module_from(std::string(64, '\xff')));
}

TEST(CompiledCode, EverythingIsPartOfTheKey) {
  const std::vector<std::string> options{"-a", "-b"}, joined{"-a-b"}, names{"f"};
  const CompileTask task{.text = "t", .file_name = "f", .architecture = 90, .options = options};
  std::vector<CompileTask> tasks(7, task);
  tasks[1].text = "tt";
  tasks[2].file_name = "ff";
  tasks[3].architecture = 80;
  tasks[4].options = joined;
  tasks[5].name_expressions = names;
  tasks[6].includes = {0, 1};
  std::map<Hash128, int> keys;
  for (const CompileTask& each : tasks) ++keys[task_key(each)];
  EXPECT_EQ(keys.size(), tasks.size());
}

constexpr int kFound = 10;   // the process compiled nothing; one more for each compilation
constexpr int kOpened = 20;  // besides, where it opened the compiler
constexpr int kFailed = 99;

// What the compiler of tests/fake_cuda makes of every text: a name of a kernel is in it.
const std::string kFakeImage("a fake image\0.text.kernel", 26);

// What a process does. Its name says what, its environment with what.
class CompilingProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by the tests of CompiledCodeOnDisk";
  }
  static std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }
  template <typename Compile>
  [[noreturn]] static void run(const Compile& compile) {
    int result = kFailed;
    try {
      if (compile()) {
        result = kFound + static_cast<int>(value_of(Counter::compilations)) +
                 kOpened * static_cast<int>(value_of(Counter::libraries_opened));
      }
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(result);
  }
};

TEST_F(CompilingProcess, Kernel) {
  run([] {
    const int architecture = std::stoi(setting("TEST_ARCHITECTURE"));
    const std::string text = setting("TEST_TEXT");
    const KernelTask task(text, architecture, std::stoi(setting("TEST_KERNEL")));
    return task.compile().bytes == kFakeImage;
  });
}

TEST_F(CompilingProcess, Module) {
  run([] {
    ModuleSource source{.text = setting("TEST_TEXT"), .name_expressions = {"f<int>"}};
    if (!setting("TEST_OPTION").empty()) source.options.push_back(setting("TEST_OPTION"));
    const CompiledModule code = CudaSourceCompiler().compile(source, 90);
    return code.image == kFakeImage && code.lowered_names.at("f<int>") == "f<int>";
  });
}

class CompiledCodeOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
    settings["CUPOLA_CACHE_DIR"] = folder.path() / "cache";
    settings["CUPOLA_CUDA_LIBRARY_PATH"] = fake_folder();
    settings["CUPOLA_DISK_CACHE"] = "1";
    settings["TEST_TEXT"] = "a text";
    settings["TEST_ARCHITECTURE"] = "90";
    settings["TEST_KERNEL"] = "0";
  }

  // What kFound and its like say of one more process.
  int run(const std::string& what, const std::map<std::string, std::string>& changes = {}) {
    std::map<std::string, std::string> all = changes;
    all.insert(settings.begin(), settings.end());
    const int status = status_of_fake_process("CompilingProcess." + what, {all.begin(), all.end()});
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto& each : fs::directory_iterator(folder.path() / "cache" / "kernels")) {
      paths.push_back(each.path());
    }
    return paths;
  }

  static constexpr int kCompiled = kFound + kOpened + 1;
  const TemporaryFolder folder;
  std::map<std::string, std::string> settings;
};

TEST_F(CompiledCodeOnDisk, TheNextProcessDoesNotEvenOpenTheCompiler) {
  EXPECT_EQ(run("Kernel", {{"FAKE_NVRTC_BROKEN", "1"}}), kFailed);
  EXPECT_EQ(run("Kernel"), kCompiled);
  EXPECT_EQ(run("Kernel"), kFound);
  EXPECT_EQ(run("Kernel", {{"FAKE_NVRTC_BROKEN", "1"}}), kFound);
}

TEST_F(CompiledCodeOnDisk, WhatDiffersIsCompiled) {
  EXPECT_EQ(run("Kernel"), kCompiled);
  EXPECT_EQ(run("Kernel", {{"TEST_TEXT", "a text "}}), kCompiled);
  EXPECT_EQ(run("Kernel", {{"TEST_ARCHITECTURE", "80"}}), kCompiled);
  EXPECT_EQ(run("Kernel", {{"TEST_KERNEL", "1"}}), kCompiled);
  EXPECT_EQ(run("Kernel", {{"CUPOLA_KERNEL_DEBUG", "1"}}), kCompiled);
  EXPECT_EQ(run("Module"), kCompiled);
  EXPECT_EQ(entries().size(), 6u);
}

TEST_F(CompiledCodeOnDisk, AnotherCompilerCompiles) {
  EXPECT_EQ(run("Kernel"), kCompiled);
  const fs::path other = folder.path() / "other compiler";
  fs::create_directory(other);
  fs::copy_file(fs::canonical(fake_folder() / "libnvrtc.so.13"), other / "libnvrtc.so.13");
  EXPECT_EQ(run("Kernel", {{"CUPOLA_CUDA_LIBRARY_PATH", other}}), kFound) << "the same, elsewhere";
  write_text(other / "libnvrtc.so.13", read_text(other / "libnvrtc.so.13") + "another build");
  EXPECT_EQ(run("Kernel", {{"CUPOLA_CUDA_LIBRARY_PATH", other}}), kCompiled);
  EXPECT_EQ(run("Kernel", {{"CUPOLA_CUDA_LIBRARY_PATH", other}}), kFound);
}

TEST_F(CompiledCodeOnDisk, ACompilerThatTheLoaderFinds) {
  EXPECT_EQ(run("Kernel", {{"CUPOLA_CUDA_LIBRARY_PATH", ""}}), kCompiled);
  EXPECT_EQ(run("Kernel", {{"CUPOLA_CUDA_LIBRARY_PATH", ""}}), kFound);
  EXPECT_EQ(run("Kernel"), kFound);
}

TEST_F(CompiledCodeOnDisk, ADamagedEntryIsCompiledAgain) {
  EXPECT_EQ(run("Kernel"), kCompiled);
  write_text(entries().front(), read_text(entries().front()).substr(0, 60));
  EXPECT_EQ(run("Kernel"), kCompiled);
  EXPECT_EQ(run("Kernel"), kFound);
}

TEST_F(CompiledCodeOnDisk, CanBeTurnedOff) {
  for (const char* variable : {"CUPOLA_DISK_CACHE", "CUPOLA_CACHE_DIR"}) {
    const std::string off = variable == std::string("CUPOLA_CACHE_DIR") ? "" : "0";
    EXPECT_EQ(run("Kernel", {{variable, off}}), kCompiled);
    EXPECT_EQ(run("Kernel", {{variable, off}}), kCompiled);
    EXPECT_FALSE(fs::exists(folder.path() / "cache"));
  }
}

TEST_F(CompiledCodeOnDisk, ModulesKnowWhatTheyInclude) {
  const fs::path headers = folder.path() / "headers", others = folder.path() / "other headers";
  fs::create_directories(headers);
  write_text(headers / "a.h", "#include \"b.h\"\n");
  write_text(headers / "b.h", "// b\n");
  settings["TEST_TEXT"] = "#include <a.h>\n";
  settings["TEST_OPTION"] = "-I" + headers.string();
  EXPECT_EQ(run("Module"), kCompiled);
  EXPECT_EQ(run("Module", {{"FAKE_NVRTC_BROKEN", "1"}}), kFound);
  fs::rename(headers, others);
  EXPECT_EQ(run("Module"), kCompiled) << "the header is gone";
  settings["TEST_OPTION"] = "--include-path=" + others.string();
  EXPECT_EQ(run("Module"), kFound) << "the same headers in another folder";
  write_text(others / "b.h", "// B\n");
  EXPECT_EQ(run("Module"), kCompiled);
  EXPECT_EQ(run("Module"), kFound);
}

TEST_F(CompiledCodeOnDisk, ModulesThatAKeyCannotDescribeAreCompiled) {
  for (const char* option : {"-G", "--generate-line-info", "--create-pch=x", "--time=x"}) {
    EXPECT_EQ(run("Module", {{"TEST_OPTION", option}}), kCompiled) << option;
    EXPECT_EQ(run("Module", {{"TEST_OPTION", option}}), kCompiled) << option;
  }
  EXPECT_EQ(run("Module", {{"TEST_TEXT", "const char* made = __DATE__;"}}), kCompiled);
  EXPECT_EQ(run("Module", {{"TEST_TEXT", "const char* made = __DATE__;"}}), kCompiled);
}

}  // namespace
}  // namespace cupola::cuda
