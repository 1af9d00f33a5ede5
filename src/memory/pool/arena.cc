#include "memory/pool/arena.h"

#include <algorithm>

#include "memory/pool/size_classes.h"

namespace cupola {

namespace {

// What is cut off a block and stays free is at least this large.
std::size_t smallest_rest(const Segment& segment) {
  switch (segment.kind) {
    case SegmentKind::small:
      return kBlockStep;
    case SegmentKind::large:
      return std::size_t{256} << 10;
    case SegmentKind::whole:
      break;
  }
  return SIZE_MAX;
}

// What is missing at the end of a divided block is missing to its last device.
bool is_almost(std::size_t size, const Block& block) {
  constexpr std::size_t kPart = 32;
  return size >= block.size - block.size / kPart;
}

// A small block out of a very large one would keep the whole from being used again or given back.
bool is_worth_splitting(const Block& block, std::size_t size) {
  constexpr std::size_t kAlways = std::size_t{256} << 20;
  return block.size <= kAlways || size >= block.size / 16;
}

}  // namespace

Arena::~Arena() {
  while (!segments_.empty()) drop(segments_.begin()->second.get());
}

FreeList& Arena::list_of(const StreamPointer& stream) {
  FreeList& list = lists_[stream_id(stream)];
  if (!list.stream) list.stream = stream;
  return list;
}

void Arena::insert(Block* block, FreeList& list) {
  block->list = &list;
  list.of(block->segment->kind).insert(block);
  list.version = ++next_version_;
  ++free_blocks_;
}

void Arena::remove(Block* block) {
  FreeList& list = *block->list;
  list.of(block->segment->kind).erase(block);
  block->list = nullptr;
  --free_blocks_;
  if (list.empty()) list.stream.reset();
}

Block* Arena::find_fit(FreeList& list, std::size_t size) const {
  const auto smallest = [&](SegmentKind kind) {
    const auto found = list.of(kind).lower_bound(size);
    return found == list.of(kind).end() ? nullptr : *found;
  };
  if (size <= kLargestSmall && !is_movable(size)) return smallest(SegmentKind::small);
  Block* const whole = smallest(SegmentKind::whole);
  if (whole && is_almost(size, *whole)) return whole;
  return is_movable(size) ? nullptr : smallest(SegmentKind::large);
}

void* Arena::hand_out(Block* block, std::size_t size) {
  if (block->size - size >= smallest_rest(*block->segment)) {
    auto* rest =
        new Block{block->data + size, block->size - size, block->segment, block, block->next};
    if (rest->next) rest->next->previous = rest;
    block->next = rest;
    FreeList& list = *block->list;
    const StreamPointer stream = list.stream;
    remove(block);
    block->size = size;
    list.stream = stream;
    insert(rest, list);
  } else {
    remove(block);
  }
  ++block->segment->blocks_out;
  out_.emplace(block->data, block);
  return block->data;
}

void* Arena::take(std::size_t size, const StreamPointer& stream) {
  for (const std::uint64_t id : {stream_id(stream), std::uint64_t{0}}) {
    const auto list = lists_.find(id);
    if (list == lists_.end()) continue;
    Block* block = find_fit(list->second, size);
    if (block && is_worth_splitting(*block, size)) return hand_out(block, size);
  }
  return nullptr;
}

Arena::Taken Arena::take_from_any(std::size_t size) {
  Block* best = nullptr;
  for (auto& [id, list] : lists_) {
    Block* block = find_fit(list, size);
    if (block && (!best || block->size < best->size)) best = block;
  }
  if (!best) return {};
  StreamPointer stream = best->list->stream;
  return {hand_out(best, size), std::move(stream)};
}

void* Arena::add_segment(char* data, std::size_t bytes, std::size_t size,
                         const StreamPointer& stream, bool is_divided) {
  auto segment = std::make_unique<Segment>();
  segment->data = data;
  segment->size = bytes;
  segment->kind = is_movable(size)        ? SegmentKind::whole
                  : size <= kLargestSmall ? SegmentKind::small
                  : is_divided            ? SegmentKind::whole
                                          : SegmentKind::large;
  segment->stream = stream_id(stream);
  segment->first = new Block{data, bytes, segment.get()};
  insert(segment->first, list_of(stream));
  Block* block = segment->first;
  segments_.emplace(data, std::move(segment));
  return hand_out(block, size);
}

void Arena::absorb_next(Block* block) {
  Block* next = block->next;
  block->size += next->size;
  block->next = next->next;
  if (block->next) block->next->previous = block;
  delete next;
}

Block* Arena::coalesce(Block* block, const FreeList& list) {
  if (block->next && block->next->list == &list) {
    remove(block->next);
    absorb_next(block);
  }
  if (block->previous && block->previous->list == &list) {
    block = block->previous;
    remove(block);
    absorb_next(block);
  }
  return block;
}

bool Arena::give(void* pointer, const StreamPointer& stream) {
  const auto entry = out_.find(pointer);
  if (entry == out_.end()) return false;
  Block* block = entry->second;
  out_.erase(entry);
  --block->segment->blocks_out;
  FreeList& list = list_of(stream);
  block = coalesce(block, list);
  list.stream = stream;
  insert(block, list);
  return true;
}

Segment* Arena::find_whole(void* data) {
  const auto found = segments_.find(data);
  if (found == segments_.end()) return nullptr;
  Segment* const segment = found->second.get();
  return segment->kind == SegmentKind::whole && segment->blocks_out == 1 ? segment : nullptr;
}

std::vector<Arena::Listed> Arena::waiting() {
  std::vector<Listed> result;
  std::erase_if(lists_, [](const auto& entry) { return entry.first != 0 && entry.second.empty(); });
  for (const auto& [id, list] : lists_) {
    if (id != 0) result.push_back({list.stream, list.version});
  }
  return result;
}

void Arena::mark_complete(const Listed& listed) {
  const auto entry = lists_.find(listed.stream->id());
  if (entry == lists_.end() || entry->second.version != listed.version) return;
  FreeList& from = entry->second;
  FreeList& settled = list_of(nullptr);
  std::vector<Block*> blocks;
  for (const auto& kind : from.blocks) blocks.insert(blocks.end(), kind.begin(), kind.end());
  for (Block* block : blocks) remove(block);
  lists_.erase(entry);
  for (Block* block : blocks) insert(coalesce(block, settled), settled);
}

void Arena::drop(Segment* segment) {
  for (Block* block = segment->first; block;) {
    Block* next = block->next;
    if (block->list) {
      remove(block);
    } else {
      out_.erase(block->data);
    }
    delete block;
    block = next;
  }
  segments_.erase(segment->data);
}

std::vector<Arena::Released> Arena::release(const std::optional<std::uint64_t>& only) {
  std::vector<Segment*> idle;
  std::vector<Released> result;
  for (const auto& [data, segment] : segments_) {
    if (segment->blocks_out != 0) continue;
    std::vector<StreamPointer> streams;
    bool matches = true;
    for (const Block* block = segment->first; block; block = block->next) {
      const StreamPointer& stream = block->list->stream;
      matches &= !only || stream_id(stream) == *only;
      if (stream) streams.push_back(stream);
    }
    if (!matches) continue;
    result.push_back({segment->data, segment->size, std::move(streams)});
    idle.push_back(segment.get());
  }
  for (Segment* segment : idle) drop(segment);
  return result;
}

}  // namespace cupola
