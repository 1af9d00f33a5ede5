#pragma once
// Moves elements between strided memory and tiles. Strides in elements.

#include <cstddef>
#include <cstdint>

#include "cupola/dims.h"

namespace cupola::cpu {

// As std::memmove.
void move_bytes(void* target, const void* source, std::size_t bytes);

// target[i] = source[i * stride]
void gather_row(void* target, const void* source, std::int64_t stride, std::int64_t count,
                std::size_t item_size);
// target[i * stride] = source[i]
void scatter_row(void* target, const void* source, std::int64_t stride, std::int64_t count,
                 std::size_t item_size);
// Row r of the target, `pitch` bytes after the one before, gets source[r * row_stride + c *
// column_stride] at c. Reads along r.
void transpose_block(void* target, std::int64_t pitch, const void* source, std::int64_t row_stride,
                     std::int64_t column_stride, std::int64_t rows, std::int64_t columns,
                     std::size_t item_size);
// target[i] = *source
void fill_row(void* target, const void* source, std::int64_t count, std::size_t item_size);
// target[i] = source[indices[i]]
void gather_indexed(void* target, const void* source, const std::int64_t* indices,
                    std::int64_t count, std::size_t item_size);
// The same with indices + extent where they are below zero.
void gather_counted(void* target, const void* source, const std::int64_t* indices,
                    std::int64_t zero, std::int64_t extent, std::int64_t count,
                    std::size_t item_size);
// target[indices[i]] = source[i] where predicate[i] (null: everywhere), in order.
void scatter_indexed(void* target, const void* source, const std::int64_t* indices,
                     const bool* predicate, std::int64_t count, std::size_t item_size);

// Element offset of row-major element number `flat` of a space.
std::int64_t strided_offset(const Dims& extents, const Dims& strides, std::int64_t flat);
// Elements flat .. flat+count-1 (row-major) of a strided operand.
void gather_range(void* target, const void* base, const Dims& extents, const Dims& strides,
                  std::int64_t flat, std::int64_t count, std::size_t item_size);
// The same of an operand in two pieces along dimensions with turns (LaunchArguments::turns).
void gather_turned(void* target, const void* base, const Dims& extents, const Dims& strides,
                   const Dims& turns, std::int64_t flat, std::int64_t count, std::size_t item_size);
void scatter_range(void* base, const void* source, const Dims& extents, const Dims& strides,
                   std::int64_t flat, std::int64_t count, std::size_t item_size);

}  // namespace cupola::cpu
