#pragma once
// Where in the user's program the library was called: what the language on top knows. Python
// installs a provider; a C++ program has none, and call sites are empty.

#include <atomic>
#include <cstdint>
#include <string>

namespace cupola {

// A place in the user's program, as cheap as two words: what the provider makes of it. Valid for as
// long as the process lives.
struct CallPosition {
  const void* code = nullptr;  // null: nowhere
  std::int32_t instruction = 0;
  explicit operator bool() const { return code != nullptr; }
  friend bool operator==(const CallPosition&, const CallPosition&) = default;
};

struct PlaceInProgram {
  std::string file;
  int line = 0;
  std::string function;
  // "file.py:12 (function)".
  std::string to_string() const;
};

// Where the calling thread called the library last, as the language on top noted it; the place of
// the operation where a pending one is being computed.
extern thread_local constinit CallPosition noted_position;

// While one lives, what the thread does is done for that place; nothing for no place.
class AtPosition {
 public:
  explicit AtPosition(const CallPosition& position) : outside_(noted_position) {
    if (position) noted_position = position;
  }
  ~AtPosition() { noted_position = outside_; }
  AtPosition(const AtPosition&) = delete;
  AtPosition& operator=(const AtPosition&) = delete;

 private:
  const CallPosition outside_;
};

// Called on any thread; they must not wait for anything.
struct CallSiteProvider {
  // The innermost place of the calling thread.
  PlaceInProgram (*find)();
  PlaceInProgram (*place_of)(const CallPosition& position);
};
void set_call_site_provider(const CallSiteProvider& provider);
// "file.py:12 (function)", or nothing.
std::string call_site();
// An empty file for nowhere.
PlaceInProgram place_of(const CallPosition& position);

// While somebody wants call sites, nothing is computed at the call without a note of where it is.
extern std::atomic<int> call_site_wishes;
inline bool call_sites_wanted() { return call_site_wishes.load(std::memory_order_relaxed) > 0; }

}  // namespace cupola
