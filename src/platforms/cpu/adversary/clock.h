#pragma once
// Vector clocks: what work of which stream is known to be over.

#include <cstdint>
#include <vector>

namespace cupola::cpu::adversary {

// Streams are numbered in the order of their making; numbers are never reused, handles are.
using StreamNumber = std::uint32_t;

// The `sequence`-th piece of work of a stream, from 1.
struct Moment {
  StreamNumber stream = 0;
  std::uint64_t sequence = 0;
  friend bool operator==(const Moment&, const Moment&) = default;
};

// For each stream, how much of its work comes before. Streams that are not named: none of it.
class Clock {
 public:
  bool includes(const Moment& moment) const;
  void advance(const Moment& moment);
  void join(const Clock& other);
  // Forgets what `known` includes as well.
  void reduce(const Clock& known);
  std::size_t size() const { return moments_.size(); }

 private:
  std::vector<Moment> moments_;  // by stream
};

}  // namespace cupola::cpu::adversary
