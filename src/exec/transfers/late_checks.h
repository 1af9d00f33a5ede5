#pragma once
// What is known to be wrong only once a device has computed it, and what nobody is to wait for. It
// is thrown where values are observed that its stream computed, or one that used what it computed.

#include <atomic>
#include <functional>

#include "core/array_state.h"
#include "cupola/scalar.h"

namespace cupola {

// `judge` gets the value of `witness`, one element that the current stream of its device computed,
// or is to compute; it throws what is wrong and must not use arrays. What is thrown names the place
// in the program that this is called for.
void check_later(const Array& witness, std::function<void(const Scalar&)> judge);

// Whether an answer is left for later: always, but where the host shares the device's memory and
// the device has nothing else to do.
bool answers_later(const Device& device);

namespace internal {
extern std::atomic<int> late_checks;  // that nobody has thrown, or seen to be good
void throw_late_errors(const Array& observed);
}  // namespace internal

// After the elements of an array were observed: throws what is known to be wrong with work of the
// stream that wrote it, if it is stored, or of the current one.
inline void throw_late_errors(const Array& observed) {
  if (internal::late_checks.load(std::memory_order_acquire) > 0) [[unlikely]]
    internal::throw_late_errors(observed);
}

}  // namespace cupola
