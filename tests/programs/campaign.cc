#include "campaign.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "cupola/runtime.h"
#include "execution.h"
#include "forked.h"
#include "oracle.h"
#include "platforms/cpu/adversary/adversarial_driver.h"
#include "shrink.h"

namespace cupola::programs {
namespace {

constexpr int kFailed = 3;
constexpr const char* kHangs = "the program hangs\n";

bool is_hang(const std::string& problem) {
  return problem.starts_with(kHangs) || problem.find(kChildHangs) != std::string::npos;
}

// The process gave no verdict of its own. The hostile platform ends it with one.
bool is_crash(const std::string& problem, int status) {
  const bool has_judged = (WIFEXITED(status) && WEXITSTATUS(status) == kFailed) ||
                          problem.find("\ncupola: RaceError: ") != std::string::npos;
  return is_hang(problem) || !has_judged;
}

// Where a child process says how far it is; survives its death.
struct Progress {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<std::uint64_t> programs{0};
  std::atomic<std::uint64_t> statements{0};
  std::atomic<std::uint64_t> injected_faults{0};
};

Progress* shared_progress() {
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) Progress;
}

// Programs with these seeds have little memory, or calls that fail. Whole processes have little
// memory, so it goes by the process's first seed.
bool has_little_memory(std::uint64_t first_seed) { return first_seed % 3 == 0; }
std::string failures(std::uint64_t seed) { return seed % 4 == 0 ? "1/40" : ""; }

void set_environment(const Campaign& campaign, std::uint64_t first_seed) {
  if (!campaign.hostile) return;
  setenv("CUPOLA_PLATFORM", "cpu", 1);
  if (campaign.limits.with_set) {
    // What is as small as these arrays crosses the members' cuts.
    setenv("CUPOLA_STRIPE_THRESHOLD", "1", 1);
    setenv("CUPOLA_CPU_STRIPE_BYTES", "16", 1);
    setenv("CUPOLA_CPU_MAP_TILE", "64", 1);
  }
  setenv("CUPOLA_ADVERSARY", std::to_string(first_seed).c_str(), 1);
  setenv("CUPOLA_CPU_DEVICES", std::to_string(campaign.limits.devices).c_str(), 1);
  if (has_little_memory(first_seed)) setenv("CUPOLA_CPU_DEVICE_MEMORY", "1500000", 1);
}

// In a child process: the exit status.
int run_program(const Program& program, const Campaign& campaign, bool little_memory,
                Progress& progress) {
  alarm(static_cast<unsigned>(campaign.seconds_per_program));
  progress.seed = program.seed;
  const std::string faults = campaign.hostile ? failures(program.seed) : "";
  auto* hostile = campaign.hostile ? cpu::adversary::hostile_driver() : nullptr;
  if (hostile != nullptr) hostile->restart(program.seed, faults);
  const Tolerance tolerance{.out_of_memory = little_memory, .injected_faults = !faults.empty()};
  const auto platform = campaign.hostile ? PlatformKind::cpu : default_platform();
  const std::optional<std::string> wrong = run(program, platform, tolerance);
  if (hostile != nullptr) {
    progress.injected_faults += hostile->failed_calls();
    hostile->restart(program.seed);
  }
  if (wrong) {
    fmt::print("{}\n", *wrong);
    std::fflush(stdout);
    return kFailed;
  }
  ++progress.programs;
  progress.statements += program.statements.size();
  return 0;
}

class Child {
 public:
  // `work` gives the exit status.
  Child(const std::function<int(Progress&)>& work)
      : progress_(shared_progress()), output_(std::tmpfile()) {
    std::fflush(stdout);
    process_ = fork();
    if (process_ != 0) return;
    dup2(fileno(output_), 1);
    dup2(fileno(output_), 2);
    int status = kFailed;
    try {
      status = work(*progress_);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "threw: %s\n", error.what());
    }
    std::fflush(stdout);
    std::exit(status);
  }
  ~Child() {
    munmap(progress_, sizeof(Progress));
    std::fclose(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t process() const { return process_; }
  const Progress& progress() const { return *progress_; }
  // Of a process that has ended; nothing when it was content.
  std::optional<std::string> problem(int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
    std::string text = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? kHangs
                       : WIFSIGNALED(status)
                           ? fmt::format("the process died: {}\n", strsignal(WTERMSIG(status)))
                           : "";
    char buffer[4096];
    std::rewind(output_);
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, output_)) {
      text.append(buffer, count);
    }
    return text.empty() ? fmt::format("exit status {:#x}", status) : text;
  }

 private:
  Progress* progress_;
  std::FILE* output_;
  pid_t process_ = -1;
};

std::optional<std::string> run_apart(const Program& program, const Campaign& campaign,
                                     bool little_memory) {
  const Child child([&](Progress& progress) {
    set_environment(campaign, little_memory ? 3 * program.seed : 3 * program.seed + 1);
    // The driver is made by the first question.
    device_count(PlatformKind::cpu);
    return run_program(program, campaign, little_memory, progress);
  });
  int status = 0;
  waitpid(child.process(), &status, 0);
  return child.problem(status);
}

void report(std::uint64_t seed, bool little_memory, const std::string& problem,
            const Campaign& campaign) {
  const Program program = generate(seed, campaign.limits);
  std::string last = problem;
  Campaign brief = campaign;
  if (is_hang(problem)) brief.seconds_per_program = std::min(3, campaign.seconds_per_program);
  const auto fails = [&](const Program& candidate) {
    if (!is_orderly(candidate)) return false;
    const auto wrong = run_apart(candidate, brief, little_memory);
    if (wrong) last = *wrong;
    return wrong.has_value();
  };
  if (!fails(program)) {
    fmt::print("FAILED program {} (only after the programs before it in its process)\n{}{}\n", seed,
               to_text(program), problem);
    return;
  }
  fmt::print("program {} fails; making it short\n", seed);
  std::fflush(stdout);
  const Program shorter = shrink(program, fails, is_hang(last) ? 60 : 400);
  fails(shorter);
  fmt::print("FAILED program {}{}{}, made short:\n{}{}\n", seed,
             little_memory ? ", little memory" : "",
             failures(seed).empty() ? "" : ", calls that fail", to_text(shorter), last);
}

}  // namespace

std::optional<std::string> run_apart(const Program& program, const Campaign& campaign) {
  return run_apart(program, campaign, false);
}

Result run(const Campaign& campaign) {
  struct Batch {
    std::uint64_t first;
    std::unique_ptr<Child> child;
  };
  Result result;
  std::vector<Batch> running;
  std::uint64_t next = campaign.first_seed;
  std::uint64_t end = campaign.first_seed + campaign.count;
  const auto start = [&] {
    const std::uint64_t first = next;
    const std::uint64_t last = std::min(end, first + campaign.per_process);
    next = last;
    running.push_back({first, std::make_unique<Child>([&campaign, first, last](Progress& progress) {
                         set_environment(campaign, first);
                         device_count(PlatformKind::cpu);
                         for (std::uint64_t seed = first; seed < last; ++seed) {
                           const int status = run_program(generate(seed, campaign.limits), campaign,
                                                          has_little_memory(first), progress);
                           if (status != 0) return status;
                         }
                         return 0;
                       })});
  };
  while (next < end || !running.empty()) {
    while (next < end && running.size() < static_cast<std::size_t>(campaign.jobs)) start();
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto batch = std::find_if(running.begin(), running.end(), [&](const Batch& each) {
      return each.child->process() == ended;
    });
    if (batch == running.end()) continue;
    const Progress& progress = batch->child->progress();
    result.programs += progress.programs;
    result.statements += progress.statements;
    result.injected_faults += progress.injected_faults;
    if (const auto problem = batch->child->problem(status)) {
      ++result.failed;
      ++result.programs;
      result.crashed += is_crash(*problem, status);
      if (!campaign.goes_on && result.failed > result.crashed) end = next;
      report(progress.seed, has_little_memory(batch->first), *problem, campaign);
    }
    running.erase(batch);
  }
  return result;
}

}  // namespace cupola::programs
