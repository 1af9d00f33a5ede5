#pragma once
// Names of the host's C library that a user's text may declare as its own, as it must for NVRTC.

#include <string>
#include <string_view>

namespace cupola {

// Directives that give other names to the types of <stdint.h> and <sys/types.h> that the text
// declares; they stand in front of it. Nothing where it includes headers, or for declarations that
// are conditional.
std::string host_name_directives(std::string_view text);

}  // namespace cupola
