#pragma once
// Finds the platforms of this process. The CPU platform is always there; the CUDA plugin
// (libcupola_cuda.so beside this library) is opened on the first question about it, and only
// when an NVIDIA driver is installed.

#include <string>

#include "driver/driver.h"

namespace cupola {

class SetDriver;  // driver/set/set_driver.h

// Null when the platform is not usable here; `reason`, if given, then says why.
Driver* find_driver(PlatformKind platform, std::string* reason = nullptr);
// As find_driver, but opens nothing: null until somebody asked for the platform.
Driver* find_loaded_driver(PlatformKind platform);
// Whether a library in this process has initialised CUDA; opens nothing.
bool others_initialized_cuda();
// Throws DeviceError with the reason.
Driver& driver(PlatformKind platform);
// The platform's own, or, for a set, the one that makes sets look like devices.
Driver& driver(const Device& device);
SetDriver& set_driver(PlatformKind platform);

// The compiler of the CUDA plugin, also where no NVIDIA driver is installed. Null without the
// plugin; it throws LibraryError where NVRTC is missing.
SourceCompiler* find_source_compiler();

// What the plugin exports with C linkage as "cupola_plugin_version": the version of the library
// that it was built with. Another one's classes may differ: such a plugin is not used.
using PluginVersion = const char* (*)();
// And as "cupola_create_driver": a new Driver, or null with a reason (a string that stays valid).
using CreateDriver = Driver* (*)(const char** reason);
// And as "cupola_create_source_compiler": never null.
using CreateSourceCompiler = SourceCompiler* (*)();
// Defined by the CPU platform. Throws ValueError for bad settings in the environment.
Driver* create_cpu_driver();
// Where the CPU platform finds a BLAS library, before the first matrix product (Python gives
// NumPy's). The environment variable CUPOLA_BLAS comes first.
void cupola_set_blas_path(const char* path);

}  // namespace cupola
