// Transforms through the fake cuFFT of tests/fake_cuda, in processes that find it where the
// system's would be.

#include "platforms/cuda/libraries/cufft_api.h"

#include <dlfcn.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/driver.h"
#include "platforms/cuda/fake_tests/fake_process.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

int status_of(const std::string& test,
              const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  return status_of_fake_process("FakeFftProcess." + test + ":FakeFftInPlace." + test, environment);
}

class FakeFft : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
};

TEST_F(FakeFft, EveryKind) { EXPECT_EQ(status_of("EveryKind"), 0); }
TEST_F(FakeFft, RowsInSeveralParts) {
  EXPECT_EQ(status_of("EveryKind", {{"CUPOLA_FFT_BLOCK_ROWS", "2"}}), 0);
}
TEST_F(FakeFft, ShortComplexRowsGoTogether) {
  EXPECT_EQ(status_of("ShortComplexRowsGoTogether", {{"CUPOLA_FFT_BLOCK_ROWS", "2"}}), 0);
}
TEST_F(FakeFft, FewPlansAreKept) { EXPECT_EQ(status_of("FewPlansAreKept"), 0); }
TEST_F(FakeFft, PlansAreForgotten) { EXPECT_EQ(status_of("PlansAreForgotten"), 0); }
TEST_F(FakeFft, PlansThatTheDeviceStillReadsStay) {
  EXPECT_EQ(status_of("PlansThatTheDeviceStillReadsStay"), 0);
}
TEST_F(FakeFft, PlansThatAnEarlierStreamStillReadsStay) {
  EXPECT_EQ(status_of("PlansThatAnEarlierStreamStillReadsStay"), 0);
}
TEST_F(FakeFft, CapturesTakePlansThatHaveEnded) {
  EXPECT_EQ(status_of("CapturesTakePlansThatHaveEnded"), 0);
}
TEST_F(FakeFft, ThreadsDoNotShareAPlan) { EXPECT_EQ(status_of("ThreadsDoNotShareAPlan"), 0); }
TEST_F(FakeFft, ThreadsMakePlansAlone) { EXPECT_EQ(status_of("ThreadsMakePlansAlone"), 0); }
TEST_F(FakeFft, ErrorsHaveNames) { EXPECT_EQ(status_of("ErrorsHaveNames"), 0); }

TEST(CufftShape, HasAllThatPlansAreMadeFrom) {
  FftProblem problem{.kind = FftKind::complex_to_real,
                     .is_double = true,
                     .length = 10,
                     .rows = 3,
                     .in_row = 7,
                     .out_row = 11};
  EXPECT_EQ(cufft_shape(problem), (CufftShape{CUFFT_Z2D, 10, 3, 7, 11}));
  problem.is_double = false;
  EXPECT_EQ(cufft_shape(problem).type, CUFFT_C2R);
  problem.kind = FftKind::backward;
  EXPECT_EQ(cufft_shape(problem).type, CUFFT_C2C);
  problem.columns = 5;
  problem.pitch = 8;
  EXPECT_EQ(cufft_shape(problem), (CufftShape{CUFFT_C2C, 10, 5, 1, 1, 8}));
}

using Values = std::vector<std::complex<double>>;

class FakeFftProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by the tests of FakeFft";
    driver_ = cupola_create_driver(nullptr);
    ASSERT_NE(driver_, nullptr);
    stream_ = driver_->create_stream(0);
  }
  void TearDown() override {
    if (driver_) driver_->destroy_stream(stream_);
  }

  // All numbers of a row and what is between rows, as they are in memory; `shift` numbers from
  // where an allocation begins.
  template <typename T>
  void check(FftKind kind, std::int64_t length, std::int64_t rows, std::int64_t gap,
             std::size_t shift = 0) {
    FftProblem problem{.kind = kind, .is_double = sizeof(T) == 8, .length = length, .rows = rows};
    problem.in_row = problem.in_length() + gap;
    problem.out_row = problem.out_length() + 2 * gap;
    const bool from_real = kind == FftKind::real_to_complex;
    const bool to_real = kind == FftKind::complex_to_real;
    const auto numbers = [](std::size_t bytes) { return bytes / sizeof(T); };
    std::mt19937 random(static_cast<unsigned>(length));
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> in(numbers(problem.in_bytes())), out(numbers(problem.out_bytes()), T(7));
    for (T& value : in) value = uniform(random);
    const std::size_t before = shift * sizeof(T);
    const std::size_t in_bytes = before + problem.in_bytes();
    const std::size_t out_bytes = before + problem.out_bytes();
    void* const from_begin = driver_->allocate(0, in_bytes, MemoryKind::device);
    void* const to_begin = driver_->allocate(0, out_bytes, MemoryKind::device);
    void* const source = static_cast<char*>(from_begin) + before;
    void* const target = static_cast<char*>(to_begin) + before;
    driver_->copy_from_host(source, in.data(), problem.in_bytes(), stream_);
    driver_->copy_from_host(target, out.data(), problem.out_bytes(), stream_);
    problem.in = source;
    problem.out = target;
    driver_->fft(problem, stream_);
    driver_->copy_to_host(out.data(), target, problem.out_bytes(), stream_);
    std::vector<T> after(in.size());
    driver_->copy_to_host(after.data(), source, problem.in_bytes(), stream_);
    EXPECT_EQ(after, in);
    for (std::int64_t row = 0; row < rows; ++row) {
      const T* const from = in.data() + row * problem.in_row * (from_real ? 1 : 2);
      const T* const to = out.data() + row * problem.out_row * (to_real ? 1 : 2);
      for (std::int64_t k = 0; k < problem.out_length(); ++k) {
        const std::complex<double> want = result(kind, from, length, k);
        const double real = to_real ? to[k] : to[2 * k];
        ASSERT_NEAR(real, want.real(), 1e-4) << row << " " << k;
        const double imaginary = to_real ? 0 : to[2 * k + 1];
        ASSERT_NEAR(imaginary, to_real ? 0 : want.imag(), 1e-4) << row << " " << k;
      }
      if (gap == 0 || row + 1 == rows) continue;
      EXPECT_EQ(to[problem.out_length() * (to_real ? 1 : 2)], T(7)) << "between rows";
    }
    driver_->deallocate(0, from_begin, in_bytes, MemoryKind::device);
    driver_->deallocate(0, to_begin, out_bytes, MemoryKind::device);
  }

  template <typename T>
  static std::complex<double> result(FftKind kind, const T* row, std::int64_t n, std::int64_t k) {
    std::complex<double> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      std::complex<double> value;
      if (kind == FftKind::real_to_complex) {
        value = static_cast<double>(row[j]);
      } else if (kind == FftKind::complex_to_real) {
        const std::int64_t at = std::min(j, n - j);
        value = {static_cast<double>(row[2 * at]), static_cast<double>(row[2 * at + 1])};
        if (at == 0 || 2 * at == n) value = value.real();
        if (at != j) value = std::conj(value);
      } else {
        value = {static_cast<double>(row[2 * j]), static_cast<double>(row[2 * j + 1])};
      }
      const bool backward = kind == FftKind::backward || kind == FftKind::complex_to_real;
      const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / double(n);
      sum += value * std::polar(1.0, backward ? angle : -angle);
    }
    return sum;
  }

  Driver* driver_ = nullptr;
  StreamHandle stream_ = nullptr;
};

TEST_F(FakeFftProcess, EveryKind) {
  for (const FftKind kind :
       {FftKind::forward, FftKind::backward, FftKind::real_to_complex, FftKind::complex_to_real}) {
    for (const std::int64_t length : {1, 8, 9}) {
      check<float>(kind, length, 5, 0);
      check<double>(kind, length, 5, 3);
      check<float>(kind, length, 5, 2, 1);
      check<double>(kind, length, 5, 3, 1);
    }
  }
  FftProblem nothing{.length = 4};
  driver_->fft(nothing, stream_);
}

// Plans that the fake library has made; it is loaded with the first transform.
int plans() {
  void* const fake = dlopen("libcufft.so.12", RTLD_NOW | RTLD_NOLOAD);
  if (fake == nullptr) throw std::runtime_error("no transform has been made");
  return reinterpret_cast<int (*)()>(dlsym(fake, "fake_cufft_plans"))();
}

// Others in parts of two rows and one; of length 9 the fake library takes work memory.
TEST_F(FakeFftProcess, ShortComplexRowsGoTogether) {
  check<float>(FftKind::forward, 8, 5, 0);
  EXPECT_EQ(plans(), 1);
  check<float>(FftKind::real_to_complex, 8, 5, 0);
  EXPECT_EQ(plans(), 3);
  check<float>(FftKind::backward, 9, 5, 1);
  EXPECT_EQ(plans(), 6);
}

TEST_F(FakeFftProcess, FewPlansAreKept) {
  check<float>(FftKind::forward, 8, 1, 0);
  EXPECT_EQ(plans(), 1);
  for (int i = 0; i < 3; ++i) check<float>(FftKind::forward, 8, 1, 0);
  EXPECT_EQ(plans(), 1);
  for (std::int64_t length = 20; length < 70; ++length) {
    check<float>(FftKind::forward, length, 1, 0);
  }
  EXPECT_EQ(plans(), 32);
}

TEST_F(FakeFftProcess, PlansAreForgotten) {
  EXPECT_EQ(driver_->fft_plans(0).most, 32U);
  for (std::int64_t length = 2; length < 6; ++length) {
    check<float>(FftKind::forward, length, 1, 0);
  }
  EXPECT_EQ(driver_->fft_plans(0).kept, 4U);
  driver_->keep_fft_plans(0, 2);
  EXPECT_EQ(driver_->fft_plans(0).kept, 2U);
  EXPECT_EQ(plans(), 2);
  driver_->keep_fft_plans(0, 0);
  EXPECT_EQ(plans(), 0);
  driver_->keep_fft_plans(0, 32);
}

// Calls what holds the work of a stream back, or lets it go.
void of_fake(const char* function, StreamHandle stream) {
  void* const fake = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<void (*)(CUstream)>(dlsym(fake, function))(from_handle(stream).handle);
}

class FakeFftInPlace : public FakeFftProcess {
 protected:
  void SetUp() override {
    FakeFftProcess::SetUp();
    if (!driver_) return;
    memory_ = driver_->allocate(0, 1024, MemoryKind::device);
    other_ = driver_->create_stream(0);
  }
  void TearDown() override {
    if (driver_) {
      driver_->destroy_stream(other_);
      driver_->deallocate(0, memory_, 1024, MemoryKind::device);
    }
    FakeFftProcess::TearDown();
  }
  void transform(std::int64_t length, StreamHandle stream) {
    FftProblem problem{.length = length, .rows = 1, .in_row = length, .out_row = length};
    problem.in = problem.out = memory_;
    driver_->fft(problem, stream);
  }

  void* memory_ = nullptr;
  StreamHandle other_ = nullptr;
};

TEST_F(FakeFftInPlace, PlansThatTheDeviceStillReadsStay) {
  transform(1, stream_);
  of_fake("fake_cuda_hold", stream_);
  for (std::int64_t length = 2; length <= 50; ++length) transform(length, stream_);
  EXPECT_EQ(plans(), 50 - 1);  // the first one's transform has ended
  of_fake("fake_cuda_release", stream_);
  transform(51, stream_);
  EXPECT_EQ(plans(), 32);
}

// Where a plan has run on two streams, the end of the later transform says nothing of the earlier
// one by itself.
TEST_F(FakeFftInPlace, PlansThatAnEarlierStreamStillReadsStay) {
  of_fake("fake_cuda_hold", stream_);
  transform(1, stream_);
  transform(1, other_);
  EXPECT_EQ(plans(), 1);
  const StreamHandle third = driver_->create_stream(0);
  for (std::int64_t length = 2; length <= 50; ++length) transform(length, third);
  EXPECT_EQ(plans(), 32);
  const std::uint64_t made = value_of(Counter::library_handles);
  transform(1, third);
  EXPECT_EQ(value_of(Counter::library_handles), made) << "it was not there any more";
  of_fake("fake_cuda_release", stream_);
  driver_->destroy_stream(third);
}

TEST_F(FakeFftInPlace, CapturesTakePlansThatHaveEnded) {
  transform(1, other_);
  const StreamHandle held = driver_->create_stream(0);
  of_fake("fake_cuda_hold", held);
  transform(2, held);
  driver_->begin_capture(stream_);
  transform(1, stream_);
  EXPECT_EQ(plans(), 2);
  transform(2, stream_);
  EXPECT_EQ(plans(), 3);
  driver_->end_capture(stream_);
  of_fake("fake_cuda_release", held);
  driver_->destroy_stream(held);
}

TEST_F(FakeFftProcess, ThreadsDoNotShareAPlan) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int each = 0; each < 50; ++each) check<double>(FftKind::backward, 8, 3, 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The fake fails a thread that makes a plan, or computes with a new one, beside another.
TEST_F(FakeFftProcess, ThreadsMakePlansAlone) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i, &failed] {
      const StreamHandle stream = driver_->create_stream(0);
      void* const memory = driver_->allocate(0, 4096, MemoryKind::device);
      for (std::int64_t each = 0; each < 100; ++each) {
        FftProblem problem{.length = 8 + 4 * (each % 50) + i, .rows = 1};
        problem.in_row = problem.out_row = problem.length;
        problem.in = problem.out = memory;
        try {
          driver_->fft(problem, stream);
        } catch (const DeviceError&) {
          ++failed;
        }
      }
      driver_->destroy_stream(stream);
      driver_->deallocate(0, memory, 4096, MemoryKind::device);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(FakeFftProcess, ErrorsHaveNames) {
  const auto error_of = [&](std::int64_t length) -> std::string {
    try {
      check<float>(FftKind::forward, length, 1, 0);
    } catch (const OutOfMemoryError& error) {
      return std::string("memory: ") + error.what();
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(100013), "memory: cufftMakePlanMany64 on cuda:0: CUFFT_ALLOC_FAILED");
  EXPECT_EQ(error_of(100017), "cufftMakePlanMany64 on cuda:0: CUFFT_INTERNAL_ERROR");
  check<float>(FftKind::forward, 8, 1, 0);
}

}  // namespace
}  // namespace cupola::cuda
