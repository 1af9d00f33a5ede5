#pragma once
// The whole public interface.

#include "cupola/array.h"
#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"
#include "cupola/error.h"
#include "cupola/ops/creation.h"
#include "cupola/ops/elementwise.h"
#include "cupola/ops/functions.h"
#include "cupola/ops/index.h"
#include "cupola/ops/linalg.h"
#include "cupola/ops/manip.h"
#include "cupola/ops/reduce.h"
#include "cupola/runtime.h"
#include "cupola/scalar.h"
#include "cupola/transfer.h"
