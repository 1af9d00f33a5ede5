#pragma once
// What the environment says about the CPU platform.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupola::cpu {

// Bytes of memory of each emulated device.
class Budgets {
 public:
  Budgets(std::size_t of_each) : bytes_{of_each} {}  // NOLINT(google-explicit-constructor)
  // Of the first devices; the last one is also that of all further ones. At least one.
  explicit Budgets(std::vector<std::size_t> bytes) : bytes_(std::move(bytes)) {}
  std::size_t of(int device) const {
    const auto index = static_cast<std::size_t>(device);
    return index < bytes_.size() ? bytes_[index] : bytes_.back();
  }

 private:
  std::vector<std::size_t> bytes_;
};

// A pair of emulated devices, neither of which reaches the other's memory as it should.
struct BadPair {
  int first = 0;
  int second = 0;
  bool lies = false;  // says that it does, but no data arrive; else it says so
};

struct Settings {
  int devices = 1;            // CUPOLA_CPU_DEVICES, 1 .. 512
  Budgets device_memory = 0;  // CUPOLA_CPU_DEVICE_MEMORY, "64M,32M": Budgets of that list
  // CUPOLA_ADVERSARY, a whole number from 0: the platform is hostile, by this seed.
  std::optional<std::uint64_t> adversary;
  // CUPOLA_ADVERSARY_FAIL: the hostile platform fails its k-th call ("k"), or about one call in
  // n, chosen by the seed ("1/n"). Empty: none.
  std::string failures;
  // CUPOLA_CPU_STRIPE_BYTES, a power of two from 16: what parts of striped memory are made of.
  std::size_t stripe_bytes = 4096;
  // CUPOLA_CPU_PEERS, "0-1:none,1-2:lies"; all other pairs reach each other.
  std::vector<BadPair> bad_pairs;
};

// Throws ValueError that names the variable and its value.
Settings read_settings();

// CUPOLA_CPU_MAP_TILE, from 64: elements of the largest tile of an elementwise kernel, so that
// tests divide small arrays among devices. Results do not depend on it. Throws ValueError.
std::int64_t most_of_map_tile();

// CUPOLA_CPU_INSTRUCTIONS: whether loops may use the instruction set "avx2" or "avx512". Without
// the variable they may use both, with "baseline" none. Throws ValueError for another value.
bool allows_instructions(std::string_view set);

}  // namespace cupola::cpu
