#include "driver/matmul_blocking.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/environment.h"
#include "base/lazy.h"
#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

MatmulBlocking read_blocking() {
  const char* text = environment_value("CUPOLA_MATMUL_BLOCK_ROWS");
  if (text == nullptr) return {};
  const std::string_view digits(text);
  std::int64_t rows = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), rows);
  if (error != std::errc() || end != digits.end() || rows < 1 || rows > kMostRows) {
    throw ValueError(fmt::format(
        "CUPOLA_MATMUL_BLOCK_ROWS={} is no whole number of rows from 1 to {}: matrix products "
        "are cut into blocks of them",
        text, kMostRows));
  }
  return {rows, 1, 1};
}

}  // namespace

std::vector<MatmulProblem> matmul_blocks(const MatmulProblem& problem) {
  static constinit Lazy<const MatmulBlocking> blocking;
  return matmul_blocks(problem, blocking.get(read_blocking));
}

}  // namespace cupola
