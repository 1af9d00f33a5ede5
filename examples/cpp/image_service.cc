// A service that answers requests for statistics of images from several threads. Each thread has a
// default stream of its own and works on a device in turn; nobody chooses streams or waits for
// them.

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

#include <cupola/cupola.h>

namespace {

using cupola::Array;
using cupola::Slice;

constexpr int kThreads = 8;
constexpr int kRequests = 400;
constexpr std::int64_t kExtent = 128;  // pixels

using Pixels = std::vector<std::uint8_t>;

struct Statistics {
  double mean, deviation, across, down;  // the last two: strength of edges
};

// Rings around a centre that depends on the number.
Pixels request(int number) {
  Pixels pixels;
  for (std::int64_t y = 0; y < kExtent; ++y) {
    for (std::int64_t x = 0; x < kExtent; ++x) {
      const double distance = std::hypot(x - number % 128, y - number * 7 % 128);
      pixels.push_back(static_cast<std::uint8_t>(127.5 + 127.5 * std::sin(distance / 5)));
    }
  }
  return pixels;
}

Statistics answer(const Pixels& pixels) {
  const Array image =
      cupola::from_vector(pixels).reshape({kExtent, kExtent}).astype(cupola::DType::float64);
  const Array across = image[{Slice{}, Slice{.start = 1}}] - image[{Slice{}, Slice{.stop = -1}}];
  const Array down = image[Slice{.start = 1}] - image[Slice{.stop = -1}];
  // One array, so that one copy brings all four numbers.
  const auto numbers = cupola::stack({image.mean(), image.std(), cupola::absolute(across).mean(),
                                      cupola::absolute(down).mean()})
                           .to_vector<double>();
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

// The same without the library.
double mean_of(const Pixels& pixels) {
  double sum = 0;
  for (const std::uint8_t pixel : pixels) sum += pixel;
  return sum / static_cast<double>(pixels.size());
}

double edges_across(const Pixels& pixels) {
  double sum = 0;
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    if (i % kExtent != 0) sum += std::abs(pixels[i] - pixels[i - 1]);
  }
  return sum / (kExtent * (kExtent - 1));
}

}  // namespace

int main() try {
  std::vector<Pixels> requests;
  for (int i = 0; i < kRequests; ++i) requests.push_back(request(i));
  std::vector<Statistics> answers(kRequests);

  const cupola::PlatformKind platform = cupola::default_platform();
  const int devices = cupola::device_count(platform);
  std::atomic<int> next = 0;
  const auto serve = [&](int thread) {
    cupola::set_current_device({platform, thread % devices});  // of this thread
    for (int i = next++; i < kRequests; i = next++) {
      answers[static_cast<std::size_t>(i)] = answer(requests[static_cast<std::size_t>(i)]);
    }
  };

  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(serve, thread);
  threads.clear();  // waits for all
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;

  double error = 0;
  for (std::size_t i = 0; i < kRequests; ++i) {
    error = std::max(error, std::abs(answers[i].mean - mean_of(requests[i])));
    error = std::max(error, std::abs(answers[i].across - edges_across(requests[i])));
  }
  std::cout << kRequests << " requests by " << kThreads << " threads on " << devices
            << " device(s): " << kRequests / seconds.count() << " per second, largest error "
            << error << "\n";
  return error < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cupola::Error& error) {
  std::cerr << "image_service: " << error.what() << "\n";
  return EXIT_FAILURE;
}
