#pragma once
// Which pending arrays read a storage, and what they keep.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/containers/pointer_map.h"
#include "core/storage.h"
#include "cupola/array.h"

namespace cupola {

// The pending arrays that `sources` are made of, sources included, as far as nobody else holds
// them but for `stored`, or that may stay pending, and how often they read elements of the target's
// storage.
struct OwnReaders {
  PointerSet nodes;
  std::uint32_t count = 0;
};
OwnReaders find_own_readers(std::span<const Array> sources, std::span<const Array> stored,
                            const Array& target);
// Bytes of the memory that nobody holds but the pending arrays below the roots.
std::size_t kept_bytes(std::span<const Array> roots);
// Those that read elements of the storage, themselves or through others.
std::vector<Array> find_readers(std::span<const Array> pending, const Storage& storage);
// Whether a pending array does.
bool reads(const Array& root, const Storage& storage);
// Whether somebody lets a pending array go (Passing) that reads nothing of what is written next:
// should it be read all the same, it has its values.
bool may_stay_pending(const Array& array, const Array& target);

}  // namespace cupola
