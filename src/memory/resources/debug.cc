#include "memory/resources/debug.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/process/environment.h"
#include "cupola/error.h"

namespace cupola {

namespace {

constexpr std::uint8_t kGuardByte = 0xA5;

void fill(void* target, std::uint8_t value, std::size_t bytes, const StreamPointer& stream) {
  if (stream) {
    stream->driver().fill_bytes(target, value, bytes, stream->handle());
  } else {
    std::memset(target, value, bytes);
  }
}

std::vector<std::uint8_t> read(const void* source, std::size_t bytes, const StreamPointer& stream) {
  std::vector<std::uint8_t> host(bytes);
  if (stream) {
    stream->driver().copy_to_host(host.data(), source, bytes, stream->handle());
  } else {
    std::memcpy(host.data(), source, bytes);
  }
  return host;
}

// Bytes from the start of `guard` to the first that was written; nothing if none was.
std::optional<std::size_t> first_damage(const std::vector<std::uint8_t>& guard) {
  const auto found = std::find_if(guard.begin(), guard.end(),
                                  [](std::uint8_t byte) { return byte != kGuardByte; });
  if (found == guard.end()) return std::nullopt;
  return static_cast<std::size_t>(found - guard.begin());
}

}  // namespace

MemoryDebug memory_debug() {
  const char* text = environment_value("CUPOLA_MEMORY_DEBUG");
  if (text == nullptr) return MemoryDebug::off;
  const std::string_view name(text);
  if (name == "poison") return MemoryDebug::poison;
  if (name == "guard") return MemoryDebug::guard;
  if (name == "passthrough") return MemoryDebug::pass_through;
  throw ValueError(
      fmt::format("CUPOLA_MEMORY_DEBUG={} is not one of poison, guard, passthrough", name));
}

void* Poison::allocate(std::size_t bytes, const StreamPointer& stream) {
  void* pointer = upstream().allocate(bytes, stream);
  try {
    fill(pointer, kNew, bytes, stream);
  } catch (...) {
    upstream().deallocate(pointer, bytes, stream);
    throw;
  }
  return pointer;
}

void Poison::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  try {
    fill(pointer, kFreed, bytes, stream);
  } catch (...) {
    // The stream has failed; that is reported where it is used.
  }
  upstream().deallocate(pointer, bytes, stream);
}

void* FilledEnd::allocate(std::size_t bytes, const StreamPointer& stream) {
  void* pointer = upstream().allocate(bytes, stream);
  try {
    if (const std::size_t rest = -bytes % 16; rest > 0) {
      fill(static_cast<char*>(pointer) + bytes, 0, rest, stream);
    }
  } catch (...) {
    upstream().deallocate(pointer, bytes, stream);
    throw;
  }
  return pointer;
}

void* Guard::allocate(std::size_t bytes, const StreamPointer& stream) {
  {
    const std::lock_guard lock(mutex_);
    if (found_) throw ValueError(*std::exchange(found_, std::nullopt));
  }
  if (bytes > SIZE_MAX - 2 * kGuardBytes) {
    throw OutOfMemoryError(fmt::format("{} bytes were asked for", bytes));
  }
  auto* block = static_cast<char*>(upstream().allocate(bytes + 2 * kGuardBytes, stream));
  char* pointer = block + kGuardBytes;
  try {
    fill(block, kGuardByte, kGuardBytes, stream);
    fill(pointer + bytes, kGuardByte, kGuardBytes, stream);
  } catch (...) {
    upstream().deallocate(block, bytes + 2 * kGuardBytes, stream);
    throw;
  }
  const std::lock_guard lock(mutex_);
  live_[pointer] = bytes;
  return pointer;
}

void Guard::deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto entry = live_.find(pointer);
    if (entry == live_.end() || entry->second != bytes) {
      found_ = fmt::format(
          "{} bytes at {} are freed, but no such block is live: it was freed "
          "twice, or it comes from elsewhere",
          bytes, pointer);
      std::fprintf(stderr, "cupola: %s\n", found_->c_str());
      return;
    }
    live_.erase(entry);
  }
  char* block = static_cast<char*>(pointer) - kGuardBytes;
  try {
    if (first_damage(read(block, kGuardBytes, stream))) {
      report(fmt::format("memory before the block of {} bytes at {} was written", bytes, pointer));
    }
    const auto after = first_damage(read(block + kGuardBytes + bytes, kGuardBytes, stream));
    if (after) {
      report(fmt::format("the block of {} bytes at {} was written {} bytes beyond its end", bytes,
                         pointer, *after + 1));
    }
  } catch (...) {
    // The stream has failed; that is reported where it is used.
  }
  upstream().deallocate(block, bytes + 2 * kGuardBytes, stream);
}

void Guard::report(const std::string& text) noexcept {
  std::fprintf(stderr, "cupola: %s\n", text.c_str());
  const std::lock_guard lock(mutex_);
  found_ = text;
}

}  // namespace cupola
