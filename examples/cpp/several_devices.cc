// All devices as one: an array whose memory is spread over them, and work that is done where it
// lies. With one device it is an ordinary array.

#include <cstdlib>
#include <iostream>
#include <vector>

#include <cupola/cupola.h>

namespace {

using cupola::Array;
using cupola::Device;
using cupola::Slice;

Device all_devices() {
  const cupola::PlatformKind platform = cupola::default_platform();
  std::vector<Device> members;
  for (int i = 0; i < cupola::device_count(platform); ++i) members.emplace_back(platform, i);
  return Device::of_members(members);
}

// Steps of heat that spreads over a plate with warm edges.
Array spread(std::int64_t extent, int steps) {
  Array plate = cupola::zeros({extent, extent});
  plate[0] = 100;
  plate[{Slice{}, -1}] = 50;
  const Slice inner{1, -1}, before{0, -2}, behind{2, {}};
  for (int step = 0; step < steps; ++step) {
    plate[{inner, inner}] = (plate[{before, inner}] + plate[{behind, inner}] +
                             plate[{inner, before}] + plate[{inner, behind}]) /
                            4;
  }
  return plate;
}

}  // namespace

int main() try {
  constexpr std::int64_t kExtent = 2048;
  constexpr int kSteps = 20;
  const Device all = all_devices();

  const Array alone = spread(kExtent, kSteps);  // on the current device
  Array together;
  {
    const cupola::DeviceScope scope(all);  // where new arrays are made
    together = spread(kExtent, kSteps);
  }

  for (const cupola::PlacedPart& part : cupola::placement_of(together)) {
    std::cout << part.device << ": rows " << part.first_row << " to " << part.end_row << "\n";
  }
  std::cout << together << "\n";
  // Operands must be on one device; elementwise work gives the same bits wherever it is done.
  const bool equal = static_cast<bool>((together.to(alone.device()) == alone).all());
  std::cout << "mean " << together.mean().item<double>()
            << (equal ? ", the same" : ", not the same") << " as on " << alone.device() << "\n";
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cupola::Error& error) {
  std::cerr << "several_devices: " << error.what() << "\n";
  return EXIT_FAILURE;
}
