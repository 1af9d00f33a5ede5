#pragma once
// Which parts of CUDA's vocabulary (src/codegen/device/host) stand in front of a user's text on
// the host: a compiler reads all that is there, used or not.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupola {

// Those with a name that the text or an option of the compiler mentions; all of them where headers
// or pasted words may hide names.
std::vector<std::string_view> host_headers(std::string_view text,
                                           std::span<const std::string> options);

}  // namespace cupola
