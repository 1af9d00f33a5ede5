#pragma once
// The words of a user's text, as far as they decide whether it may be part of another kernel.

#include <string>
#include <string_view>
#include <vector>

namespace cupola {

// Names and numbers, and every other character that is no space, without comments and literals.
std::vector<std::string_view> source_words(std::string_view text);

// A body or preamble uses nothing of threads, blocks or other elements, keeps no state, and has no
// directives that reach beyond it. A body does not return, either.
bool is_pointwise_body(std::string_view text);
bool is_pointwise_preamble(std::string_view text);

// A few instructions: neither loops nor calls of functions that take long.
bool is_short_body(std::string_view text);

// Whether there are loops, or functions of the text call such.
bool may_loop(std::string_view text);

// The macros that a text defines, each once.
std::vector<std::string> macros_in(std::string_view text);

}  // namespace cupola
