#include "platforms/cpu/simt/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "cupola/error.h"

namespace cupola::cpu {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Token {
  std::string_view text;  // empty at the end
  std::size_t at = 0;
  int line = 0;
  bool is_of_system = false;  // in a header of the host
};

// Words, literals, "::" and single characters of preprocessed text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next() {
    skip_blanks();
    const std::size_t begin = at_;
    if (begin < text_.size()) at_ = end_of_token();
    return {text_.substr(begin, at_ - begin), begin, line_, is_of_system_};
  }

 private:
  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        if (at_ + 1 < text_.size() && text_[at_ + 1] == '#') skip_marker();
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) {
        return;
      }
    }
  }
  // # 12 "file" flags: the next line is line 12 of the file; 3 marks headers of the system. Other
  // directives that are left are pragmas.
  void skip_marker() {
    const std::size_t end = std::min(text_.find('\n', at_ + 1), text_.size());
    const std::string_view marker = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end - 1;
    const std::size_t name = marker.find('"');
    if (marker.size() < 3 || std::isdigit(static_cast<unsigned char>(marker[2])) == 0 ||
        name == marker.npos) {
      return;
    }
    line_ = std::atoi(marker.data() + 2) - 1;
    const std::string_view flags = marker.substr(marker.rfind('"') + 1);
    is_of_system_ =
        flags.find('3') != flags.npos || !marker.substr(name + 1).starts_with(kKernelFile);
  }
  std::size_t end_of_token() const {
    std::size_t end = at_ + 1;
    if (is_word(text_[at_])) {
      while (end < text_.size() && is_word(text_[end])) ++end;
      if (end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R') return end_of_raw(end);
      return end;
    }
    if (text_.substr(at_, 2) == "::") return end + 1;
    if (text_[at_] != '"' && text_[at_] != '\'') return end;
    while (end < text_.size() && text_[end] != text_[at_]) end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
  }
  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = std::min(text_.find('(', quote), text_.size() - 1);
    const std::string close = fmt::format("){}\"", text_.substr(quote + 1, open - quote - 1));
    const std::size_t end = text_.find(close, open);
    return end == text_.npos ? text_.size() : end + close.size();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_of_system_ = true;
};

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : text_(text) {
    Lexer lexer(text);
    for (Token token = lexer.next(); !token.text.empty(); token = lexer.next()) {
      tokens_.push_back(token);
      if (token.text == "volatile" && !token.is_of_system) note_volatile(lexer);
    }
  }
  SimtText take(const std::vector<std::string>& name_expressions) {
    while (at_ < tokens_.size()) step();
    copy_to(text_.size());
    add_table(name_expressions);
    return {std::move(result_), std::move(kernels_)};
  }

 private:
  enum class Scope : std::uint8_t { open, named, body };  // extern "C", a namespace, all else
  struct OpenScope {
    Scope kind;
    std::string name;
  };

  std::string_view word(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view{};
  }
  void copy_to(std::size_t end) {
    if (end <= copied_) return;
    result_ += text_.substr(copied_, end - copied_);
    copied_ = end;
  }
  void replace(std::size_t first, std::size_t last, std::string_view by) {
    copy_to(tokens_[first].at);
    // Lines are counted on.
    const std::size_t end = tokens_[last].at + tokens_[last].text.size();
    const std::string_view gone = text_.substr(copied_, end - copied_);
    result_ += by;
    result_.append(static_cast<std::size_t>(std::count(gone.begin(), gone.end(), '\n')), '\n');
    copied_ = end;
  }
  // The declared name stands in front of what ends the declarator.
  void note_volatile(Lexer& lexer) {
    has_volatile_ = true;
    std::string_view name;
    for (Token token = lexer.next(); !token.text.empty(); token = lexer.next()) {
      tokens_.push_back(token);
      if (std::string_view(",;)=[{(").find(token.text) != std::string_view::npos) break;
      if (is_word(token.text.front())) name = token.text;
    }
    volatile_.insert(name);
  }
  bool is_in_body() const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [](const OpenScope& scope) { return scope.kind == Scope::body; });
  }

  void step() {
    if (const auto found = inserted_.find(at_); found != inserted_.end()) {
      copy_to(tokens_[at_].at);
      result_ += found->second;
    }
    const std::string_view text = word(at_);
    if (text == "{") {
      open_scope();
    } else if (text == "}") {
      if (!scopes_.empty()) scopes_.pop_back();
      begin_declaration();
    } else if (text == ";") {
      begin_declaration();
    } else if (text == "template") {
      is_template_ = true;
    } else if (text == "__global__") {
      replace(at_, at_, "");
      note_kernel();
    } else if (text == "__shared__") {
      note_shared();
    } else if (text == "asm" || text == "__asm__" || text == "__asm") {
      refuse_assembler();
    } else if (has_volatile_ && !tokens_[at_].is_of_system && (text == "while" || text == "for")) {
      note_loop(text == "for");
    } else if (const auto known = dynamic_.find(text); known != dynamic_.end() && is_own_name()) {
      replace(at_, at_, known->second);
    }
    ++at_;
  }
  void begin_declaration() {
    is_template_ = false;
    declaration_ = at_ + 1;
  }
  // A member or a name of a namespace is another one.
  bool is_own_name() const {
    if (at_ == 0) return true;
    const std::string_view before = word(at_ - 1);
    return before != "." && before != "::" && !(before == ">" && at_ > 1 && word(at_ - 2) == "-");
  }

  void open_scope() {
    OpenScope scope{Scope::body, ""};
    const std::string_view first = word(declaration_);
    if (at_ == declaration_ + 2 && first == "extern") scope.kind = Scope::open;
    const bool is_inline = first == "inline" && word(declaration_ + 1) == "namespace";
    if (first == "namespace" || is_inline) {
      scope.kind = Scope::named;
      for (std::size_t i = declaration_ + (is_inline ? 2 : 1); i < at_; ++i) scope.name += word(i);
    }
    scopes_.push_back(std::move(scope));
    begin_declaration();
  }

  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (word(i) == "(") ++depth;
      if (word(i) == ")" && --depth == 0) return i;
    }
    return tokens_.size();
  }

  // The name stands before the parameters.
  void note_kernel() {
    if (is_template_) return;
    for (std::size_t i = at_ + 1; i + 1 < tokens_.size(); ++i) {
      if (word(i) == "{" || word(i) == ";") return;
      if (word(i + 1) != "(" || !is_word(word(i).front())) continue;
      if (word(i) == "__attribute__" || word(i) == "alignas") {
        i = closing(i + 1);
        continue;
      }
      std::string name;
      for (const OpenScope& scope : scopes_) {
        if (scope.kind == Scope::named && !scope.name.empty()) name += scope.name + "::";
      }
      name += word(i);
      if (std::find(kernels_.begin(), kernels_.end(), name) == kernels_.end()) {
        kernels_.push_back(std::move(name));
      }
      return;
    }
  }

  // alignas, which nvcc takes behind __shared__, goes to the front, where C++ has it.
  void replace_fixed_shared() {
    if (word(at_ + 1) != "alignas") return replace(at_, at_, "thread_local");
    const std::size_t last = std::min(closing(at_ + 2), tokens_.size() - 1);
    const auto text_of = [&](std::size_t first, std::size_t behind) {
      std::string result;
      for (std::size_t i = first; i < behind; ++i) result.append(word(i)).append(" ");
      return result;
    };
    replace(declaration_, last,
            text_of(at_ + 1, last + 1) + text_of(declaration_, at_) + "thread_local");
    at_ = last;
  }

  void note_shared() {
    std::size_t end = at_;
    while (end < tokens_.size() && word(end) != ";") ++end;
    bool is_extern = false;
    for (std::size_t i = declaration_; i < end; ++i) is_extern |= word(i) == "extern";
    if (!is_extern || end >= tokens_.size()) {
      replace_fixed_shared();
      has_fixed_shared_ = true;
      return;
    }
    std::size_t bracket = end;
    while (bracket > at_ && word(bracket) != "[") --bracket;
    if (bracket < at_ + 2) return;  // the compiler says what it is
    std::string type;
    for (std::size_t i = declaration_; i + 1 < bracket; ++i) {
      if (word(i) == "__attribute__" || word(i) == "alignas") {
        i = closing(i + 1);
      } else if (word(i) != "extern" && word(i) != "__shared__" && word(i) != "static") {
        type += word(i);
        type += ' ';
      }
    }
    const std::string array =
        fmt::format("(*reinterpret_cast<{}(*)[]>(cupola_simt::self()->shared))", type);
    const std::string name(word(bracket - 1));
    if (is_in_body()) {
      replace(declaration_, end - 1,
              fmt::format("[[maybe_unused]] {}(&{})[] = {}", type, name, array));
    } else {
      replace(declaration_, end - 1, "");
      dynamic_[name] = array;
    }
    at_ = end - 1;
  }

  // A thread that waits in a loop for what another one writes to volatile memory leaves it a turn.
  // Conditions that declare or assign a variable are left alone.
  void note_loop(bool is_for) {
    std::size_t begin = at_ + 2, end = closing(at_ + 1);
    if (word(at_ + 1) != "(" || end >= tokens_.size()) return;
    if (is_for) {
      begin = next_at_level(begin, end, ";");
      if (begin == end) return;  // over a range
      end = next_at_level(++begin, end, ";");
      if (counts(begin, end)) return;
    }
    if (begin == end) {
      inserted_[end] = "cupola_simt::turn()";
    } else if (!assigns(begin, end)) {
      inserted_[begin] = "cupola_simt::turn() && (" + inserted_[begin];
      inserted_[end] += ")";
    }
  }
  // i < n: it ends by itself, unless volatile memory or a function says when.
  bool counts(std::size_t begin, std::size_t end) const {
    bool compares = false;
    for (std::size_t i = begin; i < end; ++i) {
      compares = compares || word(i) == "<" || word(i) == ">";
      const bool is_call = word(i) == "(" && i > begin && is_word(word(i - 1).front());
      if (is_call || word(i) == "volatile" || volatile_.contains(word(i))) return false;
    }
    return compares;
  }
  std::size_t next_at_level(std::size_t at, std::size_t end, std::string_view text) const {
    for (int depth = 0; at < end; ++at) {
      if (word(at) == text && depth == 0) return at;
      if (word(at) == "(" || word(at) == "{" || word(at) == "[") ++depth;
      if (word(at) == ")" || word(at) == "}" || word(at) == "]") --depth;
    }
    return end;
  }
  bool assigns(std::size_t begin, std::size_t end) const {
    constexpr std::string_view kOperators = "=!<>+-*/%&|^";
    for (std::size_t i = next_at_level(begin, end, "="); i < end;
         i = next_at_level(i + 1, end, "=")) {
      if (word(i + 1) == "=") {
        ++i;
      } else if (i == begin || kOperators.find(word(i - 1)) == kOperators.npos) {
        return true;
      }
    }
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (is_word(word(i).front()) && is_word(word(i - 1).front())) return true;
    }
    return false;
  }

  void refuse_assembler() const {
    if (tokens_[at_].is_of_system) return;
    throw CompileError(fmt::format(
        "{}({}): error: inline PTX has no meaning on a CPU; keep it for GPUs by #if __CUDA_ARCH__ "
        ">= 800, with C++ for all else, or run the kernel on a device 'cuda:...'",
        kKernelFile, tokens_[at_].line));
  }

  void add_table(const std::vector<std::string>& name_expressions) {
    result_ += "\nextern \"C\" const cupola_simt::KernelEntry cupola_kernels[] = {\n";
    const auto add = [&](const std::string& name) {
      result_ += fmt::format("  cupola_simt::KernelOf<(&{0})>::entry(R\"cupola({1})cupola\"),\n",
                             name.starts_with("&") ? name.substr(1) : name, name);
    };
    for (const std::string& name : kernels_) add(name);
    for (const std::string& name : name_expressions) add(name);
    result_ += "  {nullptr, nullptr, nullptr, 0}};\n";
    if (has_fixed_shared_) result_ += "extern \"C\" {\nthread_local char cupola_shared[0];\n}\n";
  }

  const std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0, declaration_ = 0, copied_ = 0;
  bool is_template_ = false, has_fixed_shared_ = false, has_volatile_ = false;
  std::set<std::string_view> volatile_;          // names of variables
  std::map<std::size_t, std::string> inserted_;  // in front of tokens
  std::vector<OpenScope> scopes_;
  std::map<std::string, std::string, std::less<>> dynamic_;  // extern __shared__ of namespaces
  std::string result_;
  std::vector<std::string> kernels_;
};

}  // namespace

SimtText simt_text(std::string_view preprocessed,
                   const std::vector<std::string>& name_expressions) {
  return Rewriter(preprocessed).take(name_expressions);
}

}  // namespace cupola::cpu
