#include "driver/peer_pairs.h"

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutant.h"
#include "cupola/error.h"

namespace cupola {
namespace {

[[noreturn]] void throw_unreached(PlatformKind platform, int device, int peer,
                                  std::string_view how) {
  const std::string from = Device(platform, device).to_string();
  const std::string to = Device(platform, peer).to_string();
  throw PeerAccessError(fmt::format(
      "{} cannot reach the memory of {}{}: one array cannot lie on both. Use fewer devices, or "
      "cp.split_over, which gives one array for each device and works everywhere",
      from, to, how));
}

}  // namespace

bool PeerPairs::is_proved(const Pair& pair) const {
  return proved_.find([&](const Pair& known) { return known == pair; }) != nullptr;
}

void PeerPairs::connect(Driver& driver, std::span<const int> devices,
                        const DataArrives& data_arrives) {
  std::vector<Pair> asked;
  for (const int device : devices) {
    for (const int peer : devices) {
      if (device == peer) continue;
      if (!driver.can_access_peer(device, peer) && !CUPOLA_MUTANT(ignore_missing_access)) {
        throw_unreached(driver.platform(), device, peer, "");
      }
      asked.push_back({device, peer});
    }
  }
  for (const Pair& pair : asked) {
    if (is_proved(pair)) continue;
    if (!CUPOLA_MUTANT(skip_peer_proof) && !data_arrives(pair.device, pair.peer)) {
      throw_unreached(driver.platform(), pair.device, pair.peer,
                      " although the driver says so: what it wrote there did not arrive");
    }
    const std::lock_guard lock(mutex_);
    if (!is_proved(pair)) proved_.add(pair.device, pair.peer);
  }
}

}  // namespace cupola
