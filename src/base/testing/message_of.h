#pragma once
// For tests: the text of an error that is expected.

#include <gtest/gtest.h>

#include <string>

namespace cupola::testing {

// What the `Error` says that `function` throws. The test fails where nothing is thrown; errors of
// other classes pass through.
template <typename Error, typename Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error of the expected class";
  return "nothing was thrown";
}

}  // namespace cupola::testing
