#pragma once
// Temporary memory of one thread: a block that is kept between uses.

#include <cstddef>
#include <memory>
#include <vector>

namespace cupola::cpu {

// Hands out memory that lives until the scope ends. At most one scope per thread at a time.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // 64-byte aligned, contents undefined.
  char* take(std::size_t bytes);

  // Gives back, at its end, what was taken since its beginning.
  class Scope {
   public:
    explicit Scope(Scratch& scratch)
        : scratch_(scratch), next_(scratch.next_), large_(scratch.large_.size()) {}
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Scratch& scratch_;
    char* next_;
    std::size_t large_;
  };

 private:
  char* next_;
  char* end_;
  std::vector<char*> large_;  // what did not fit the kept block
};

}  // namespace cupola::cpu
