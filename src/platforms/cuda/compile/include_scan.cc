#include "platforms/cuda/compile/include_scan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t";

std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Of `"name"` or `<name>` at the beginning; nothing for anything else.
std::optional<std::string_view> quoted_name(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return std::nullopt;
  const std::size_t end = text.find(text[0] == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(1, end - 1);
}

// The files that one text names.
class NamedFiles {
 public:
  explicit NamedFiles(bool may_compute) : may_compute_(may_compute) {}
  // Whether all of them are known.
  bool find_in(std::string_view text) {
    for (const std::string_view word : {"__DATE__", "__TIME__", "__TIMESTAMP__", "#embed"}) {
      if (text.find(word) != std::string_view::npos) return false;
    }
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      if (!read_line(text.substr(0, end + 1))) return false;
      text.remove_prefix(end + 1);
    }
    return true;
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  bool read_line(std::string_view line) {
    line = skip_blanks(line);
    if (line.empty() || line[0] != '#') return true;
    line = skip_blanks(line.substr(1));
    const auto end = std::find_if_not(line.begin(), line.end(), is_word);
    const std::string_view directive(line.begin(), end);
    line.remove_prefix(directive.size());
    // A directive in several pieces.
    if (!line.empty() && (line[0] == '\\' || (directive.empty() && line[0] == '/'))) return false;
    if (directive == "include" || directive == "include_next") return add(skip_blanks(line));
    return read_questions(line, directive == "define");
  }

  // __has_include(...), or a macro of the user's that stands for it.
  bool read_questions(std::string_view line, bool in_definition) {
    constexpr std::string_view kQuestions[] = {"has_include", "HAS_INCLUDE"};
    for (const std::string_view question : kQuestions) {
      for (std::size_t at = line.find(question); at != std::string_view::npos;
           at = line.find(question, at + 1)) {
        const std::string_view rest = skip_blanks(line.substr(at + question.size()));
        if (!rest.starts_with("(")) continue;
        if (!add(skip_blanks(rest.substr(1))) && !in_definition) return false;
      }
    }
    return true;
  }

  bool add(std::string_view quoted) {
    const auto name = quoted_name(quoted);
    if (name) names_.push_back(*name);
    return name.has_value() || may_compute_;
  }

  const bool may_compute_;
  std::vector<std::string_view> names_;
};

class Scan {
 public:
  explicit Scan(const IncludeFolders& folders) : folders_(folders) {}

  // A text in a folder, and all that it includes.
  bool add(const std::string& text, const fs::path& folder, bool of_toolkit) {
    NamedFiles files(of_toolkit);
    if (!files.find_in(text)) return false;
    for (const std::string_view name : files.names()) {
      found_ += fmt::format("{}\n", name);
      if (!add_file(folder / name, of_toolkit)) return false;
      for (const std::string& each : folders_.own) {
        if (!add_file(fs::path(each) / name, false)) return false;
      }
      for (const std::string& each : folders_.toolkit) {
        if (!add_file(fs::path(each) / name, true)) return false;
      }
    }
    return true;
  }
  Hash128 hash() const { return hash128(found_); }

 private:
  bool add_file(const fs::path& path, bool of_toolkit) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      found_ += "absent\n";
      return true;
    }
    if (!seen_.emplace(status.st_dev, status.st_ino).second) {
      found_ += "known\n";
      return true;
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    if (!file.read(text.data(), status.st_size)) return false;
    found_ += to_string(hash128(text)) + "\n";
    return add(text, path.parent_path(), of_toolkit);
  }

  const IncludeFolders& folders_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::string found_;
};

}  // namespace

std::optional<Hash128> hash_of_includes(const std::string& text, const IncludeFolders& folders) {
  Scan scan(folders);
  if (!scan.add(text, fs::path("."), false)) return std::nullopt;
  return scan.hash();
}

}  // namespace cupola::cuda
