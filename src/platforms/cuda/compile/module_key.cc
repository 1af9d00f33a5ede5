#include "platforms/cuda/compile/module_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "platforms/cuda/compile/compiled_code.h"
#include "platforms/cuda/compile/include_scan.h"
#include "platforms/cuda/compile/module_compiler.h"

namespace cupola::cuda {
namespace {

// Options that write files, read others, or put the paths of headers into the code.
bool is_beyond_a_key(std::string_view option) {
  const std::size_t dashes = std::min(option.find_first_not_of('-'), option.size());
  option.remove_prefix(dashes);
  const std::string_view name = option.substr(0, option.find('='));
  for (const std::string_view each : {"G", "device-debug", "lineinfo", "generate-line-info", "time",
                                      "t", "fdevice-time-trace", "options-file", "optf", "dir"}) {
    if (name == each) return true;
  }
  return name.find("pch") != std::string_view::npos || option.find('@') == 0;
}

// Takes the value of an option that is written NAME=VALUE, NAMEVALUE (for a name of one letter) or
// NAME and then VALUE.
class OptionReader {
 public:
  explicit OptionReader(const std::vector<std::string>& options) : options_(options) {}
  bool is_done() const { return at_ == options_.size(); }
  const std::string& take() { return options_[at_++]; }
  std::optional<std::string> take_value(std::string_view name) {
    const std::string_view option = options_[at_];
    if (!option.starts_with(name)) return std::nullopt;
    std::string_view rest = option.substr(name.size());
    if (rest.empty()) {
      if (at_ + 1 == options_.size()) return std::nullopt;
      at_ += 2;
      return options_[at_ - 1];
    }
    if (name.size() > 2 && rest[0] != '=') return std::nullopt;
    if (rest[0] == '=') rest.remove_prefix(1);
    ++at_;
    return std::string(rest);
  }

 private:
  const std::vector<std::string>& options_;
  std::size_t at_ = 0;
};

struct Options {
  std::vector<std::string> plain;  // that are part of the key as they are
  IncludeFolders folders;
  std::string before;  // headers in front of the text, as lines
};

std::optional<Options> sorted(const std::vector<std::string>& options) {
  Options result;
  for (OptionReader reader(options); !reader.is_done();) {
    if (auto header = reader.take_value("--pre-include")) {
      result.before += fmt::format("#include \"{}\"\n", *header);
    } else if (auto other = reader.take_value("-include")) {
      result.before += fmt::format("#include \"{}\"\n", *other);
    } else if (auto folder = reader.take_value("--include-path")) {
      result.folders.own.push_back(*folder);
    } else if (auto short_one = reader.take_value("-I")) {
      result.folders.own.push_back(*short_one);
    } else {
      const std::string& option = reader.take();
      if (is_beyond_a_key(option)) return std::nullopt;
      result.plain.push_back(option);
    }
  }
  return result;
}

}  // namespace

std::optional<Hash128> module_key(const ModuleSource& source, int architecture,
                                  const std::vector<std::string>& toolkit_folders) {
  auto options = sorted(source.options);
  if (!options) return std::nullopt;
  options->folders.toolkit = toolkit_folders;
  const std::string text = whole_text(source);
  const auto includes = hash_of_includes(options->before + text, options->folders);
  if (!includes) return std::nullopt;
  std::string headers = to_string(*includes);
  for (const auto& [path, header] : cupy_headers()) headers += header;
  return task_key({.text = text,
                   .file_name = kModuleFileName,
                   .architecture = architecture,
                   .options = options->plain,
                   .name_expressions = source.name_expressions,
                   .includes = hash128(headers)});
}

}  // namespace cupola::cuda
