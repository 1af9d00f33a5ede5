// Generated CUDA text of maps, compiled for the host, against the tile runner.

#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "driver/testing/launch_builder.h"
#include "driver/testing/sample_launch.h"
#include "platforms/cpu/cuda_text_tests/cuda_text_test_support.h"

namespace cupola::cpu {
namespace {

using cupola::testing::LaunchBuilder;
using cupola::testing::row_major;

// Where an operand lies: strides in elements, and the first element's place from the front.
struct Place {
  Dims strides;
  std::int64_t first = 0;
  Dims turns{};  // rolled by so many elements along each dimension
};

// Memory around an operand, aligned as allocations are.
class Field {
 public:
  Field(DType dtype, const Dims& extents, const Place& place, unsigned seed)
      : item_(static_cast<std::int64_t>(item_size(dtype))), place_(place) {
    std::int64_t last = place.first;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      last += std::max<std::int64_t>(0, place.strides[d] * (extents[d] - 1));
    }
    bytes_.resize(static_cast<std::size_t>((last + 1) * item_ + kMargin) + kAlignment);
    std::mt19937 random(seed);
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random());
    if (dtype == DType::bool_) {
      for (std::uint8_t& byte : bytes_) byte &= 1;
    }
  }
  void* data() { return const_cast<std::uint8_t*>(front()) + place_.first * item_; }
  // All bytes from the aligned place on: the operand and what lies around it.
  std::vector<std::uint8_t> image() const {
    return {front(), front() + static_cast<std::ptrdiff_t>(bytes_.size() - kAlignment)};
  }
  void reset(const std::vector<std::uint8_t>& image) {
    std::memcpy(const_cast<std::uint8_t*>(front()), image.data(), image.size());
  }

 private:
  static constexpr std::int64_t kMargin = 64;
  static constexpr std::uintptr_t kAlignment = 256;
  const std::uint8_t* front() const {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return bytes_.data() + (kAlignment - address % kAlignment);
  }
  std::int64_t item_;
  Place place_;
  std::vector<std::uint8_t> bytes_;
};

struct Problem {
  Dims extents;
  std::vector<Place> inputs;
  Place output;
};

// out = in0 | in1 | ... (or a copy of in0).
class TextAsHost {
 public:
  TextAsHost(std::vector<DType> inputs, DType output, bool wide = false)
      : inputs_(std::move(inputs)), output_(output), wide_(wide) {}

  // Computes both ways, every other time in parts; gives the name of the chosen kernel.
  std::string check(const Problem& problem) {
    std::vector<Field> fields;
    fields.reserve(inputs_.size());
    LaunchBuilder builder(problem.extents);
    int value = -1;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      fields.emplace_back(inputs_[i], problem.extents, problem.inputs[i],
                          static_cast<unsigned>(i + 1));
      int next = load(builder, inputs_[i], fields[i], problem.inputs[i]);
      if (inputs_[i] != output_) next = builder.cast(next, output_);
      value = value < 0 ? next : builder.ufunc(UfuncId::bitwise_or, {value, next});
    }
    Field expected(output_, problem.extents, problem.output, 99);
    Field result(output_, problem.extents, problem.output, 99);
    result.reset(expected.image());
    builder.store(value, expected.data(), problem.output.strides);
    builder.plan.wide_index = wide_;
    run_on_host(builder.plan, builder.arguments);
    builder.arguments.outputs[0].pointer = result.data();
    const std::vector<std::uint8_t> before = result.image();
    const HostText& text = text_of(builder.plan);
    if (++checks_ % 2 == 0) {
      text.run(builder.arguments);
    } else {
      text.run_in_parts(builder.arguments, [this](std::int64_t elements) {
        return testing::random_parts(elements, random_);
      });
    }
    const std::string shape = to_string(problem.extents);
    EXPECT_EQ(result.image(), expected.image()) << shape;
    const std::string chosen(text.kernel_of(builder.arguments));
    if (chosen == "_tiles") {  // the kernel for any addresses serves as well
      CudaLaunch launch = text.launch_of(builder.arguments);
      ++launch.stages[0].kernel;
      result.reset(before);
      text.run(builder.arguments, launch);
      EXPECT_EQ(result.image(), expected.image()) << shape;
    }
    return chosen;
  }

 private:
  static int load(LaunchBuilder& builder, DType dtype, Field& field, const Place& place) {
    if (place.turns.empty()) return builder.load(dtype, field.data(), place.strides);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < place.turns.size(); ++d) {
      if (place.turns[d] == 0) continue;
      offset += (builder.arguments.extents[d] - place.turns[d]) * place.strides[d];
    }
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    return builder.load_turned(dtype, static_cast<char*>(field.data()) + offset * item,
                               place.strides, place.turns);
  }
  const HostText& text_of(const KernelPlan& plan) {
    for (const auto& [known, text] : texts_) {
      if (known == plan) return *text;
    }
    texts_.emplace_back(plan, std::make_unique<HostText>(plan));
    return *texts_.back().second;
  }

  std::mt19937 random_;
  int checks_ = 0;
  std::vector<DType> inputs_;
  DType output_;
  bool wide_;
  std::vector<std::pair<KernelPlan, std::unique_ptr<HostText>>> texts_;
};

class CudaTextAsHost : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
  }
};

TEST_F(CudaTextAsHost, TransposedCopies) {
  for (const DType dtype :
       {DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::complex128}) {
    TextAsHost copy({dtype}, dtype);
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {128, 256}, {131, 257}, {33, 300}, {272, 144}}) {
      const auto item = static_cast<std::int64_t>(item_size(dtype));
      EXPECT_EQ(copy.check({{rows, columns}, {{{1, rows}}}, {{columns, 1}}}),
                columns * item % 16 || rows * item % 16 ? "_skewed_tiles" : "_tiles");
      // A larger array's part, from an address that is not a multiple of anything.
      copy.check({{rows, columns}, {{{1, rows + 5}, 3}}, {{columns, 1}}});
      // Every other element, backwards.
      copy.check({{rows, columns}, {{{-2, 2 * rows}, 2 * rows - 2}}, {{columns, 1}}});
    }
  }
}

TEST_F(CudaTextAsHost, PermutedCopies) {
  for (const DType dtype : {DType::uint8, DType::uint32}) {
    for (const bool wide : {false, true}) {
      TextAsHost copy({dtype}, dtype, wide);
      const Dims extents{40, 3, 68};
      const Place out{{3 * 68, 68, 1}};
      const std::string packs = 68 * item_size(dtype) % 16 ? "_skewed_tiles" : "_tiles";
      EXPECT_EQ(copy.check({extents, {{{1, 40 * 68, 40}}}, out}), packs);  // a[k, j, i]
      EXPECT_EQ(copy.check({{3, 40, 68}, {{{40 * 68, 1, 40}}}, {{40 * 68, 68, 1}}}), packs);
      EXPECT_EQ(copy.check({{5, 33, 7, 35},
                            {{{33 * 7 * 36, 1, 33 * 36, 33}, 1}},
                            {{33 * 7 * 35, 7 * 35, 35, 1}}}),
                35 * item_size(dtype) % 16 ? "_skewed_tiles" : "_tiles");
    }
  }
}

TEST_F(CudaTextAsHost, MixedOrders) {
  TextAsHost add({DType::uint32, DType::uint32}, DType::uint32);
  TextAsHost mixed({DType::bool_, DType::uint64}, DType::uint64);
  TextAsHost three({DType::uint16, DType::uint8, DType::uint16}, DType::uint32);
  for (const std::int64_t rows : {64, 131}) {
    for (const std::int64_t columns : {128, 77}) {
      const Dims extents{rows, columns};
      const Place plain{{columns, 1}}, turned{{1, rows}}, row{{0, 1}}, column{{1, 0}};
      const Place part{{columns + 3, 1}, 1}, stepped{{4 * columns, 2}, 5};
      for (const Place& first : {plain, part, stepped, row, turned}) {
        const std::string chosen = add.check({extents, {first, turned}, plain});
        EXPECT_TRUE(chosen.ends_with("tiles")) << chosen;
        EXPECT_TRUE(mixed.check({extents, {turned, first}, plain}).ends_with("tiles"));
      }
      three.check({extents, {plain, turned, column}, plain});
      three.check({extents, {turned, stepped, turned}, {{2 * columns + 6, 2}, 7}});
    }
  }
}

TEST_F(CudaTextAsHost, TransposedAtOddAddresses) {
  for (const DType dtype :
       {DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::complex128}) {
    TextAsHost copy({dtype}, dtype);
    for (const std::int64_t rows : {33, 129}) {
      for (const std::int64_t columns : {32, 241}) {
        const Dims extents{rows, columns};
        for (const std::int64_t first : {0, 7}) {
          EXPECT_TRUE(copy.check({extents, {{{1, rows}, first}}, {{columns, 1}, first}})
                          .ends_with("tiles"));
          copy.check({extents, {{{1, rows + 3}, first}}, {{columns + 16, 1}, 0}});
          copy.check({extents, {{{1, rows + 3}, first}}, {{columns + 5, 1}, 2}});
          copy.check({extents, {{{1, rows}, first}}, {{2 * columns, 2}, 3}});
        }
      }
    }
  }
}

TEST_F(CudaTextAsHost, TransposedCasts) {
  const std::vector<std::pair<DType, DType>> casts{{DType::uint8, DType::float32},
                                                   {DType::uint8, DType::uint16},
                                                   {DType::uint16, DType::uint64},
                                                   {DType::uint32, DType::uint8},
                                                   {DType::bool_, DType::complex128}};
  for (const auto& [from, to] : casts) {
    TextAsHost cast({from}, to);
    for (const std::int64_t columns : {68, 131}) {
      cast.check({{77, columns}, {{{1, 77}, 3}}, {{columns, 1}, 1}});
      cast.check({{3, 45, columns}, {{{45 * columns, 1, 45}, 1}}, {{45 * columns, columns, 1}}});
    }
  }
}

// Images with their channels last, first, and without some of them.
TEST_F(CudaTextAsHost, Channels) {
  const std::vector<std::pair<DType, DType>> types{{DType::uint8, DType::uint8},
                                                   {DType::uint8, DType::uint32},
                                                   {DType::uint16, DType::uint16},
                                                   {DType::uint64, DType::uint64},
                                                   {DType::complex128, DType::complex128}};
  for (const auto& [from, to] : types) {
    TextAsHost copy({from}, to);
    TextAsHost sum({from, to}, to);
    for (const std::int64_t channels : {1, 3, 4, 7}) {
      for (const std::int64_t pixels : {5, 1001}) {
        const std::int64_t image = channels * pixels;
        const Dims last{2, pixels, channels}, first{2, channels, pixels};
        const Place to_last{{image, 1, pixels}, 1}, to_first{{image, 1, channels}, 3};
        const Place last_plain{{image, channels, 1}}, first_plain{{image, pixels, 1}};
        const Place per_channel{{0, 0, 1}}, gaps{{pixels * 8, 8, 1}, 1};
        const std::string chosen = copy.check({last, {to_last}, last_plain});
        if (channels == 3) {
          EXPECT_EQ(chosen, item_size(to) == 16 ? "_strips" : "_strips_across");
        }
        copy.check({last, {gaps}, {{image, channels, 1}, 1}});
        copy.check({first, {to_first}, first_plain});
        if (from == DType::complex128) continue;  // has no bits to combine
        sum.check({last, {to_last, per_channel}, last_plain});
        sum.check({last, {per_channel, gaps}, {{image, channels, 1}, 3}});
        sum.check({last, {to_last, last_plain}, last_plain});
        sum.check({first, {to_first, {{0, 1, 0}}}, first_plain});
      }
    }
  }
}

TEST_F(CudaTextAsHost, InterleavedRows) {
  for (const auto& [from, to] :
       std::vector<std::pair<DType, DType>>{{DType::uint8, DType::uint8},
                                            {DType::uint8, DType::uint32},
                                            {DType::uint16, DType::uint16},
                                            {DType::uint32, DType::uint32},
                                            {DType::uint64, DType::uint64}}) {
    TextAsHost copy({from}, to);
    TextAsHost sum({from, to}, to);
    for (const std::int64_t channels : {2, 3, 4, 5, 6}) {
      for (const std::int64_t pixels : {1028, 2500, 1027}) {
        const std::int64_t image = channels * pixels;
        const Dims extents{3, channels, pixels};
        const Place turned{{image, 1, channels}, 3}, plain{{image, pixels, 1}};
        const bool whole = pixels * static_cast<std::int64_t>(item_size(to)) % 4 == 0;
        const std::string chosen = copy.check({extents, {turned}, plain});
        if (whole && pixels % 4 == 0) {
          EXPECT_EQ(chosen == "_interleaved", channels != 5) << channels;
        }
        copy.check({extents, {{{image, -1, channels}, channels}}, {{image, pixels, 1}, 4}});
        sum.check({extents, {turned, {{0, 1, 0}}}, plain});
        sum.check({extents, {turned, plain}, plain});
      }
    }
  }
}

TEST_F(CudaTextAsHost, StripsOfRows) {
  for (const DType dtype : {DType::uint8, DType::uint32, DType::complex128}) {
    TextAsHost copy({dtype}, dtype);
    for (const std::int64_t columns : {5, 64, 203}) {
      const Dims extents{37, columns};
      const Place plain{{columns, 1}};
      copy.check({extents, {{{columns + 20, 1}, 10}}, plain});
      copy.check({extents, {{{2 * columns, 2}, 1}}, plain});
      copy.check({extents, {{{-columns, -1}, 36 * columns + columns - 1}}, plain});
      copy.check({extents, {{{0, 1}}}, plain});
      copy.check({extents, {{{1, 0}}}, {{columns, 1}, 3}});
      copy.check({extents, {{{0, 1}}}, {{columns + 3, 1}, 1}});
      copy.check({extents, {{{columns + 1, 1}}}, {{columns + 8, 1}, 16}});
    }
    for (const std::int64_t count : {1, 3, 63, 1000, 40001}) {
      copy.check({{count}, {{{1}, 1}}, {{1}}});
      copy.check({{count}, {{{1}, 1}}, {{1}, 3}});
      copy.check({{count}, {{{1}}}, {{1}, 1}});
      copy.check({{count}, {{{2}, 1}}, {{1}}});
      copy.check({{count}, {{{-1}, count - 1}}, {{1}, 2}});
      copy.check({{count}, {{{1}}}, {{3}, 2}});
    }
  }
}

TEST_F(CudaTextAsHost, Rolled) {
  for (const DType dtype :
       {DType::uint8, DType::uint16, DType::uint32, DType::uint64, DType::complex128}) {
    for (const bool wide : {false, true}) {
      TextAsHost copy({dtype}, dtype, wide);
      for (const std::int64_t columns : {6, 64, 203, 512}) {
        const Place plain{{columns, 1}};
        for (const std::int64_t right : {std::int64_t{1}, std::int64_t{2}, columns - 1}) {
          const Dims extents{37, columns};
          copy.check({extents, {{{columns, 1}, 0, {5, right}}}, plain});
          copy.check({extents, {{{columns + 3, 1}, 2, {0, right}}}, {{columns, 1}, 1}});
          copy.check({extents, {{{-columns, -1}, 37 * columns - 1, {36, right}}}, plain});
        }
        const std::string chosen = copy.check({{37, columns}, {{{columns, 1}, 0, {1, 0}}}, plain});
        if (columns == 512) {
          EXPECT_EQ(chosen, "_strips");
        }
      }
      for (const std::int64_t count : {3, 63, 40001}) {
        copy.check({{count}, {{{1}, 1, {1}}}, {{1}}});
        copy.check({{count}, {{{1}, 0, {count - 2}}}, {{1}, 3}});
        copy.check({{count}, {{{2}, 1, {count / 2}}}, {{1}}});
      }
    }
  }
}

// A sum of neighbours along three dimensions, each with its own ends.
TEST_F(CudaTextAsHost, RolledBesideEachOther) {
  TextAsHost four({DType::uint32, DType::uint32, DType::uint32, DType::uint16}, DType::uint32);
  for (const std::int64_t columns : {7, 60, 256}) {
    const Dims strides{9 * columns, columns, 1};
    const Place plain{strides};
    four.check({{5, 9, columns},
                {plain, {strides, 0, {1, 0, 0}}, {strides, 0, {0, 8, 1}}, {strides, 0, {4, 0, 5}}},
                plain});
    four.check({{5, 9, columns},
                {{strides, 0, {0, 0, 1}},
                 {strides, 0, {0, 0, columns - 1}},
                 {{0, columns, 1}, 0, {0, 3, 2}},
                 {{0, 0, 1}, 3}},
                plain});
  }
}

TEST_F(CudaTextAsHost, RowsAndColumnsOfTwoTypes) {
  TextAsHost both({DType::uint16, DType::uint32}, DType::uint64);
  for (const std::int64_t columns : {5, 64, 203}) {
    const Place plain{{columns, 1}};
    both.check({{37, columns}, {{{0, 1}, 1}, {{1, 0}}}, plain});
    both.check({{37, columns}, {{{columns + 1, 1}, 3}, {{0, 1}, 2}}, plain});
    EXPECT_EQ(both.check({{37, columns}, {{{2 * columns, 2}, 1}, {{0, 1}, 2}}, plain}),
              columns < 64 ? "_strips_across" : "_strips");
  }
}

}  // namespace
}  // namespace cupola::cpu
