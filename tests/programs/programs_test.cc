// Random programs, and the tools that make and judge them.

#include <algorithm>

#include <gtest/gtest.h>

#include "campaign.h"
#include "cupola/cupola.h"
#include "execution.h"
#include "oracle.h"
#include "shrink.h"

namespace cupola::programs {
namespace {

TEST(Programs, AreTheSameForTheSameSeed) {
  const Limits limits;
  EXPECT_EQ(to_text(generate(5, limits)), to_text(generate(5, limits)));
  EXPECT_NE(to_text(generate(5, limits)), to_text(generate(6, limits)));
}

TEST(Programs, UseEveryKindOfStatement) {
  std::vector<int> counts(static_cast<std::size_t>(Kind::trim) + 1);
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

// scripts/random_programs runs more.
TEST(Campaign, ProgramsMeanWhatTheyMean) {
  const Result result = run({.first_seed = 1, .count = 100, .jobs = 2});
  EXPECT_EQ(result.failed, 0u);
  EXPECT_EQ(result.programs, 100u);
  EXPECT_GT(result.injected_faults, 0u);
}

TEST(Campaign, ProgramsRunOnOtherPlatforms) {
  const PlatformKind platform = PlatformKind::cuda;
  if (device_count(platform) == 0) GTEST_SKIP() << "no GPU is usable here";
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Program program = generate(seed, {.devices = device_count(platform)});
    const auto wrong = run(program, platform, {});
    EXPECT_FALSE(wrong) << to_text(program) << wrong.value_or("");
  }
}

}  // namespace
}  // namespace cupola::programs
