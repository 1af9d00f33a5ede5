#include "platforms/cuda/memory/peer_proof.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/containers/hash.h"
#include "base/files/user_cache.h"
#include "platforms/cuda/device/nvml.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kChunks = 64;
constexpr std::size_t kChunkBytes = 1024;
constexpr std::size_t kBytes = kChunks * kChunkBytes;
constexpr std::chrono::microseconds kPause{50};

// Two values that differ in every chunk, and neighbours that differ.
constexpr std::uint8_t kFirst = 0x15;
constexpr std::uint8_t kSecond = 0xA4;
std::uint8_t value_of(std::uint8_t base, std::size_t chunk) {
  return static_cast<std::uint8_t>(base + 37 * chunk);
}

bool holds(const std::uint8_t* bytes, std::uint8_t base) {
  for (std::size_t i = 0; i < kBytes; ++i) {
    if (bytes[i] != value_of(base, i / kChunkBytes)) return false;
  }
  return true;
}

class Proof {
 public:
  Proof(Driver& driver, int device, int peer, std::chrono::milliseconds patience)
      : driver_(driver), device_(device), peer_(peer), patience_(patience) {}
  ~Proof();
  Proof(const Proof&) = delete;
  Proof& operator=(const Proof&) = delete;

  bool succeeds();

 private:
  void prepare();
  void fill(std::uint8_t base, StreamHandle stream);
  // False when that takes too long.
  bool wait_for(StreamHandle stream);

  Driver& driver_;
  const int device_;
  const int peer_;
  const std::chrono::milliseconds patience_;
  std::array<StripedPart, 1> parts_{};
  void* common_ = nullptr;  // of the peer, for both
  void* own_ = nullptr;     // of the device: room for two readings
  StreamHandle stream_ = nullptr;
  StreamHandle peer_stream_ = nullptr;
  bool in_flight_ = false;
};

Proof::~Proof() {
  if (in_flight_) return;  // the memory may still be written to
  if (own_) driver_.deallocate_async(own_, 2 * kBytes, stream_);
  if (common_) driver_.deallocate_striped(common_, parts_);
  if (peer_stream_) driver_.destroy_stream(peer_stream_);
  if (stream_) driver_.destroy_stream(stream_);
}

void Proof::prepare() {
  stream_ = driver_.create_stream(device_);
  peer_stream_ = driver_.create_stream(peer_);
  parts_[0] = {peer_, driver_.stripe_granularity(peer_)};
  const std::array devices{device_, peer_};
  common_ = driver_.allocate_striped(parts_, devices);
  own_ = driver_.allocate_async(2 * kBytes, stream_);
}

void Proof::fill(std::uint8_t base, StreamHandle stream) {
  for (std::size_t i = 0; i < kChunks; ++i) {
    driver_.fill_bytes(static_cast<char*>(common_) + i * kChunkBytes, value_of(base, i),
                       kChunkBytes, stream);
  }
}

bool Proof::wait_for(StreamHandle stream) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (!driver_.is_idle(stream)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPause);
  }
  in_flight_ = false;
  return true;
}

bool Proof::succeeds() {
  prepare();
  in_flight_ = true;
  fill(kFirst, peer_stream_);
  if (!wait_for(peer_stream_)) return false;
  in_flight_ = true;
  // One device's copies: nothing on the way that the driver might take instead.
  driver_.copy(own_, device_, common_, device_, kBytes, stream_);
  fill(kSecond, stream_);
  driver_.copy(static_cast<char*>(own_) + kBytes, device_, common_, device_, kBytes, stream_);
  if (!wait_for(stream_)) return false;
  // From here on each reads its own memory, which ends.
  std::vector<std::uint8_t> seen(2 * kBytes), there(kBytes);
  driver_.copy_to_host(seen.data(), own_, seen.size(), stream_);
  driver_.copy_to_host(there.data(), common_, there.size(), peer_stream_);
  return holds(seen.data(), kFirst) && holds(seen.data() + kBytes, kSecond) &&
         holds(there.data(), kSecond);
}

// "580.65.06"; empty where NVML does not say.
std::string installed_driver() {
  std::array<char, 128> text{};
  const NvmlApi* nvml = nvml_api();
  if (!nvml || !nvml->installed_driver || nvml->installed_driver(text.data(), text.size()) != 0) {
    return {};
  }
  return text.data();
}

}  // namespace

bool data_arrives(Driver& driver, int device, int peer, std::chrono::milliseconds patience) {
  return Proof(driver, device, peer, patience).succeeds();
}

std::string name_of_pair(Driver& driver, int device, int peer) {
  const std::string from = driver.properties(device).uuid;
  const std::string to = driver.properties(peer).uuid;
  if (from.empty() || to.empty()) return {};
  return fmt::format("peer access 1: {} to {}, CUDA {}, driver {}", from, to,
                     driver.driver_version(), installed_driver());
}

bool is_kept_proof(const std::string& pair) noexcept {
  return !pair.empty() && user_cache().find(hash128(pair)) == pair;
}

void keep_proof(const std::string& pair) noexcept {
  if (!pair.empty()) user_cache().store(hash128(pair), pair);
}

}  // namespace cupola::cuda
