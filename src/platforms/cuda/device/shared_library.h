#pragma once
// A library that is opened at run time and stays open until the process ends.

#include <initializer_list>
#include <string>
#include <vector>

namespace cupola::cuda {

class SharedLibrary {
 public:
  // Of the CUDA toolkit, by its names in CUDA 13 and in CUDA 12; with a driver for CUDA 12 by the
  // latter only. The first that can be opened from: the folders of CUPOLA_CUDA_LIBRARY_PATH (to
  // which the Python package adds those of NVIDIA's wheels), the Conda environment, the system's
  // search path, CUDA_PATH and CUDA_HOME, /usr/local/cuda, and the folders of NVIDIA's wheels
  // beside this library. Throws LibraryError that lists what was tried, says what is needed for
  // `purpose` and how to install it.
  SharedLibrary(std::initializer_list<const char*> names, const std::string& purpose);
  // A library of the driver: by name only. Throws LibraryError.
  explicit SharedLibrary(const char* driver_library);

  // Where it lies; empty where the system does not tell.
  std::string file() const;

  // Throws LibraryError when the library lacks the function.
  template <class Function>
  void load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(find(name));
  }
  // Null instead.
  template <class Function>
  void load_optional(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(find_optional(name));
  }

 private:
  void* find(const char* name) const;
  void* find_optional(const char* name) const;
  void* handle_ = nullptr;
  std::string path_;
  bool is_of_driver_ = false;
};

// The file that a library of one of these names will be opened from, where that can be told without
// the system's loader: from CUPOLA_CUDA_LIBRARY_PATH, or as the loader's first choice. Else empty.
std::string find_library_file(std::initializer_list<const char*> names);

// The major version of CUDA that the driver is for, 12 or 13; 0 while this process has loaded none.
int driver_major() noexcept;

// Of this library.
std::string own_folder();

// The folders that are searched after the system's, in order.
std::vector<std::string> cuda_library_folders();
// The toolkit's headers, for user code: beside NVIDIA's wheels, CUDA_HOME and CUDA_PATH, or in the
// system; of the first place that has them, the folder of CCCL last. Empty where there are none.
std::vector<std::string> cuda_include_folders();

}  // namespace cupola::cuda
