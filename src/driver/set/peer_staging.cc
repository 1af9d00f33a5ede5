#include "driver/set/peer_staging.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cupola/error.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

// Libraries choose their way by the alignment of pointers, too: a copy keeps that of the original.
constexpr std::size_t kAlignment = 256;

std::size_t beyond_alignment(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % kAlignment;
}

}  // namespace

PeerStaging::PeerStaging(Driver& platform, const MatrixRange& range, StreamHandle stream)
    : platform_(platform),
      stream_(stream),
      range_(range),
      beyond_(beyond_alignment(range.data)),
      memory_(static_cast<char*>(platform.allocate_async(bytes(), stream))) {}

std::size_t SetDriver::holder_of(const SetStream& stream, const MatrixRange& range) const {
  std::vector<std::size_t> held(stream.members().size(), 0);
  for (const Piece& piece : pieces_held(stream.set(), range.data, range.bytes)) {
    held[stream.position_of(piece.device)] += piece.bytes;
  }
  return static_cast<std::size_t>(std::ranges::max_element(held) - held.begin());
}

// Null where the member has most of it, and where it would cost more than it brings.
std::unique_ptr<PeerStaging> SetDriver::bring_near(Fork& fork, const SetStream& stream,
                                                   std::size_t member, const MatrixRange& range) {
  if (!range.is_dense || range.bytes < threshold(stream.set().index())) return nullptr;
  std::vector<Piece> pieces = pieces_held(stream.set(), range.data, range.bytes);
  const int device = stream.members()[member];
  std::size_t far = 0;
  for (const Piece& piece : pieces) far += piece.device == device ? 0 : piece.bytes;
  if (far <= range.bytes / 4) return nullptr;
  std::unique_ptr<PeerStaging> copy;
  try {
    copy = std::make_unique<PeerStaging>(platform_, range, fork.on(member));
  } catch (const OutOfMemoryError&) {
    return nullptr;  // it is reached where it is
  }
  // Each member begins with another one's, so that all links are used at once.
  const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(member % pieces.size());
  std::rotate(pieces.begin(), first, pieces.end());
  for (const Piece& piece : pieces) {
    platform_.copy(copy->data() + (piece.data - range.data), device, piece.data, piece.device,
                   piece.bytes, fork.on(member));
  }
  return copy;
}

}  // namespace cupola
