// Who has the memory of a device.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/byte_units.h"
#include "core/device_sets.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "memory/pressure/holders.h"
#include "memory/pressure/reclaim.h"

namespace cupola {

namespace {

std::string describe(const Device& device, const MemoryAccount& account) {
  return fmt::format(
      "{}: {} free of {} ({} of {}), {} held by live arrays ({}), {} cached, {} used by others "
      "(other processes, CUDA itself)",
      device.to_string(), account.free, account.total, in_byte_units(account.free),
      in_byte_units(account.total), account.live, in_byte_units(account.live), account.cached,
      account.others);
}

// The bytes of a block on one device.
std::size_t bytes_on(const Device& member, const SetDriver& sets, const Block& block) {
  std::size_t bytes = 0;
  for (const Piece& piece : sets.pieces(block.data, block.size)) {
    if (piece.device == member.index()) bytes += piece.bytes;
  }
  return bytes;
}

// What a pool of a set has on one of the members.
void add_share(PoolCore& core, const Device& member, MemoryAccount& account) {
  const SetDriver& sets = set_driver(member.platform());
  core.inspect([&](const Arena& arena) {
    for (const auto& [data, segment] : arena.segments()) {
      for (const Block* block = segment->first; block; block = block->next) {
        std::size_t& sum = block->list == nullptr ? account.live : account.cached;
        sum += bytes_on(member, sets, *block);
      }
    }
  });
}

MemoryAccount account_of_one(const Device& device) {
  MemoryAccount account;
  const MemoryInfo memory = driver(device).memory_info(device.index());
  account.total = memory.total;
  account.free = memory.free;
  for (const auto& core : all_pools()) {
    if (!core->properties().counts_on_device || !core->device().contains(device)) continue;
    if (core->device().is_set()) {
      add_share(*core, device, account);
      continue;
    }
    const PoolStatistics statistics = core->statistics();
    account.live += statistics.used;
    account.cached += statistics.cached;
  }
  const std::size_t taken = memory.total - std::min(memory.total, memory.free);
  account.others = taken - std::min(taken, account.live + account.cached);
  return account;
}

// What is on the host instead; empty where nothing is.
std::string spilled_text(const Device& device) {
  std::string text;
  for (const auto& core : all_pools()) {
    if (!core->spills() || !overlap(core->device(), device)) continue;
    const SpillCounts counts = core->spill_counts();
    if (counts.away == 0) continue;
    text += fmt::format("; {} arrays of {} bytes are spilled to pinned host memory", counts.away,
                        counts.bytes_away);
  }
  return text;
}

bool has_memory(const Device& device) {
  return std::ranges::any_of(all_pools(), [&](const auto& core) {
    return core->properties().counts_on_device && core->device().contains(device);
  });
}

}  // namespace

MemoryAccount account_of(const Device& device) {
  MemoryAccount sum;
  for (const int index : device.members()) {
    const MemoryAccount one = account_of_one(Device(device.platform(), index));
    sum.total += one.total;
    sum.free += one.free;
    sum.live += one.live;
    sum.cached += one.cached;
    sum.others += one.others;
  }
  return sum;
}

void throw_out_of_memory(const Device& device, std::size_t bytes, const std::string& cause) {
  std::string text = fmt::format("out of memory on {}: {} bytes asked for ({})", device.to_string(),
                                 bytes, in_byte_units(bytes));
  for (const int index : device.members()) {
    const Device member(device.platform(), index);
    text += "; " + describe(member, account_of(member));
  }
  for (int i = 0; i < device_count(device.platform()); ++i) {
    const Device other(device.platform(), i);
    if (device.contains(other) || !has_memory(other)) continue;
    text += "; " + describe(other, account_of(other));
  }
  throw OutOfMemoryError(text + spilled_text(device) + largest_holders(device) + " (" + cause +
                         ")");
}

}  // namespace cupola
