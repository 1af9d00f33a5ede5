#include "driver/select_problem.h"

#include "cupola/error.h"
#include "driver/driver.h"

namespace cupola {

void Driver::select(const SelectProblem&, StreamHandle) {
  throw LibraryError("this platform sorts rows, and does not select elements from them");
}

}  // namespace cupola
