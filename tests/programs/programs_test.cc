// Random programs, and the tools that make and judge them.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "campaign.h"
#include "cupola/cupola.h"
#include "execution.h"
#include "forked.h"
#include "oracle.h"
#include "shrink.h"
#include "worker.h"

namespace cupola::programs {
namespace {

TEST(Programs, AreTheSameForTheSameSeed) {
  const Limits limits;
  EXPECT_EQ(to_text(generate(5, limits)), to_text(generate(5, limits)));
  EXPECT_NE(to_text(generate(5, limits)), to_text(generate(6, limits)));
}

TEST(Programs, UseEveryKindOfStatement) {
  std::vector<int> counts(static_cast<std::size_t>(Kind::fork) + 1);
  int effective = 0;
  int total = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = generate(seed, {});
    Oracle oracle(program);
    for (const Statement& statement : program.statements) {
      ++total;
      effective += oracle.applies(statement);
      counts[static_cast<std::size_t>(statement.kind)] += oracle.applies(statement);
      oracle.apply(statement);
    }
  }
  for (std::size_t kind = 0; kind < counts.size(); ++kind) EXPECT_GT(counts[kind], 20) << kind;
  EXPECT_GT(effective, total * 2 / 3);
}

TEST(Programs, AreOrderly) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    EXPECT_TRUE(is_orderly(generate(seed, {}))) << seed;
  }
  Program program{.threads = 2, .arrays = 3};
  program.statements = {{.kind = Kind::full, .target = 0, .n = 4},
                        {.kind = Kind::view, .section = 1, .target = 1, .a = 0},
                        {.kind = Kind::sum, .thread = 1, .section = 1, .target = 2, .a = 0}};
  EXPECT_TRUE(is_orderly(program));
  program.statements.push_back({.kind = Kind::set_value, .section = 1, .a = 1});
  EXPECT_FALSE(is_orderly(program));
  program.statements.back().section = 2;
  EXPECT_TRUE(is_orderly(program));
}

TEST(Oracle, KnowsViewsAndWidths) {
  Program program{.arrays = 4};
  Oracle oracle(program);
  oracle.apply({.kind = Kind::full, .target = 0, .n = 6, .step = 2, .value = 3});
  oracle.apply({.kind = Kind::view, .target = 1, .a = 0, .n = 1, .step = 2});
  oracle.apply({.kind = Kind::reverse, .target = 2, .a = 1});
  oracle.apply({.kind = Kind::set_value, .a = 2, .n = 1, .value = (std::int64_t{1} << 32) + 7});
  EXPECT_EQ(oracle.values(0), (std::vector<std::int64_t>{3, 7, 3, 7, 3, 3}));
  EXPECT_EQ(oracle.values(2), (std::vector<std::int64_t>{3, 7, 7}));
  oracle.apply({.kind = Kind::sum, .target = 3, .a = 0});
  EXPECT_EQ(oracle.values(3), (std::vector<std::int64_t>{26}));
  oracle.apply({.kind = Kind::drop, .a = 0});
  EXPECT_FALSE(oracle.applies({.kind = Kind::read, .a = 0}));
  EXPECT_EQ(oracle.values(1), (std::vector<std::int64_t>{7, 7, 3}));
}

TEST(Oracle, ForgetsWhatAFailedWriteToSeveralDevicesLeft) {
  const Program program{.devices = 3, .has_set = true, .arrays = 3};
  for (const int device : {0, 2}) {
    Oracle oracle(program);
    oracle.apply({.kind = Kind::full, .target = 0, .b = device, .n = 4, .value = 3});
    oracle.fail({.kind = Kind::sum, .target = 1, .a = 0});
    EXPECT_TRUE(oracle.is_defined(0));
    oracle.fail({.kind = Kind::set_value, .a = 0, .value = 9});
    oracle.apply({.kind = Kind::subtract, .target = 2, .a = 0});
    EXPECT_EQ(oracle.is_defined(0), device == 0);
    EXPECT_EQ(oracle.is_defined(2), device == 0);
  }
}

TEST(Campaign, ProgramsRunOnSets) {
  const Result result = run({.count = 100, .jobs = 2, .limits = {.with_set = true}});
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(result.programs, 100u);
}

TEST(Shrink, LeavesOnlyWhatIsNeeded) {
  Program program;
  for (int i = 0; i < 100; ++i) program.statements.push_back({.value = i});
  const auto has = [](const Program& candidate, std::int64_t value) {
    return std::any_of(candidate.statements.begin(), candidate.statements.end(),
                       [&](const Statement& s) { return s.value == value; });
  };
  const Program shorter = shrink(
      program, [&](const Program& candidate) { return has(candidate, 7) && has(candidate, 93); });
  EXPECT_EQ(shorter.statements.size(), 2u);
}

TEST(Campaign, AWrongResultIsFoundAndTold) {
  // A device that does not exist.
  Program program{.threads = 2, .devices = 1, .arrays = 2};
  program.statements = {{.kind = Kind::full, .target = 0, .n = 4},
                        {.kind = Kind::wait_all, .thread = 1, .n = 77}};
  const auto problem = run_apart(program, {});
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("synchronize device 77"), std::string::npos) << *problem;
  program.statements.pop_back();
  EXPECT_FALSE(run_apart(program, {}));
}

// 100 programs, or as many as CUPOLA_TEST_PROGRAMS says: `first seed+count`. That is for
// scripts/run_mutants.py; scripts/random_programs runs more.
Campaign asked_for() {
  Campaign campaign{.jobs = 2, .goes_on = false};
  if (const char* text = std::getenv("CUPOLA_TEST_PROGRAMS")) {
    char* rest = nullptr;
    campaign.first_seed = std::strtoull(text, &rest, 10);
    campaign.count = *rest == '+' ? std::strtoull(rest + 1, &rest, 10) : 0;
    if (*rest != '\0' || campaign.count == 0) ADD_FAILURE() << "CUPOLA_TEST_PROGRAMS=" << text;
  }
  return campaign;
}

// One run for the tests that look at it.
struct AskedFor : ::testing::Test {
  static void SetUpTestSuite() {
    campaign = asked_for();
    result = run(campaign);
  }
  static inline Campaign campaign;
  static inline Result result;
};

TEST_F(AskedFor, ProgramsMeanWhatTheyMean) {
  EXPECT_EQ(result.failed - result.crashed, 0u) << "programs with wrong results, printed above";
}

TEST_F(AskedFor, ProgramsComeToTheirEnd) {
  EXPECT_EQ(result.crashed, 0u) << "programs that crashed or hung, printed above";
  EXPECT_EQ(result.programs, campaign.count);
  EXPECT_GT(result.injected_faults, 0u);
}

TEST(Campaign, ProgramsRunOnOtherPlatforms) {
  const PlatformKind platform = PlatformKind::cuda;
  if (device_count(platform) == 0) GTEST_SKIP() << "no GPU is usable here";
  const int devices = device_count(platform);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = generate(seed, {.devices = devices, .with_set = seed % 2 == 0});
    const auto wrong = run(program, platform, {});
    EXPECT_FALSE(wrong) << to_text(program) << wrong.value_or("");
  }
}

// These come last: they open the platform in this process, and the children of a campaign, which
// needs other settings, would inherit it.

// The program says something else than what its thread did.
TEST(Fork, AChildTellsWhatItFindsWrong) {
  if (!kChildrenMayWork) GTEST_SKIP() << "sanitizers cannot follow";
  Program program{.arrays = 1 + kChildArrays};
  program.statements = {{.kind = Kind::full, .target = 0, .n = 4, .value = 3},
                        {.kind = Kind::fork, .value = 5}};
  std::vector<Outcome> outcomes(2);
  Common common(program);
  Worker worker(PlatformKind::cpu, common);
  worker.execute(program.statements[0], outcomes[0]);
  const Fork here{program, 1, outcomes, PlatformKind::cpu, {}};
  EXPECT_EQ(run_child(here, worker), std::nullopt);
  program.statements[0].value = 4;
  const auto problem = run_child(here, worker);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("element 0 of 4 is 0x3 instead of 0x4"), std::string::npos) << *problem;
  outcomes[1].in_child = problem;
  Oracle oracle(program);
  EXPECT_TRUE(judge(program.statements[1], outcomes[1], oracle, {}));
}

// What other threads of the section write is left alone, what nobody writes is compared.
TEST(Fork, AChildLeavesAloneWhatOtherThreadsWrite) {
  if (!kChildrenMayWork) GTEST_SKIP() << "sanitizers cannot follow";
  Program program{.threads = 2, .arrays = 4 + kChildArrays};
  program.statements = {{.kind = Kind::full, .target = 0, .n = 4, .value = 3},
                        {.kind = Kind::full, .target = 1, .n = 4, .value = 3},
                        {.kind = Kind::set_value, .thread = 1, .section = 1, .a = 0, .value = 8},
                        {.kind = Kind::full, .thread = 1, .section = 1, .target = 2, .n = 4},
                        {.kind = Kind::fork, .section = 1},
                        {.kind = Kind::drop, .thread = 1, .section = 1, .a = 3}};
  std::vector<Outcome> outcomes(program.statements.size());
  Common common(program);
  Worker worker(PlatformKind::cpu, common);
  for (std::size_t i : {0, 1}) worker.execute(program.statements[i], outcomes[i]);
  const Fork here{program, 4, outcomes, PlatformKind::cpu, {}};
  EXPECT_EQ(run_child(here, worker), std::nullopt);
  worker.execute({.kind = Kind::set_value, .a = 0, .value = 8}, outcomes[2]);
  EXPECT_EQ(run_child(here, worker), std::nullopt);
  worker.execute({.kind = Kind::set_value, .a = 1, .value = 8}, outcomes[2]);
  EXPECT_NE(run_child(here, worker), std::nullopt);
}

}  // namespace
}  // namespace cupola::programs
