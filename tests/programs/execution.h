#pragma once
// Runs programs with the library and compares with the oracle.

#include <optional>
#include <string>

#include "cupola/device.h"
#include "outcome.h"
#include "program.h"

namespace cupola::programs {

// What went wrong: the statement, what it should have given and what it gave; nothing when all is
// right. Hangs and crashes are for the caller to notice.
std::optional<std::string> run(const Program& program, PlatformKind platform,
                               const Tolerance& tolerance);

}  // namespace cupola::programs
