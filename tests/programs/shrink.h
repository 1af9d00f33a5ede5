#pragma once
// Makes failing programs short.

#include <functional>

#include "program.h"

namespace cupola::programs {

// A program of statements of the given one that still fails, such that it does not without any one
// of them. `fails` is asked at most `most_questions` times.
Program shrink(Program program, const std::function<bool(const Program&)>& fails,
               int most_questions = 400);

}  // namespace cupola::programs
