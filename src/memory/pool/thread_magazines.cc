#include "memory/pool/thread_magazines.h"

#include <array>

#include "base/mutant.h"

namespace cupola {

namespace {

constexpr std::size_t kEntries = 16;

// Found by address arithmetic alone; a thread that never had a magazine has zeros here.
struct Entry {
  std::uint64_t pool;
  std::uint64_t stream;
  Magazine* magazine;
};
constinit thread_local std::array<Entry, kEntries> entries{};
constinit thread_local bool ending = false;

std::size_t index_of(std::uint64_t pool, std::uint64_t stream) {
  return static_cast<std::size_t>(stream + 5 * pool) % kEntries;
}

class Owned {
 public:
  ~Owned() {
    ending = true;
    for (std::size_t i = 0; i < kEntries; ++i) {
      if (CUPOLA_MUTANT(keep_magazines)) static_cast<void>(owned_[i].release());
      drop(i);
    }
  }
  void put(std::size_t index, std::unique_ptr<AttachedMagazine> magazine) {
    drop(index);
    magazine->core->attach(*magazine);
    entries[index] = {magazine->core->id(), stream_id(magazine->stream), &magazine->magazine};
    owned_[index] = std::move(magazine);
  }
  void drop(std::size_t index) noexcept {
    if (!owned_[index]) return;
    entries[index] = {};
    owned_[index]->core->detach(*owned_[index]);
    owned_[index].reset();
  }
  const AttachedMagazine* at(std::size_t index) const { return owned_[index].get(); }

 private:
  std::array<std::unique_ptr<AttachedMagazine>, kEntries> owned_;
};
thread_local Owned owned;

}  // namespace

Magazine* find_magazine(std::uint64_t pool, std::uint64_t stream) {
  const Entry& entry = entries[index_of(pool, stream)];
  return entry.pool == pool && entry.stream == stream ? entry.magazine : nullptr;
}

void make_magazine(const std::shared_ptr<PoolCore>& core, const StreamPointer& stream) {
  if (ending) return;
  auto magazine = std::make_unique<AttachedMagazine>();
  magazine->core = core;
  magazine->stream = stream;
  owned.put(index_of(core->id(), stream_id(stream)), std::move(magazine));
}

void drop_idle_magazines(const StreamPointer& current) {
  if (ending) return;
  for (std::size_t i = 0; i < kEntries; ++i) {
    const AttachedMagazine* magazine = owned.at(i);
    if (magazine && magazine->stream && magazine->stream != current &&
        is_complete(magazine->stream)) {
      owned.drop(i);
    }
  }
}

}  // namespace cupola
