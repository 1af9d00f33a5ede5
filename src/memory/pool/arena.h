#pragma once
// The blocks of a pool: segments of the upstream, cut into blocks that are handed out or free, and
// the free ones by stream. Best fit; what is left of a larger block stays free, and a block that
// comes back is joined with its free neighbours of the same stream. Very large blocks are kept
// whole for requests of their order of magnitude, as long as there is other memory; those that are
// divided among devices, always, for requests of almost their size: a part would be divided
// otherwise.
//
// Requests of `movable_from` bytes and more are served by segments of their own, which are never
// cut: these can be moved. While one is away it is still there, handed out.
//
// A plain data structure: it calls nobody, and its owner guards it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "memory/resources/resource.h"

namespace cupola {

struct FreeList;

// Neighbours in a segment are linked in the order of their addresses.
struct Block {
  char* data = nullptr;
  std::size_t size = 0;
  struct Segment* segment = nullptr;
  Block* previous = nullptr;
  Block* next = nullptr;
  FreeList* list = nullptr;  // null: handed out
};

enum class SegmentKind : std::uint8_t {
  small,  // for blocks of the size classes
  large,
  whole,  // one block, which is divided among devices or can be moved
};

struct Segment {
  char* data = nullptr;
  std::size_t size = 0;
  SegmentKind kind = SegmentKind::large;
  bool is_away = false;      // without memory at present
  std::uint64_t stream = 0;  // the identity of the one that the upstream was asked for
  Block* first = nullptr;
  std::size_t blocks_out = 0;
};

struct BestFit {
  using is_transparent = void;
  bool operator()(const Block* a, const Block* b) const {
    return a->size != b->size ? a->size < b->size : a->data < b->data;
  }
  bool operator()(const Block* a, std::size_t size) const { return a->size < size; }
};

// The free blocks that work on one stream may still use; those of a null stream nobody uses.
struct FreeList {
  StreamPointer stream;                             // kept while there are blocks
  std::uint64_t version = 0;                        // another one with every block that comes
  std::array<std::set<Block*, BestFit>, 3> blocks;  // by the kinds of segments

  std::set<Block*, BestFit>& of(SegmentKind kind) { return blocks[static_cast<std::size_t>(kind)]; }
  bool empty() const {
    return std::ranges::all_of(blocks, [](const auto& kind) { return kind.empty(); });
  }
};

inline std::uint64_t stream_id(const StreamPointer& stream) { return stream ? stream->id() : 0; }

class Arena {
 public:
  // What a segment's memory was, when it is given up.
  struct Released {
    char* data;
    std::size_t size;
    std::vector<StreamPointer> streams;  // whose work may still use it
  };

  explicit Arena(std::size_t movable_from = SIZE_MAX) : movable_from_(movable_from) {}
  ~Arena();

  // A free block of the stream, or one that nobody uses; null where none fits.
  void* take(std::size_t size, const StreamPointer& stream);
  struct Taken {
    void* pointer = nullptr;
    StreamPointer stream;  // whose work may still use it
  };
  // The best fit of all streams, for a request that nothing else can serve.
  Taken take_from_any(std::size_t size);
  // Memory of the upstream, of which `size` bytes are handed out.
  void* add_segment(char* data, std::size_t bytes, std::size_t size, const StreamPointer& stream,
                    bool is_divided = false);
  // False when no block that was handed out begins there.
  bool give(void* pointer, const StreamPointer& stream);

  // The segment that begins there, with one block, which is handed out; null: it is no such one.
  Segment* find_whole(void* data);
  void forget(Segment* segment) { drop(segment); }

  bool is_movable(std::size_t size) const { return size >= movable_from_; }

  // Lists with blocks that some stream may still use.
  struct Listed {
    StreamPointer stream;
    std::uint64_t version;
  };
  std::vector<Listed> waiting();
  // The stream's work as of `listed` is done: nobody uses its blocks, unless others have come.
  void mark_complete(const Listed& listed);

  // Takes out every segment of which nothing is handed out; with a stream, only of free blocks
  // of that stream.
  std::vector<Released> release(const std::optional<std::uint64_t>& only = std::nullopt);

  const std::unordered_map<void*, std::unique_ptr<Segment>>& segments() const { return segments_; }
  std::size_t free_blocks() const { return free_blocks_; }

 private:
  FreeList& list_of(const StreamPointer& stream);
  Block* find_fit(FreeList& list, std::size_t size) const;
  void* hand_out(Block* block, std::size_t size);
  void insert(Block* block, FreeList& list);
  void remove(Block* block);
  // Joins `block` with the one after it, which goes.
  static void absorb_next(Block* block);
  Block* coalesce(Block* block, const FreeList& list);
  void drop(Segment* segment);

  const std::size_t movable_from_;
  std::unordered_map<std::uint64_t, FreeList> lists_;  // by stream identity
  std::unordered_map<void*, Block*> out_;              // by address
  std::unordered_map<void*, std::unique_ptr<Segment>> segments_;
  std::size_t free_blocks_ = 0;
  std::uint64_t next_version_ = 0;
};

}  // namespace cupola
