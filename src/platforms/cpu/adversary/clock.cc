#include "platforms/cpu/adversary/clock.h"

#include <algorithm>

namespace cupola::cpu::adversary {
namespace {

bool is_earlier_stream(const Moment& moment, StreamNumber stream) { return moment.stream < stream; }

}  // namespace

bool Clock::includes(const Moment& moment) const {
  const auto found =
      std::lower_bound(moments_.begin(), moments_.end(), moment.stream, is_earlier_stream);
  return found != moments_.end() && found->stream == moment.stream &&
         found->sequence >= moment.sequence;
}

void Clock::advance(const Moment& moment) {
  const auto found =
      std::lower_bound(moments_.begin(), moments_.end(), moment.stream, is_earlier_stream);
  if (found == moments_.end() || found->stream != moment.stream) {
    moments_.insert(found, moment);
  } else {
    found->sequence = std::max(found->sequence, moment.sequence);
  }
}

void Clock::join(const Clock& other) {
  for (const Moment& moment : other.moments_) advance(moment);
}

void Clock::reduce(const Clock& known) {
  std::erase_if(moments_, [&](const Moment& moment) { return known.includes(moment); });
}

}  // namespace cupola::cpu::adversary
