#include "exec/launch/launch_key.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "codegen/user/user_function.h"
#include "cupola/cupola.h"
#include "exec/evaluation/allocation.h"
#include "exec/evaluation/deferral.h"
#include "exec/launch/known_launch.h"
#include "exec/testing/deferring_test.h"

namespace cupola {
namespace {

// One of two functions of users.
const UserFunction& user_function(DType dtype, bool doubles) {
  static std::map<std::pair<DType, bool>, UserFunction> functions;
  UserDefinition definition;
  definition.name = "k";
  definition.inputs = parse_user_parameters("T x, T y", true);
  definition.outputs = parse_user_parameters("T z", false);
  definition.operation = doubles ? "z = x + y * 2" : "z = x + y";
  const auto [found, is_new] = functions.try_emplace({dtype, doubles});
  if (is_new) found->second = make_user_function(definition, std::vector(3, dtype));
  return found->second;
}

Array user_reduction(const Array& value, const std::optional<Dims>& axes, bool doubles) {
  Dims all;
  for (int axis = 0; axis < value.rank(); ++axis) all.push_back(axis);
  return make_user_reduce(value, axes.value_or(all), user_function(value.dtype(), doubles));
}

// Expressions of few kinds, so that many of them have equal keys.
class RandomLaunches {
 public:
  explicit RandomLaunches(unsigned seed) : random_(seed) {
    memory_ = from_vector(std::vector<float>(4096, 1.0F), Device(PlatformKind::cpu, 0));
    wide_ = astype(memory_, DType::float64);
    evaluate(wide_);
  }

  Array expression() {
    Array value = leaf();
    for (int i = below(4); i > 0; --i) value = step(value);
    return value;
  }
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  Array step(const Array& value) {
    switch (below(9)) {
      case 0:
        return value * (below(2) + 0.5);
      case 1:
        return value * value;
      case 2:
        return negative(value);
      case 3:
      case 4:
        return user_call(value);
      case 5:
        return rolled(leaf());
      case 6:
        return make_gather(leaf(), zeros(value.shape(), DType::int64, value.device()));
      default:
        return value + leaf();
    }
  }
  Array user_call(const Array& value) {
    const UserFunction& function = user_function(value.dtype(), below(2) == 0);
    const Array result = make_user(function, {value, make_cast(leaf(), value.dtype())}).front();
    lay_out(result);
    return result;
  }
  Array rolled(const Array& array) {
    Dims shifts(array.shape().size(), 0);
    shifts.back() = below(2) * 3;
    if (shifts.size() > 1) shifts[0] = below(2);
    return make_roll(array, std::move(shifts));
  }
  // Views of one shape, in few layouts and places.
  Array leaf() {
    const Array& memory = below(6) == 0 ? wide_ : memory_;
    const std::int64_t first = 512 * below(4) + (below(4) == 0 ? 1 : 0);
    const Array part = get_index(memory, {Slice{first, first + kRows * kColumns, std::nullopt}});
    switch (below(9)) {
      case 0:
        return transpose(reshape(part, {kColumns, kRows}));
      case 1:
        return get_index(reshape(part, {kRows, kColumns}), {Slice{std::nullopt, std::nullopt, -1}});
      case 2:
        return get_index(part, {Slice{0, kColumns, std::nullopt}});
      default:
        return reshape(part, {kRows, kColumns});
    }
  }

  static constexpr std::int64_t kRows = 8, kColumns = 12;
  std::mt19937 random_;
  Array memory_, wide_;
};

class EqualKeys {
 public:
  // Checks the launch against an earlier one with an equal key.
  void check(const LaunchKey& key, const PlannedLaunch& planned) {
    if (!key.is_complete()) return;
    const std::vector<std::uint64_t> words(key.words().begin(), key.words().end());
    const auto [found, is_new] = known_.try_emplace(words);
    if (is_new) {
      plans_[words] = planned.plan;
      teachable_[words] = found->second.learn(key, planned, nullptr);
      return;
    }
    ++repeated;
    ASSERT_EQ(plans_[words], planned.plan);
    if (teachable_[words])
      compare(found->second.arguments(key, planned.writes, nullptr), planned.arguments);
  }
  int repeated = 0;

 private:
  static void compare(const LaunchArguments& found, const LaunchArguments& planned) {
    EXPECT_EQ(found.extents, planned.extents);
    EXPECT_EQ(found.is_outer, planned.is_outer);
    EXPECT_EQ(found.turns, planned.turns);
    compare(found.inputs, planned.inputs);
    compare(found.outputs, planned.outputs);
    ASSERT_EQ(found.scalars.size(), planned.scalars.size());
    for (std::size_t i = 0; i < found.scalars.size(); ++i) {
      EXPECT_EQ(found.scalars[i].dtype(), planned.scalars[i].dtype());
      EXPECT_EQ(found.scalars[i].to_complex(), planned.scalars[i].to_complex());
    }
  }
  static void compare(const std::vector<OperandArgument>& found,
                      const std::vector<OperandArgument>& planned) {
    ASSERT_EQ(found.size(), planned.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].pointer, planned[i].pointer);
      EXPECT_EQ(found[i].strides, planned[i].strides);
    }
  }

  std::map<std::vector<std::uint64_t>, KnownLaunch> known_;
  std::map<std::vector<std::uint64_t>, KernelPlan> plans_;
  std::map<std::vector<std::uint64_t>, bool> teachable_;
};

class LaunchKeyTest : public ::testing::Test {
  const AllWaits all_waits_;
};

TEST_F(LaunchKeyTest, EqualKeysHaveEqualPlans) {
  RandomLaunches random(1);
  EqualKeys keys;
  for (int i = 0; i < 4000; ++i) {
    const Array value = random.expression();
    if (is_stored(value)) continue;
    const Array target = allocate_array(value.dtype(), value.shape(), value.device(),
                                        random.below(8) == 0 ? 'F' : 'C');
    const Write write{.value = value, .target = target};
    ASSERT_NO_FATAL_FAILURE(keys.check(LaunchKey({&write, 1}), plan_map({&write, 1})));
  }
  EXPECT_GT(keys.repeated, 500);
}

TEST_F(LaunchKeyTest, EqualKeysOfReductionsHaveEqualPlans) {
  RandomLaunches random(2);
  EqualKeys keys;
  for (int i = 0; i < 4000; ++i) {
    const Array value = random.expression();
    ReduceOptions options;
    if (value.rank() == 2 && random.below(3) > 0) options.axes = Dims{random.below(2)};
    const int form = random.below(4);
    const Array reduced =
        form < 2 ? user_reduction(value, options.axes, form == 0) : sum(value, options);
    if (is_stored(reduced)) continue;
    const Array target = allocate_array(reduced.dtype(), reduced.shape(), reduced.device());
    ASSERT_NO_FATAL_FAILURE(keys.check(LaunchKey(reduced, reduced, target, pointer_of(target)),
                                       plan_reduction(reduced, target)));
  }
  EXPECT_GT(keys.repeated, 500);
}

TEST_F(LaunchKeyTest, TellsWhichScalarsAreEqual) {
  const Array a = from_vector(std::vector<float>(64, 1.0F), Device(PlatformKind::cpu, 0));
  const auto words_with = [&](float one, float two) {
    const Array value = (a + one) * (a + two);
    const LaunchKey key(value, pointer_of(a));
    return std::vector<std::uint64_t>(key.words().begin(), key.words().end());
  };
  EXPECT_EQ(words_with(1, 2), words_with(3, 4));
  EXPECT_EQ(words_with(1, 1), words_with(3, 3));
  EXPECT_NE(words_with(1, 1), words_with(1, 2));
}

TEST_F(LaunchKeyTest, TellsWhereWhatIsGatheredLies) {
  const Device device(PlatformKind::cpu, 0);
  const Array a = from_vector(std::vector<float>(64, 1.0F), device);
  const Array index = arange(Scalar(0), Scalar(8), Scalar(1), DType::int64, device);
  const auto words_of = [&](const Array& source) {
    const Array value = make_gather(source, index);
    const LaunchKey key(value, pointer_of(a));
    EXPECT_TRUE(key.is_complete());
    return std::vector<std::uint64_t>(key.words().begin(), key.words().end());
  };
  EXPECT_EQ(words_of(a), words_of(evaluate(a + 1.0F)));
  EXPECT_NE(words_of(a), words_of(get_index(a, {Slice{0, 64, 2}})));
}

}  // namespace
}  // namespace cupola
