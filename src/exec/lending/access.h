#pragma once
// How addresses leave the library.

#include "cupola/array.h"

namespace cupola {

// Others get the array's memory, and may write there at any time from now on: what reads it is
// computed at the call. The array is stored.
void expose(const Array& array);

// Its memory is on the host at present, for want of room on the device. The array is stored.
bool is_spilled(const Array& array);

}  // namespace cupola
