#pragma once
// NVTX ranges for NVIDIA's tools: around the hand-over of each piece of work, with its operations,
// and around waits. They reach the tool that runs the program, and cost next to nothing without
// one.

namespace cupola {

// False where the library was built without NVTX: nothing happens then.
bool nvtx_is_available();
// Counted: ranges are made from the first start_nvtx() until stop_nvtx() was called as often.
void start_nvtx();
void stop_nvtx();
bool nvtx_is_on();

}  // namespace cupola
