// Makes programs. An oracle runs along, so that most statements find the arrays that they need and
// threads that run at once do not write what others use.

#include <algorithm>
#include <array>
#include <set>

#include "oracle.h"
#include "platforms/cpu/adversary/random.h"
#include "program.h"

namespace cupola::programs {
namespace {

using cpu::adversary::Random;

constexpr int kArrays = 10;
constexpr int kStreams = 3;
constexpr int kTurns = 4;        // a schedule is kept at the second and found from the third on
constexpr double kForks = 0.01;  // of the statements: each takes as long as some hundred others

class Generator {
 public:
  Generator(std::uint64_t seed, const Limits& limits) : random_(seed) {
    program_.seed = seed;
    program_.devices = 1 + below(limits.devices);
    program_.has_set = limits.with_set && program_.devices > 1;
    program_.devices += program_.has_set;
    program_.threads = limits.in_threads ? 1 + below(3) : 1;
    program_.arrays = kArrays * (program_.threads + 1);
    length_ = 4 + below(limits.most_statements - 3);
  }

  Program make() {
    Oracle oracle(program_);
    while (static_cast<int>(program_.statements.size()) < length_) {
      if (program_.threads > 1 && random_.chance(0.05)) {
        add_section(oracle);
      } else if (random_.chance(0.03)) {
        add_turns(oracle);
      } else {
        add(draw_useful(oracle, below(program_.threads)), oracle);
      }
    }
    return std::move(program_);
  }

 private:
  int below(int count) { return static_cast<int>(random_.below(static_cast<std::size_t>(count))); }

  void add(const Statement& statement, Oracle& oracle) {
    oracle.apply(statement);
    program_.statements.push_back(statement);
  }

  std::int64_t size() {
    static constexpr std::array<std::int64_t, 8> kSizes{1, 3, 17, 64, 500, 2000, 9000, 70000};
    const std::int64_t size = kSizes[random_.below(random_.chance(0.15) ? 8 : 6)];
    return random_.chance(0.03) ? 0 : size;
  }

  Kind kind() {
    static constexpr std::array<Kind, 49> kKinds{
        Kind::full,       Kind::upload,     Kind::upload,     Kind::lend,       Kind::add,
        Kind::add,        Kind::add,        Kind::multiply,   Kind::subtract,   Kind::maximum,
        Kind::cast,       Kind::view,       Kind::view,       Kind::reverse,    Kind::sum,
        Kind::running,    Kind::gather,     Kind::move,       Kind::move,       Kind::add_to,
        Kind::add_to,     Kind::set_value,  Kind::set_from,   Kind::set_from,   Kind::set_host,
        Kind::read,       Kind::read,       Kind::drop,       Kind::drop,       Kind::drop,
        Kind::use_stream, Kind::use_stream, Kind::wait_all,   Kind::use_stream, Kind::wait_own,
        Kind::trim,       Kind::receive,    Kind::receive,    Kind::mark,       Kind::await_mark,
        Kind::fill,       Kind::call,       Kind::roll,       Kind::roll,       Kind::select,
        Kind::sum_chosen, Kind::sum_chosen, Kind::add_chosen, Kind::add_chosen};
    return random_.chance(kForks) ? Kind::fork : kKinds[random_.below(kKinds.size())];
  }

  // One of the arrays that exist, if there is one.
  int existing(const Oracle& oracle, int first, int last) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const int number = first + below(last - first);
      if (oracle.variable(number).exists()) return number;
    }
    return first + below(last - first);
  }

  // Most find the arrays that they need.
  Statement draw_useful(const Oracle& oracle, int thread) {
    Statement s = draw(oracle, thread, 0);
    for (int attempt = 0; attempt < 4 && !oracle.applies(s); ++attempt) s = draw(oracle, thread, 0);
    return s;
  }

  Statement draw(const Oracle& oracle, int thread, int section) {
    Statement s;
    s.kind = kind();
    s.thread = thread;
    s.section = section;
    s.target = below(kArrays);
    s.a = existing(oracle, 0, kArrays);
    s.b = existing(oracle, 0, kArrays);
    s.value = below(2000) - 1000;
    s.source = static_cast<Source>(below(5));
    if (s.kind <= Kind::lend) {
      s.n = size();
      s.b = below(program_.devices);
      s.step = random_.chance(0.7) ? 1 : 2;  // 1: int64, 2: int32
      if (s.kind == Kind::fill) s.a = below(kStreams);
    } else if (s.kind == Kind::view) {
      s.n = below(4);
      s.step = 1 + below(3);
    } else if (s.kind == Kind::gather) {
      s.n = size();
    } else if (s.kind == Kind::roll) {
      s.n = below(200) - 100;
    } else if (s.kind == Kind::add_chosen) {
      s.n = below(2000) - 1000;
    } else if (s.kind == Kind::set_value) {
      s.n = below(6);
    } else if (s.kind == Kind::move || s.kind >= Kind::mark) {
      s.n = below(program_.devices);
      if (s.kind == Kind::mark || s.kind == Kind::await_mark) {
        s.value = section == 0 ? below(4) : 4 + thread;
      }
      if (s.kind == Kind::use_stream) s.value = below(kStreams);
    }
    return s;
  }

  // The last statements again, as a loop has them: what threads know of work that comes again.
  void add_turns(Oracle& oracle) {
    const std::vector<Statement>& all = program_.statements;
    const std::size_t length = std::min<std::size_t>(2 + random_.below(7), all.size());
    const std::vector<Statement> turn(all.end() - static_cast<std::ptrdiff_t>(length), all.end());
    const bool is_plain = std::all_of(turn.begin(), turn.end(), [](const Statement& s) {
      return s.section == 0 && s.kind != Kind::fork;
    });
    if (!is_plain) return;
    for (int i = 0; i < kTurns; ++i) {
      for (const Statement& statement : turn) add(statement, oracle);
    }
  }

  // Every thread makes arrays in its own range of numbers, reads those and the old ones of the
  // common range, and writes only what it has made itself.
  void add_section(Oracle& oracle) {
    const int section = ++sections_;
    std::vector<std::set<int>> made(static_cast<std::size_t>(program_.threads));
    const int count = 4 + below(12);
    for (int i = 0; i < count; ++i) {
      const int thread = below(program_.threads);
      const int first = kArrays * (thread + 1);
      Statement s = draw(oracle, thread, section);
      s.target = first + below(kArrays);
      auto& mine = made[static_cast<std::size_t>(thread)];
      if (!uses_none(s.kind)) {
        const bool writes = changes_array(s.kind) || s.kind == Kind::drop;
        if (writes || random_.chance(0.5)) s.a = existing(oracle, first, first + kArrays);
        if (uses_two(s.kind) && random_.chance(0.5)) {
          s.b = existing(oracle, first, first + kArrays);
        }
        const Variable& a = oracle.variable(s.a);
        if (writes && (!a.exists() || !mine.contains(a.memory->id))) continue;
      }
      const bool applies = oracle.applies(s);
      add(s, oracle);
      const Variable& target = oracle.variable(s.target);
      const bool shares = s.kind == Kind::view || s.kind == Kind::reverse || s.kind == Kind::move;
      if (applies && makes_array(s.kind) && !shares) mine.insert(target.memory->id);
    }
  }

  Random random_;
  Program program_;
  int length_ = 0;
  int sections_ = 0;
};

}  // namespace

Program generate(std::uint64_t seed, const Limits& limits) {
  return Generator(seed, limits).make();
}

}  // namespace cupola::programs
