// Matrix products on device sets.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/counters.h"
#include "cupola/error.h"
#include "driver/matmul_blocking.h"
#include "driver/set/matrix_range.h"
#include "driver/set/set_driver.h"

namespace cupola {

namespace {

// Libraries choose their way by the alignment of pointers, too: a copy keeps that of the original.
constexpr std::size_t kAlignment = 256;

std::size_t beyond_alignment(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % kAlignment;
}

// Whose memory says who computes: a's rows where these are more than twice c's, as for launches.
bool is_guided_by_a(const MatmulProblem& problem) {
  return problem.a_column == 1 && range_of_a(problem).bytes / 2 > range_of_c(problem).bytes;
}

}  // namespace

// What a member reads of others' memory, for as long as this object lives in the order of a stream.
class NearCopy {
 public:
  // Throws OutOfMemoryError.
  NearCopy(Driver& platform, const MatrixRange& range, StreamHandle stream)
      : platform_(platform),
        stream_(stream),
        range_(range),
        beyond_(beyond_alignment(range.data)),
        memory_(static_cast<char*>(platform.allocate_async(bytes(), stream))) {}
  ~NearCopy() { platform_.deallocate_async(memory_, bytes(), stream_); }
  NearCopy(const NearCopy&) = delete;
  NearCopy& operator=(const NearCopy&) = delete;

  char* data() const { return memory_ + beyond_; }
  const MatrixRange& range() const { return range_; }
  // Where what the pointer stands for is.
  const void* moved(const void* pointer) const {
    return data() + (static_cast<const char*>(pointer) - range_.data);
  }

 private:
  std::size_t bytes() const { return range_.bytes + beyond_; }

  Driver& platform_;
  const StreamHandle stream_;
  const MatrixRange range_;
  const std::size_t beyond_;
  char* const memory_;
};

std::size_t SetDriver::holder_of(const SetStream& stream, const MatrixRange& range) const {
  std::vector<std::size_t> held(stream.members().size(), 0);
  for (const Piece& piece : pieces_held(stream.set(), range.data, range.bytes)) {
    held[stream.position_of(piece.device)] += piece.bytes;
  }
  return static_cast<std::size_t>(std::ranges::max_element(held) - held.begin());
}

// Null where the member has most of it, and where it would cost more than it brings.
std::unique_ptr<NearCopy> SetDriver::bring_near(Fork& fork, const SetStream& stream,
                                                std::size_t member, const MatrixRange& range) {
  if (!range.is_dense || range.bytes < threshold(stream.set().index())) return nullptr;
  std::vector<Piece> pieces = pieces_held(stream.set(), range.data, range.bytes);
  const int device = stream.members()[member];
  std::size_t far = 0;
  for (const Piece& piece : pieces) far += piece.device == device ? 0 : piece.bytes;
  if (far <= range.bytes / 4) return nullptr;
  std::unique_ptr<NearCopy> copy;
  try {
    copy = std::make_unique<NearCopy>(platform_, range, fork.on(member));
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

// Blocks of one matrix share b, which comes once to each member.
void SetDriver::multiply_divided(SetStream& stream, const std::vector<MatmulProblem>& blocks,
                                 bool by_a) {
  Fork fork(stream);
  std::vector<std::unique_ptr<NearCopy>> copies_of_b(stream.members().size());
  for (MatmulProblem block : blocks) {
    const std::size_t member = holder_of(stream, by_a ? range_of_a(block) : range_of_c(block));
    const MatrixRange a = range_of_a(block);
    const MatrixRange b = range_of_b(block);
    const std::unique_ptr<NearCopy> copy_of_a = bring_near(fork, stream, member, a);
    if (copy_of_a) block.a = copy_of_a->moved(block.a);
    std::unique_ptr<NearCopy>& copy_of_b = copies_of_b[member];
    if (!copy_of_b || copy_of_b->range().data != b.data || copy_of_b->range().bytes != b.bytes) {
      copy_of_b.reset();
      copy_of_b = bring_near(fork, stream, member, b);
    }
    if (copy_of_b) block.b = copy_of_b->moved(block.b);
    platform_.matmul(block, fork.on(member));
  }
}

void SetDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  SetStream& set = SetStream::of(stream);
  if (is_empty(problem)) return platform_.matmul(problem, set.lead());
  const bool by_a = is_guided_by_a(problem);
  const MatrixRange guide = by_a ? range_of_a(problem) : range_of_c(problem);
  const std::vector<Piece> pieces = pieces_held(set.set(), guide.data, guide.bytes);
  const int first = set.members().front();
  const bool is_leads =
      std::ranges::all_of(pieces, [&](const Piece& piece) { return piece.device == first; });
  const std::vector<MatmulProblem> blocks =
      is_leads ? std::vector<MatmulProblem>{} : matmul_blocks(problem);
  const bool is_divided = blocks.size() > 1 && is_reached(set.set(), problem.a) &&
                          is_reached(set.set(), problem.b) && is_reached(set.set(), problem.c);
  if (is_divided) {
    count(Counter::divided_launches);
    return multiply_divided(set, blocks, by_a);
  }
  if (!is_leads && guide.bytes >= threshold(set.set().index())) count_gathered();
  platform_.matmul(problem, set.lead());
}

}  // namespace cupola
