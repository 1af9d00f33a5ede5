#include "memory/pool/pool.h"

#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/history.h"
#include "memory/pool/size_classes.h"
#include "memory/pool/thread_magazines.h"
#include "memory/pressure/reclaim.h"
#include "runtime/completion.h"

namespace cupola {

Pool::Pool(ResourcePointer upstream, PoolOptions options)
    : core_(std::make_shared<PoolCore>(std::move(upstream), options)),
      id_(core_->id()),
      stays_with_parent_(!driver(core_->device()).traits().survives_fork),
      generation_(fork_generation()) {
  register_pool(core_);
  if (options.spills) spilling_ = core_;
}

Pool::~Pool() {
  unregister_pool(*core_);
  if (is_out_of_reach()) return;
  core_->trim(std::nullopt);
}

void* Pool::find(std::size_t bytes, const StreamPointer& stream) {
  if (is_out_of_reach()) [[unlikely]]
    check_not_forked(generation_);
  Magazine* magazine = find_magazine(id_, stream_id(stream));
  if (!magazine) return nullptr;
  void* pointer = magazine->take(block_bytes(bytes));
  if (!pointer) pointer = core_->try_take(block_bytes(bytes), stream);
  if (pointer && core_->is_recorded()) {
    record_block(core_->device(), true, pointer, bytes, stream_id(stream));
  }
  return pointer;
}

void* Pool::allocate(std::size_t bytes, const StreamPointer& stream) {
  if (void* pointer = find(bytes, stream)) return pointer;
  void* pointer = allocate_slowly(bytes, stream);
  if (core_->is_recorded()) record_block(core_->device(), true, pointer, bytes, stream_id(stream));
  return pointer;
}

void Pool::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  if (is_out_of_reach()) [[unlikely]]
    return;
  if (core_->is_recorded()) record_block(core_->device(), false, pointer, bytes, stream_id(stream));
  const std::size_t size = block_bytes(bytes);
  Magazine* magazine = find_magazine(id_, stream_id(stream));
  if (!magazine || !magazine->put(pointer, size)) core_->give(pointer, size, stream);
}

void* Pool::obtain(std::size_t size, const StreamPointer& stream) {
  if (void* pointer = core_->take(size, stream)) return pointer;
  core_->gather();
  if (void* pointer = core_->take(size, stream)) return pointer;
  return core_->grow(size, stream);
}

void* Pool::allocate_slowly(std::size_t bytes, const StreamPointer& stream) {
  const Device& device = core_->device();
  if (bytes > PTRDIFF_MAX) throw_out_of_memory(device, bytes, "no device has as much");
  const std::size_t size = block_bytes(bytes);
  if (!find_magazine(id_, stream_id(stream))) {
    drop_idle_magazines(stream);
    make_magazine(core_, stream);
  }
  Reclaimer reclaimer(device, bytes, spilling().get());
  for (;;) {
    try {
      return obtain(size, stream);
    } catch (const OutOfMemoryError& error) {
      if (void* pointer = core_->take_from_any(size, stream)) return pointer;
      if (reclaimer.next()) continue;
      record_out_of_memory(device, bytes);
      throw_out_of_memory(device, bytes, error.what());
    }
  }
}

std::size_t Pool::trim() {
  drain();
  core_->gather();
  return core_->trim(std::nullopt);
}

std::size_t Pool::trim(const StreamPointer& stream) { return core_->trim(stream_id(stream)); }

}  // namespace cupola
