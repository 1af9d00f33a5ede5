#include <cmath>
#include <sstream>

#include "cupola/ops/creation.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/index.h"
#include "cupola/ops/nested_numbers.h"
#include "cupola/printing.h"
#include "ops/test_support.h"

namespace cupola {
namespace {

// Expected texts are what NumPy prints.
TEST(ArrayText, Numbers) {
  EXPECT_EQ(to_string(array({1, -20, 300})), "[  1 -20 300]");
  EXPECT_EQ(to_string(array({true, false})), "[ True False]");
  EXPECT_EQ(to_string(array({1.0, 2.5, -0.125})), "[ 1.     2.5   -0.125]");
  EXPECT_EQ(to_string(array({0.1, 1.0 / 3})), "[0.1        0.33333333]");
  EXPECT_EQ(to_string(array({0.1, 1.0 / 3}, DType::float32)), "[0.1        0.33333334]");
  EXPECT_EQ(to_string(array({0.1, 1.0 / 3}, DType::float16)), "[0.1    0.3333]");
  EXPECT_EQ(to_string(array({1e10, 1.5})), "[1.0e+10 1.5e+00]");
  EXPECT_EQ(to_string(array({1.0, 1e-5})), "[1.e+00 1.e-05]");
  EXPECT_EQ(to_string(array({1e8 / 3, 1e-3})), "[3.33333333e+07 1.00000000e-03]");
  EXPECT_EQ(to_string(array({INFINITY, 1.5, NAN, -INFINITY})), "[ inf  1.5  nan -inf]");
  EXPECT_EQ(to_string(array({0.0, -0.0})), "[ 0. -0.]");
  EXPECT_EQ(to_string(array({std::complex<double>(1, -2.5), 0.5})), "[1. -2.5j 0.5+0.j ]");
  EXPECT_EQ(to_string(array({1.23456789012e-7})), "[1.23456789e-07]");
  const std::complex<double> unusual[] = {{NAN, NAN}, {INFINITY, -INFINITY}};
  EXPECT_EQ(to_string(from_span(unusual)), "[nan+nanj inf-infj]");
  EXPECT_EQ(to_string(array(2.5)), "2.5");
  EXPECT_EQ(to_string(array(true)), "True");
}

TEST(ArrayText, Axes) {
  EXPECT_EQ(to_string(arange(6).reshape({2, 3})), "[[0 1 2]\n [3 4 5]]");
  EXPECT_EQ(to_string(arange(8).reshape({2, 2, 2})), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(to_string(zeros({0, 3})), "[]");
  EXPECT_EQ(to_string(arange(40)),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
  EXPECT_EQ(to_string(arange(1001)), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(to_string(arange(2000).reshape({1000, 2})),
            "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n [1994 1995]\n [1996 1997]\n "
            "[1998 1999]]");
}

TEST(ArrayText, Streams) {
  std::ostringstream stream;
  const Array a = arange(3, {}, test::cpu());
  stream << a << ' ' << a[1] << ' ' << (a << 1) << ' ' << a.shape() << ' ' << a.dtype() << ' '
         << a.device();
  EXPECT_EQ(stream.str(), "[0 1 2] 1 [0 2 4] (3,) int64 cpu:0");
}

}  // namespace
}  // namespace cupola
