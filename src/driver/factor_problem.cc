#include "driver/factor_problem.h"

#include <algorithm>

namespace cupola {

namespace {

std::size_t bytes_of(std::int64_t rows, std::int64_t columns, std::size_t item) {
  return static_cast<std::size_t>(rows * columns) * item;
}

}  // namespace

std::string_view name_of(Factorisation kind) {
  switch (kind) {
    case Factorisation::lu:
      return "lu";
    case Factorisation::solve:
      return "solve";
    case Factorisation::cholesky:
      return "cholesky";
    case Factorisation::qr:
      return "qr";
    case Factorisation::q:
      return "q of qr";
    case Factorisation::eigen:
      return "eigenvalues";
    case Factorisation::general:
      return "eigenvalues of general matrices";
    case Factorisation::singular:
      return "singular values";
  }
  return "";
}

bool is_empty(const FactorProblem& problem) {
  return problem.count == 0 || problem.rows == 0 || problem.columns == 0;
}

std::vector<FactorOperand> operands_of(const FactorProblem& p) {
  const std::size_t item = item_size(p.dtype);
  const std::int64_t shorter = std::min(p.rows, p.columns);
  std::vector<FactorOperand> operands{
      {&FactorProblem::a, bytes_of(p.rows, p.columns, item), true, true},
      {&FactorProblem::info, sizeof(std::int32_t), false, true}};
  const auto add = [&](void* FactorProblem::*pointer, std::int64_t rows, std::int64_t columns,
                       std::size_t size, bool is_read, bool is_written) {
    operands.push_back({pointer, bytes_of(rows, columns, size), is_read, is_written});
  };
  switch (p.kind) {
    case Factorisation::solve:
      add(&FactorProblem::b, p.rows, p.extent, item, true, true);
      [[fallthrough]];
    case Factorisation::lu:
      add(&FactorProblem::pivots, p.rows, 1, sizeof(std::int64_t), false, true);
      break;
    case Factorisation::cholesky:
      break;
    case Factorisation::qr:
      add(&FactorProblem::values, shorter, 1, item, false, true);
      break;
    case Factorisation::q:
      add(&FactorProblem::values, p.extent, 1, item, true, false);
      break;
    case Factorisation::eigen:
      add(&FactorProblem::values, shorter, 1, item_size(real_dtype(p.dtype)), false, true);
      break;
    case Factorisation::general:
      add(&FactorProblem::values, p.rows, 1, item_size(complex_dtype(p.dtype)), false, true);
      if (p.vectors) add(&FactorProblem::b, p.rows, p.rows, item, false, true);
      break;
    case Factorisation::singular:
      add(&FactorProblem::values, shorter, 1, item_size(real_dtype(p.dtype)), false, true);
      if (!p.vectors) break;
      add(&FactorProblem::b, p.rows, p.extent, item, false, true);
      add(&FactorProblem::c, p.columns, p.columns, item, false, true);
      break;
  }
  return operands;
}

FactorProblem matrices_of(const FactorProblem& problem, std::span<const FactorOperand> operands,
                          std::int64_t first, std::int64_t last) {
  FactorProblem part = problem;
  part.count = last - first;
  for (const FactorOperand& operand : operands) {
    char* const whole = static_cast<char*>(problem.*operand.pointer);
    part.*operand.pointer = whole + static_cast<std::size_t>(first) * operand.bytes;
  }
  return part;
}

double cost_of_matrix(const FactorProblem& problem) {
  const auto shorter = static_cast<double>(std::min(problem.rows, problem.columns));
  const double area = static_cast<double>(problem.rows) * static_cast<double>(problem.columns);
  const double second =
      static_cast<double>(problem.rows) * static_cast<double>(problem.extent) * shorter;
  switch (problem.kind) {
    case Factorisation::lu:
    case Factorisation::solve:
    case Factorisation::cholesky:
      return area * shorter / 3 + second;
    case Factorisation::qr:
    case Factorisation::q:
      return area * shorter;
    case Factorisation::eigen:
    case Factorisation::general:
    case Factorisation::singular:
      return area * shorter * 8;
  }
  return 0;
}

}  // namespace cupola
