#pragma once
// New arrays. `device` defaults to the current device. Errors: ValueError for negative or
// overflowing sizes, OutOfMemoryError.

#include <functional>
#include <optional>
#include <vector>

#include "cupola/ops/elementwise.h"

namespace cupola {

using DeviceOption = std::optional<Device>;

// order: 'C' or 'F'.
Array empty(const Dims& shape, DType dtype = DType::float64, DeviceOption device = {},
            char order = 'C');
Array zeros(const Dims& shape, DType dtype = DType::float64, DeviceOption device = {},
            char order = 'C');
Array ones(const Dims& shape, DType dtype = DType::float64, DeviceOption device = {},
           char order = 'C');
// dtype defaults to the number's own (int64, float64 ... for C++ numbers).
Array full(const Dims& shape, const Number& value, std::optional<DType> dtype = {},
           DeviceOption device = {}, char order = 'C');
// shape, dtype and device default to those of `a`; order 'K' keeps its layout.
Array empty_like(const Array& a, std::optional<DType> dtype = {}, char order = 'K',
                 std::optional<Dims> shape = {}, DeviceOption device = {});

// start, start + step, ... below stop; from 0 where there is no start. The dtype follows
// numpy.arange when absent.
Array arange(const Number& start, const Number& stop, const Number& step = 1,
             std::optional<DType> dtype = {}, DeviceOption device = {});
Array arange(const Number& stop, std::optional<DType> dtype = {}, DeviceOption device = {});
// `count` points from start to stop; dtype float64 (complex128) when absent.
Array linspace(const Number& start, const Number& stop, std::int64_t count, bool endpoint = true,
               std::optional<DType> dtype = {}, DeviceOption device = {});
// Ones on diagonal k of a rows x columns matrix.
Array eye(std::int64_t rows, std::int64_t columns, std::int64_t k = 0, DType dtype = DType::float64,
          DeviceOption device = {}, char order = 'C');
// Ones at and below diagonal k.
Array tri(std::int64_t rows, std::int64_t columns, std::int64_t k = 0, DType dtype = DType::float64,
          DeviceOption device = {});
// Lower and upper triangles of the last two dimensions.
Array tril(const Array& a, std::int64_t k = 0);
Array triu(const Array& a, std::int64_t k = 0);
// numpy.diag: a matrix from rank 1, a diagonal (view) from rank 2.
Array diag(const Array& a, std::int64_t k = 0);

}  // namespace cupola
