#include "forked.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <set>
#include <utility>

#include "base/testing/child.h"
#include "cupola/error.h"
#include "oracle.h"

namespace cupola::programs {
namespace {

constexpr unsigned kSeconds = 20;  // more is a hang
constexpr int kWrong = 1;
constexpr std::size_t kMaxText = 2000;  // fits into a pipe

// What other threads do in the section that a fork is in: nobody knows how far they were.
struct Others {
  std::set<int> variables;  // that they assign
  std::set<int> memory;     // that they change
};

class Child {
 public:
  Child(const Fork& fork, Worker& worker)
      : fork_(fork), own_(fork.program.statements[fork.at]), worker_(worker) {
    const auto& statements = fork.program.statements;
    while (own_.section != 0 && begin_ > 0 && statements[begin_ - 1].section == own_.section) {
      --begin_;
    }
    others_ = look_at_others();
    for (std::size_t i = 0; i < fork.at; ++i) {
      if (i < begin_ || statements[i].thread == own_.thread) catch_up(i);
    }
  }

  // What is wrong.
  std::optional<std::string> run() {
    if (fork_.platform != PlatformKind::cpu) return run_beside_inherited();
    if (auto wrong = check_received()) return wrong;
    return run_statements(worker_, oracle_);
  }

 private:
  struct Received {
    std::size_t at;
    std::vector<std::int64_t> expected;
  };

  bool happened(std::size_t i) const { return !fork_.outcomes[i].error; }

  void catch_up(std::size_t i) {
    const Statement& s = fork_.program.statements[i];
    if (!happened(i)) return oracle_.fail(s);
    if (fork_.outcomes[i].received) received_.push_back({i, oracle_.values(s.a)});
    oracle_.apply(s);
  }

  Others look_at_others() const {
    const auto& statements = fork_.program.statements;
    Others others;
    Oracle oracle(fork_.program);
    for (std::size_t i = 0; i < begin_; ++i) {
      if (happened(i)) oracle.apply(statements[i]);
    }
    std::set<int> old;
    for (int i = 0; i < fork_.program.arrays; ++i) {
      if (oracle.variable(i).exists()) old.insert(oracle.variable(i).memory->id);
    }
    for (std::size_t i = begin_; own_.section != 0 && i < statements.size(); ++i) {
      const Statement& s = statements[i];
      if (s.section != own_.section) break;
      if (s.thread != own_.thread) {
        if (makes_array(s.kind)) others.variables.insert(s.target);
        if (s.kind == Kind::drop) others.variables.insert(s.a);
        const auto& memory = oracle.variable(s.a).memory;
        if (changes_array(s.kind) && memory && old.contains(memory->id)) {
          others.memory.insert(memory->id);
        }
      }
      oracle.apply(s);
    }
    return others;
  }

  // The arrays of which it is known what they hold.
  std::vector<int> known_arrays() const {
    std::vector<int> known;
    for (int i = 0; i < fork_.program.arrays; ++i) {
      const Variable& variable = oracle_.variable(i);
      if (variable.exists() && oracle_.is_defined(i) && !others_.variables.contains(i) &&
          !others_.memory.contains(variable.memory->id)) {
        known.push_back(i);
      }
    }
    return known;
  }

  std::optional<std::string> check_received() {
    try {
      for (int i = 0; i < fork_.program.devices; ++i) {
        synchronize(device_of(fork_.program, fork_.platform, i));
      }
    } catch (...) {
      const std::string text = unexpected(std::current_exception(), fork_.tolerance);
      return text.empty() ? std::nullopt : std::optional("synchronize threw: " + text);
    }
    for (const auto& [at, expected] : received_) {
      const std::string text = first_difference(expected, fork_.outcomes[at].received());
      if (!text.empty()) return to_text(fork_.program.statements[at]) + "\n  " + text;
    }
    return std::nullopt;
  }

  // What belongs to the parent is refused; CPU devices work.
  std::optional<std::string> run_beside_inherited() {
    for (const int number : known_arrays()) {
      if (oracle_.variable(number).count == 0) continue;
      Outcome outcome;
      worker_.execute({.kind = Kind::read, .a = number}, outcome);
      try {
        if (!outcome.error) return fmt::format("a{} of the parent can be read", number);
        std::rethrow_exception(outcome.error);
      } catch (const ForkedProcessError&) {
        continue;
      }
    }
    Common common(fork_.program);
    Worker worker(PlatformKind::cpu, common);
    Oracle oracle(fork_.program);
    oracle_ = oracle;
    return run_statements(worker, oracle);
  }

  std::optional<std::string> run_statements(Worker& worker, Oracle& oracle) {
    for (const Statement& s : statements()) {
      Outcome outcome;
      worker.execute(s, outcome);
      if (auto wrong = judge(s, outcome, oracle, fork_.tolerance)) return wrong;
    }
    return std::nullopt;
  }

  std::vector<Statement> statements() const {
    const bool is_cpu = fork_.platform == PlatformKind::cpu;
    const int devices = is_cpu ? fork_.program.devices : device_count(PlatformKind::cpu);
    const std::int64_t device = own_.n % devices;
    const int on = static_cast<int>(device);
    const int x = fork_.program.arrays - kChildArrays;
    const int y = x + 1;
    const int z = x + 2;
    const std::int64_t seed = own_.value;
    const auto source = static_cast<Source>(static_cast<std::uint64_t>(seed) % 5);
    const std::vector<int> known = known_arrays();
    std::vector<Statement> all;
    const auto read_all = [&] {
      for (const int i : known) all.push_back({.kind = Kind::read, .a = i});
    };
    read_all();
    all.push_back({.kind = Kind::full, .target = x, .b = on, .n = 900, .value = seed});
    all.push_back(
        {.kind = Kind::upload, .target = y, .b = on, .n = 700, .value = seed, .source = source});
    all.push_back({.kind = Kind::use_stream, .n = device, .value = 3});
    all.push_back({.kind = Kind::add, .target = z, .a = x, .b = y});
    all.push_back({.kind = Kind::move, .target = x, .a = z, .n = (device + 1) % devices});
    if (!known.empty()) {
      const int a = known[static_cast<std::uint64_t>(seed) % known.size()];
      all.push_back({.kind = Kind::running, .target = y, .a = a});
      all.push_back({.kind = Kind::add_to, .a = a, .b = a});
      all.push_back({.kind = Kind::set_value, .a = a, .n = 2, .value = seed});
    }
    all.push_back({.kind = Kind::add_to, .a = z, .b = z});
    all.push_back({.kind = Kind::trim, .n = device});
    for (const int i : {x, y, z}) all.push_back({.kind = Kind::read, .a = i});
    read_all();
    return all;
  }

  const Fork& fork_;
  const Statement& own_;
  Worker& worker_;
  std::size_t begin_ = fork_.at;  // of the section
  Oracle oracle_{fork_.program};
  std::vector<Received> received_;
  Others others_;
};

[[noreturn]] void be_child(const Fork& where, Worker& worker, int report) {
  alarm(kSeconds);
  std::string text;
  try {
    text = Child(where, worker).run().value_or("");
  } catch (const std::exception& error) {
    text = fmt::format("threw: {}", error.what());
  }
  if (text.empty()) _exit(0);
  [[maybe_unused]] const auto written = write(report, text.data(), std::min(text.size(), kMaxText));
  _exit(kWrong);
}

std::optional<std::string> problem_of(int status, int report) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return kChildHangs;
  if (WIFSIGNALED(status)) return fmt::format("it died: {}", strsignal(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  std::string text(kMaxText, '\0');
  const ssize_t count = read(report, text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text.empty() ? fmt::format("it ended with {:#x}", status) : text;
}

}  // namespace

std::optional<std::string> run_child(const Fork& where, Worker& worker) {
  if (!kChildrenMayWork) return std::nullopt;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fmt::format("no pipe: {}", strerror(errno));
  const pid_t child = fork();
  if (child == 0) be_child(where, worker, ends[1]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  auto problem = child > 0 ? problem_of(status, ends[0])
                           : std::optional(fmt::format("no fork: {}", strerror(errno)));
  close(ends[0]);
  close(ends[1]);
  return problem;
}

}  // namespace cupola::programs
