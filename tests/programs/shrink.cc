#include "shrink.h"

#include <algorithm>

namespace cupola::programs {
namespace {

Program without(const Program& program, std::size_t first, std::size_t count) {
  Program shorter = program;
  const auto begin = shorter.statements.begin() + static_cast<std::ptrdiff_t>(first);
  const auto last = std::min(first + count, program.statements.size());
  shorter.statements.erase(begin, begin + static_cast<std::ptrdiff_t>(last - first));
  return shorter;
}

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& fails,
               int most_questions) {
  int questions = 0;
  std::size_t chunk = std::max<std::size_t>(program.statements.size() / 2, 1);
  for (;;) {
    bool is_shorter = false;
    for (std::size_t first = 0; first < program.statements.size();) {
      if (++questions > most_questions) return program;
      Program candidate = without(program, first, chunk);
      if (fails(candidate)) {
        program = std::move(candidate);
        is_shorter = true;
      } else {
        first += chunk;
      }
    }
    if (chunk == 1 && !is_shorter) return program;
    chunk = std::max<std::size_t>(chunk / 2, 1);
  }
}

}  // namespace cupola::programs
