#pragma once
// Whose turn it is to move memory of pools that move arrays (memory/pressure/spill.h): one thread's
// at a time. Nobody else takes memory from them meanwhile, and what was taken or is given back
// while the turn begins is waited for: only then can all of it be seen, and moved.
//
// No thread waits for its turn, or begins a passage, while it holds the lock of a storage or of the
// interpreter.

#include <cstdint>
#include <memory>
#include <mutex>

#include "memory/hooks.h"

namespace cupola {

class SpillTurn;

// From before a thread takes memory until its storage can be moved; nothing where it never can.
class Passage {
 public:
  explicit Passage(bool is_to_movable);
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  // The turn in which memory was found lasts until this thread's passage ends, if there is one.
  static void keep(std::unique_ptr<SpillTurn> turn);

  // While one lives, the thread's passage, which has taken no memory yet, holds nobody up.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Passage* const paused_;
  };

 private:
  void enter();
  void leave();

  bool is_counted_ = false;
  bool is_outermost_ = false;
  std::unique_ptr<SpillTurn> turn_;
};

// While one lives, nobody else moves memory.
class SpillTurn {
 public:
  SpillTurn();
  ~SpillTurn();
  SpillTurn(const SpillTurn&) = delete;
  SpillTurn& operator=(const SpillTurn&) = delete;

  // Whether other threads have given memory back since this was asked last: all that were at it
  // have.
  bool wait_for_departures() const;

 private:
  const Passage::Pause pause_;
  const InterpreterBarrier barrier_;
  const std::unique_lock<std::mutex> lock_;
  mutable std::uint64_t seen_;  // departures
};

// While one lives, memory that could be moved is given back: of a storage, or of a pool.
class Departure {
 public:
  Departure() noexcept;
  ~Departure();
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;
};

}  // namespace cupola
