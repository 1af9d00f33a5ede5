#include "platforms/cuda/compile/include_scan.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/testing/temporary_folder.h"
#include "platforms/cuda/compile/module_key.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_text;

class IncludeScan : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"first", "second", "first/deep"}) {
      fs::create_directory(folder.path() / name);
    }
  }
  fs::path first(const char* name) const { return folder.path() / "first" / name; }
  fs::path second(const char* name) const { return folder.path() / "second" / name; }
  std::optional<Hash128> hash(const std::string& text) const {
    return hash_of_includes(text, {.own = {first("").string(), second("").string()}});
  }
  // Whether the hash of the text changes with the content of a file.
  bool depends_on(const std::string& text, const fs::path& file) const {
    write_text(file, "// one\n");
    const auto before = hash(text);
    write_text(file, "// two\n");
    const auto after = hash(text);
    fs::remove(file);
    return before && after && before != after && hash(text) != after;
  }

  const TemporaryFolder folder;
};

TEST_F(IncludeScan, FindsWhatIsIncluded) {
  for (const char* text :
       {"#include <x.h>", "#include \"x.h\"", "a\n  #  include\t<x.h> // why\nb",
        "#if 0\n#include <x.h>\n#endif\n", "#if __has_include(<x.h>)\n", "#include_next <x.h>\n",
        "#if defined(A) && __has_include ( \"x.h\" )",
        "#define HAS_INCLUDE(name) __has_include(name)\n#if HAS_INCLUDE(<x.h>)\n"}) {
    EXPECT_TRUE(depends_on(text, first("x.h"))) << text;
    EXPECT_TRUE(depends_on(text, second("x.h"))) << text;
  }
  EXPECT_FALSE(depends_on("#include <y.h>\n// x.h\n", first("x.h")));
  EXPECT_NE(hash("#include <x.h>"), hash("#include <y.h>"));
}

TEST_F(IncludeScan, GoesIntoWhatItFinds) {
  write_text(first("x.h"), "#include \"deep/y.h\"\n#include <x.h>\n");
  write_text(first("deep/y.h"), "#include \"z.h\"\n");
  EXPECT_TRUE(depends_on("#include <x.h>", first("deep/z.h")));
  EXPECT_TRUE(depends_on("#include <x.h>", second("z.h")));
  EXPECT_TRUE(depends_on("#include <x.h>", second("x.h"))) << "an included file of the same name";
}

TEST_F(IncludeScan, SaysWhenItCannotTell) {
  for (const char* text :
       {"#include NAME\n", "#inc\\\nlude <x.h>\n", "#/**/include <x.h>\n", "#include <x.h\n",
        "#if __has_include(NAME)\n", "char t[] = __TIME__;", "#include"}) {
    EXPECT_FALSE(hash(text)) << text;
  }
  write_text(first("x.h"), "#include NAME\n");
  EXPECT_FALSE(hash("#include <x.h>"));
  EXPECT_TRUE(hash("#define INCLUDE #include\n#pragma include\n"));
  EXPECT_TRUE(hash_of_includes("#include <x.h>", {.toolkit = {first("").string()}}));
  EXPECT_FALSE(hash_of_includes("#include NAME", {.toolkit = {first("").string()}}));
}

TEST_F(IncludeScan, ModulesWithTheToolkitsHeadersHaveAKey) {
  const std::vector<std::string> toolkit = cuda_include_folders();
  if (toolkit.empty()) GTEST_SKIP() << "no CUDA headers here";
  for (const char* header :
       {"cuda_fp16.h", "cooperative_groups.h", "cuda/std/complex", "cub/block/block_reduce.cuh"}) {
    const ModuleSource source{.text = std::string("#include <") + header + ">\n"};
    EXPECT_TRUE(module_key(source, 90, toolkit)) << header;
  }
}

TEST_F(IncludeScan, TheFormsOfOptions) {
  const auto key = [&](std::vector<std::string> options) {
    return module_key({.text = "#include <x.h>\n", .options = std::move(options)}, 90, {});
  };
  write_text(first("x.h"), "// x\n");
  const std::string path = first("").string();
  const auto expected = key({"-I" + path, "-DA"});
  EXPECT_EQ(key({"-I", path, "-DA"}), expected);
  EXPECT_EQ(key({"-I=" + path, "-DA"}), expected);
  EXPECT_EQ(key({"-DA", "--include-path=" + path}), expected);
  EXPECT_EQ(key({"--include-path", path, "-DA"}), expected);
  EXPECT_NE(key({"-I" + path, "-DB"}), expected);
  EXPECT_NE(key({"-I" + path}), expected);
  EXPECT_NE(key({"-DA"}), expected);
  const auto before = key({"-I" + path, "-DA", "--pre-include=y.h"});
  EXPECT_NE(before, expected);
  write_text(first("y.h"), "// y\n");
  const auto now = key({"-I" + path, "-DA", "--pre-include=y.h"});
  EXPECT_NE(now, before);
  EXPECT_EQ(key({"-I" + path, "-DA", "-include", "y.h"}), now);
  EXPECT_NE(key({"-I" + path, "-DA", "-include", "x.h"}), now);
}

}  // namespace
}  // namespace cupola::cuda
