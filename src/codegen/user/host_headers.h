#pragma once
// What stands in front of a user's text on the host, of the compiler's headers and of CUDA's
// vocabulary (src/codegen/device/host): a compiler reads all that is there, used or not.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupola {

// Directives that include the mathematics, fixed-width integers and type traits of the standard
// library. Its special functions, which no device code has, take most of the time of a short text:
// they are left out unless the text or an option names `std` or includes headers of its own.
std::string host_includes(std::string_view text, std::span<const std::string> options);

// Those with a name that the text or an option of the compiler mentions; all of them where headers
// or pasted words may hide names.
std::vector<std::string_view> host_headers(std::string_view text,
                                           std::span<const std::string> options);

}  // namespace cupola
