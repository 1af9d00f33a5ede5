#include "execution.h"

#include <barrier>
#include <thread>
#include <vector>

#include "cupola/cupola.h"
#include "forked.h"
#include "oracle.h"
#include "runtime/live_streams.h"
#include "worker.h"

namespace cupola::programs {
namespace {

// Runs statements first .. last - 1 of one thread each, all at once or (outside of sections) one.
class Execution {
 public:
  Execution(const Program& program, PlatformKind platform, const Tolerance& tolerance)
      : program_(program),
        platform_(platform),
        tolerance_(tolerance),
        common_(program),
        outcomes_(program.statements.size()) {
    for (int t = 0; t < program.threads; ++t) workers_.emplace_back(platform, common_);
  }

  std::vector<Outcome>& run() {
    std::vector<std::thread> threads;
    for (int t = 1; t < program_.threads; ++t) {
      threads.emplace_back([this, t] { take_turns(t); });
    }
    take_turns(0);
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < program_.devices; ++i) settle(device_of(program_, platform_, i));
    for (Outcome& outcome : outcomes_) {
      if (outcome.received) outcome.read = outcome.received();
    }
    return outcomes_;
  }
  bool made_all_calls() const { return common_.calls_made == common_.calls_asked; }

 private:
  std::size_t end_of_turn(std::size_t first) const {
    const auto& statements = program_.statements;
    std::size_t last = first + 1;
    if (statements[first].section == 0) return last;
    while (last < statements.size() && statements[last].section == statements[first].section) {
      ++last;
    }
    return last;
  }

  // Everything that was queued is done. What is pending still is computed here, which may fail.
  void settle(const Device& device) const {
    try {
      synchronize(device);
    } catch (...) {
      if (!unexpected(std::current_exception(), tolerance_).empty()) throw;
      for (const auto& stream : live_streams(device)) stream->synchronize();
    }
  }

  // All threads go through the program; each does its own statements, and a turn begins when
  // all have ended the one before.
  void take_turns(int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    for (std::size_t first = 0; first < program_.statements.size();) {
      const std::size_t last = end_of_turn(first);
      for (std::size_t i = first; i < last; ++i) {
        const Statement& s = program_.statements[i];
        if (s.thread == thread) execute(i, worker);
      }
      barrier_.arrive_and_wait();
      first = last;
    }
  }

  void execute(std::size_t i, Worker& worker) {
    const Statement& s = program_.statements[i];
    if (s.kind != Kind::fork) return worker.execute(s, outcomes_[i]);
    outcomes_[i].in_child = run_child({program_, i, outcomes_, platform_, tolerance_}, worker);
  }

  const Program& program_;
  const PlatformKind platform_;
  const Tolerance tolerance_;
  Common common_;
  std::vector<Outcome> outcomes_;
  std::vector<Worker> workers_;
  std::barrier<> barrier_{program_.threads};
};

}  // namespace

std::optional<std::string> run(const Program& program, PlatformKind platform,
                               const Tolerance& tolerance) {
  Program whole = program;
  whole.arrays += kChildArrays;
  for (int i = 0; i < program.arrays; ++i) {
    whole.statements.push_back({.kind = Kind::read, .thread = i % program.threads, .a = i});
  }
  Execution execution(whole, platform, tolerance);
  const std::vector<Outcome>& outcomes = execution.run();
  if (!execution.made_all_calls()) return "a host function was not called";
  Oracle oracle(whole);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto wrong = judge(whole.statements[i], outcomes[i], oracle, tolerance);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

}  // namespace cupola::programs
