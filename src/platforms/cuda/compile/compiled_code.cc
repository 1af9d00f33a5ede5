#include "platforms/cuda/compile/compiled_code.h"

#include <algorithm>
#include <cstring>

#include "base/counters.h"
#include "base/files/user_cache.h"
#include "platforms/cuda/compile/nvrtc.h"

namespace cupola::cuda {
namespace {

// Texts and numbers one after the other, so that no two sequences give the same bytes.
class Writer {
 public:
  void number(std::uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  template <typename List>
  void texts(const List& list) {
    number(list.size());
    for (const auto& each : list) text(each);
  }
  void hash(const Hash128& hash) {
    number(hash.high);
    number(hash.low);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads them back; after anything unexpected there is nothing more to read.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof value);
    if (!failed_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  std::vector<std::string> texts() {
    std::vector<std::string> list;
    for (std::uint64_t count = number(); count > 0 && !failed_; --count) list.push_back(text());
    return list;
  }
  bool is_done() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    failed_ = failed_ || count > rest_.size();
    if (failed_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view rest_;
  bool failed_ = false;
};

// The entry of a task on disk: what else the code depends on. The version is the library's.
Hash128 disk_key(const Hash128& task, const std::string& compiler) {
  Writer key;
  key.hash(task);
  key.text(compiler);
  key.text(CUPOLA_VERSION);
  return hash128(key.bytes());
}

}  // namespace

Hash128 task_key(const CompileTask& task) {
  Writer key;
  key.text(task.file_name);
  key.hash(hash128(task.text));
  key.number(static_cast<std::uint64_t>(task.architecture));
  key.texts(task.options);
  key.texts(task.name_expressions);
  key.hash(task.includes);
  return hash128(key.bytes());
}

std::optional<CompiledModule> find_compiled(const Hash128& task) {
  FileCache& files = user_cache();
  if (files.settings().folder.empty()) return std::nullopt;
  const std::string compiler = nvrtc_identity();
  if (compiler.empty()) return std::nullopt;
  const std::optional<std::string> bytes = files.find(disk_key(task, compiler));
  auto code = bytes ? module_from(*bytes) : std::nullopt;
  if (code) count(Counter::compiled_found);
  return code;
}

void keep_compiled(const Hash128& task, const CompiledModule& code) {
  FileCache& files = user_cache();
  if (files.settings().folder.empty() || nvrtc().identity.empty()) return;
  files.store(disk_key(task, nvrtc().identity), to_bytes(code));
}

std::string to_bytes(const CompiledModule& code) {
  Writer writer;
  writer.text(code.image);
  writer.text(code.log);
  writer.number(code.lowered_names.size());
  for (const auto& [expression, name] : code.lowered_names) {
    writer.text(expression);
    writer.text(name);
  }
  writer.texts(code.kernels);
  return writer.bytes();
}

std::optional<CompiledModule> module_from(std::string_view bytes) {
  Reader reader(bytes);
  CompiledModule code;
  code.image = reader.text();
  code.log = reader.text();
  const std::uint64_t names = std::min<std::uint64_t>(reader.number(), bytes.size());
  for (std::uint64_t i = 0; i < names; ++i) {
    std::string expression = reader.text();
    code.lowered_names[std::move(expression)] = reader.text();
  }
  code.kernels = reader.texts();
  if (!reader.is_done()) return std::nullopt;
  return code;
}

}  // namespace cupola::cuda
