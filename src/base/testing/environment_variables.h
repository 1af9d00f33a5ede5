#pragma once
// For tests: environment variables for as long as an object lives.

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cupola::testing {

// Sets variables, and at its end gives each back what it had before, if anything. No other thread
// may use the environment at these moments. Of objects with a variable in common the later one ends
// first.
class EnvironmentVariables {
 public:
  EnvironmentVariables(std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const auto& [name, value] : variables) set(name, value);
  }
  ~EnvironmentVariables() {
    for (auto one = before_.rbegin(); one != before_.rend(); ++one) {
      if (one->second) {
        setenv(one->first.c_str(), one->second->c_str(), 1);
      } else {
        unsetenv(one->first.c_str());
      }
    }
  }
  EnvironmentVariables(const EnvironmentVariables&) = delete;
  EnvironmentVariables& operator=(const EnvironmentVariables&) = delete;

  void set(const char* name, const char* value) {
    const char* const before = std::getenv(name);
    before_.emplace_back(name,
                         before == nullptr ? std::nullopt : std::optional<std::string>(before));
    setenv(name, value, 1);
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

}  // namespace cupola::testing
