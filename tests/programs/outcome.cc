#include "outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "cupola/error.h"

namespace cupola::programs {

std::string first_difference(const std::vector<std::int64_t>& expected,
                             const std::vector<std::int64_t>& found) {
  if (expected == found) return "";
  if (expected.size() != found.size()) {
    return fmt::format("{} elements instead of {}", found.size(), expected.size());
  }
  const auto [e, f] = std::mismatch(expected.begin(), expected.end(), found.begin());
  return fmt::format("element {} of {} is {:#x} instead of {:#x}", e - expected.begin(),
                     expected.size(), static_cast<std::uint64_t>(*f),
                     static_cast<std::uint64_t>(*e));
}

std::string unexpected(const std::exception_ptr& error, const Tolerance& tolerance) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    const std::string text = e.what();
    const bool is_injected = text.find("injected fault") != std::string::npos;
    if (is_injected && tolerance.injected_faults) return "";
    if (dynamic_cast<const OutOfMemoryError*>(&e) != nullptr && tolerance.out_of_memory) return "";
    return text;
  }
}

std::optional<std::string> judge(const Statement& s, const Outcome& outcome, Oracle& oracle,
                                 const Tolerance& tolerance) {
  if (outcome.error) {
    const std::string text = unexpected(outcome.error, tolerance);
    if (text.empty()) {
      oracle.fail(s);
      return std::nullopt;
    }
    return fmt::format("{}\n  threw: {}", to_text(s), text);
  }
  if (outcome.in_child) return fmt::format("{}\n  in the child: {}", to_text(s), *outcome.in_child);
  const bool is_read = s.kind == Kind::read || s.kind == Kind::receive;
  if (is_read && oracle.applies(s) && oracle.is_defined(s.a)) {
    const std::string text = first_difference(oracle.values(s.a), outcome.read);
    if (!text.empty()) return fmt::format("{}\n  {}", to_text(s), text);
  }
  oracle.apply(s);
  return std::nullopt;
}

}  // namespace cupola::programs
