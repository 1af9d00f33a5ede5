#pragma once
// Mistakes that the hostile platform finds.

#include <functional>
#include <string>

namespace cupola::cpu::adversary {

// Gets the whole text. What it throws comes out of the driver's call.
using Reporter = std::function<void(const std::string&)>;

// Writes to stderr and ends the process: an exception could be lost in a destructor.
[[noreturn]] void report_and_abort(const std::string& text);

}  // namespace cupola::cpu::adversary
