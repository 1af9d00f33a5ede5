#pragma once
// Counts what makes a program slow, by the places in it: the content of cupola.doctor.

#include <cstdint>
#include <string>
#include <vector>

#include "base/call_site.h"

namespace cupola {

struct DoctorFinding {
  enum class Kind : std::uint8_t {
    synchronisation,
    host_copy,
    small_kernel,
    gathered,
    spill,
    update,         // an array read and written once more, directly after the update before
    detached,       // a write whose value is computed into other memory first
    unfused,        // the same for no such reason
    sorted_part,    // of an array that was sorted whole
    matrix_vector,  // products of one matrix with one vector after the other
    element_read,
    element_write
  };
  Kind kind;
  // synchronisation: "float(a)"; element: "a[i]"; host_copy, spill: the direction; others: names
  std::string what;
  CallPosition position;
  std::uint64_t count = 0;
  std::int64_t bytes = 0;        // host_copy, spill; others: moved
  std::int64_t nanoseconds = 0;  // synchronisation: how long the host waited
};

// Kernels that move less are small, and copies that move less are not counted.
inline constexpr std::int64_t kSmallKernelBytes = std::int64_t{256} << 10;
inline constexpr std::int64_t kLeastCopiedBytes = std::int64_t{64} << 10;

// Counts from now on. Of more than some thousand places the later ones are not told apart.
void start_doctor();
void stop_doctor();
bool doctor_is_on();
void forget_findings();
std::vector<DoctorFinding> doctor_findings();

}  // namespace cupola
