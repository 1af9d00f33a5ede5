#include "platforms/cpu/adversary/report.h"

#include <cstdio>
#include <cstdlib>

namespace cupola::cpu::adversary {

void report_and_abort(const std::string& text) {
  std::fprintf(stderr, "cupola: %s\n", text.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace cupola::cpu::adversary
