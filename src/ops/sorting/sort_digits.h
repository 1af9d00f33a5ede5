#pragma once
// Sorting of rows of any length, by one digit of their elements after the other.

#include <span>

#include "codegen/planner.h"

namespace cupola {

// Elements of rows and the numbers that go with them, row-major. Either may be missing where nobody
// asks for it. Where they are read, one row of numbers may stand for all.
struct NumberedRows {
  Array elements;
  Array numbers;
};

// Every step-th element from `begin` on, and before `end`, of an array of one dimension: a view.
Array part_of(const Array& row, std::int64_t begin, std::int64_t end, std::int64_t step = 1);
// With `axis` last. Rows whose elements lie far apart are brought together first, by tiles.
Array as_rows(const Array& a, int axis);
Array empty_rows(DType dtype, const Array& like);
// The place of each element in its row, along the last dimension; it waits to be computed.
Array places_in_rows(const Array& elements);

// Stores in the order of rows: by `offset`, see StoreKind.
void order(std::span<Write> writes, StoreKind store, const Array& offset);
// Stores the rows in `result` behind those of smaller bins (uint8, less than `count`); of one bin,
// in their order.
void part_by_bins(const NumberedRows& rows, const Array& bins, const NumberedRows& result,
                  int count = 256);

// Sorts the rows, which may wait to be computed, into `result`. result.elements may be
// rows.elements; whatever is thrown then, it has all its elements. If they have an even number of
// digits, result.numbers may be rows.numbers.
void sort_by_digits(const NumberedRows& rows, const NumberedRows& result);

}  // namespace cupola
