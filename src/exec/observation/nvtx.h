#pragma once
// NVTX ranges for NVIDIA's tools: around the hand-over of each piece of work, with its operations,
// and around waits. They reach the tool that runs the program, and cost next to nothing without
// one.

#include <cstdint>
#include <string>

namespace cupola {

// False where the library was built without NVTX: nothing happens then.
bool nvtx_is_available();
// Counted: ranges are made from the first start_nvtx() until stop_nvtx() was called as often.
void start_nvtx();
void stop_nvtx();
bool nvtx_is_on();

// Ranges and marks of a program, in a colour: alpha, red, green, blue from the highest byte on.
void nvtx_push(const std::string& message, std::uint32_t color);
void nvtx_pop();
// Ranges that may overlap and end on another thread. Returns its number, for nvtx_end().
std::uint64_t nvtx_begin(const std::string& message, std::uint32_t color);
void nvtx_end(std::uint64_t range);
void nvtx_mark(const std::string& message, std::uint32_t color);

}  // namespace cupola
