#include "platforms/cpu/adversary/faults.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text/number_text.h"
#include "cupola/error.h"

namespace cupola::cpu::adversary {
namespace {

std::uint64_t parse(std::string_view text, const std::string& whole) {
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value == 0) {
    throw ValueError(fmt::format(
        "CUPOLA_ADVERSARY_FAIL={} is neither the number of a call nor 1/n for one call in n",
        whole));
  }
  return *value;
}

}  // namespace

Faults::Faults(const std::string& which, std::uint64_t seed) : random_(0) { reset(which, seed); }

void Faults::reset(const std::string& which, std::uint64_t seed) {
  const bool is_rate = which.starts_with("1/");
  const std::uint64_t value =
      which.empty() ? 0 : parse(std::string_view(which).substr(is_rate ? 2 : 0), which);
  const std::lock_guard lock(mutex_);
  random_ = Random(~seed);
  calls_ = 0;
  failed_ = 0;
  number_ = is_rate ? 0 : value;
  rate_ = is_rate ? value : 0;
}

bool Faults::fails(std::uint64_t& number) {
  const std::lock_guard lock(mutex_);
  number = ++calls_;
  const bool result = rate_ != 0 ? random_.below(rate_) == 0 : number == number_;
  failed_ += result;
  return result;
}

void Faults::call(const char* name) {
  std::uint64_t number = 0;
  if (fails(number)) {
    throw DeviceError(fmt::format("injected fault: {}, call {} of the platform", name, number));
  }
}

void Faults::allocation(const char* name) {
  std::uint64_t number = 0;
  if (fails(number)) {
    throw OutOfMemoryError(
        fmt::format("injected fault: {}, call {} of the platform", name, number));
  }
}

std::uint64_t Faults::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::uint64_t Faults::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

}  // namespace cupola::cpu::adversary
