#pragma once
// Where in the user's program the library was called: what the language on top knows. Python
// installs a provider; a C++ program has none, and call sites are empty.

#include <atomic>
#include <string>

namespace cupola {

// Returns "file.py:12 (function)" or nothing. Called on any thread; it must not wait for anything.
using CallSiteProvider = std::string (*)();
void set_call_site_provider(CallSiteProvider provider);
std::string call_site();

// While somebody wants call sites, what lets go of the interpreter's lock notes the site before:
// afterwards it cannot be asked for without waiting.
extern std::atomic<int> call_site_wishes;
inline bool call_sites_wanted() { return call_site_wishes.load(std::memory_order_relaxed) > 0; }

}  // namespace cupola
