#pragma once
// The end of the process, from which on nothing calls a driver: what it holds ends with it.

#include <functional>

namespace cupola {

// Once; later calls do nothing. Python calls it when its exit handlers run, so that the arrays
// that finalisation destroys are not given back one by one; at the latest it is called when
// main() has returned or exit() was called.
void note_process_end() noexcept;
bool process_is_ending() noexcept;
// Runs `function`, which must not throw, in note_process_end().
void at_process_end(std::function<void()> function);

}  // namespace cupola
