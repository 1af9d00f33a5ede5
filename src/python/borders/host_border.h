#pragma once
// Whether NumPy and others may read an array without saying so: __array__ and the buffer protocol.

#include <string>

#include "cupola/array.h"

namespace cupola::python {

enum class HostCopy {
  by_device,  // CPU devices allow it, others do not
  error,
  warn,
  allow,
};

// CUPOLA_HOST_COPY, until the program sets it. Throws ValueError for a value that is none.
HostCopy host_copy();
void set_host_copy(HostCopy mode);

// While one lives, this thread reads an array because the program said so.
class ExplicitHostRead {
 public:
  ExplicitHostRead();
  ~ExplicitHostRead();
  ExplicitHostRead(const ExplicitHostRead&) = delete;
  ExplicitHostRead& operator=(const ExplicitHostRead&) = delete;

 private:
  const bool outside_;
};

// Empty, or why the conversion is refused. Warns where that is asked for.
std::string refusal_of_host_copy(const Array& array);

}  // namespace cupola::python
