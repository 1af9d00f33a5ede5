#pragma once
// Every error that the library throws. Python maps each class to one exception type:
// the NumPy kinds to NumPy's own exceptions, the rest to classes of `cupola.errors`.

#include <stdexcept>
#include <string>

namespace cupola {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#define CUPOLA_ERROR_CLASS(NAME, BASE) \
  class NAME : public BASE {           \
   public:                             \
    using BASE::BASE;                  \
  }

// Mistakes in arguments: ValueError, TypeError, IndexError, OverflowError, numpy.exceptions.*,
// numpy.linalg.LinAlgError.
CUPOLA_ERROR_CLASS(ValueError, Error);
CUPOLA_ERROR_CLASS(TypeError, Error);
CUPOLA_ERROR_CLASS(IndexError, Error);
CUPOLA_ERROR_CLASS(OverflowError, Error);
CUPOLA_ERROR_CLASS(BufferError, Error);
CUPOLA_ERROR_CLASS(AxisError, ValueError);
CUPOLA_ERROR_CLASS(LinAlgError, ValueError);  // a matrix that has not what is asked for
CUPOLA_ERROR_CLASS(CastingError, TypeError);
CUPOLA_ERROR_CLASS(ImplicitHostCopyError, TypeError);

// What a platform or the machine refuses.
CUPOLA_ERROR_CLASS(OutOfMemoryError, Error);
// `status` is the platform's own code (CUresult), 0 where it has none.
class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& message, int status = 0)
      : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};
// The device failed earlier; the message repeats how.
CUPOLA_ERROR_CLASS(FaultError, DeviceError);
// What a stream that is being captured refuses, or why a capture failed; `status` is the runtime's
// number (cudaErrorStreamCapture...).
CUPOLA_ERROR_CLASS(CaptureError, DeviceError);
CUPOLA_ERROR_CLASS(LaunchError, Error);
CUPOLA_ERROR_CLASS(CompileError, Error);
CUPOLA_ERROR_CLASS(PeerAccessError, Error);
CUPOLA_ERROR_CLASS(ForkedProcessError, Error);
// A library that is needed (cuBLAS, OpenBLAS, NVRTC) cannot be opened.
CUPOLA_ERROR_CLASS(LibraryError, Error);

#undef CUPOLA_ERROR_CLASS

}  // namespace cupola
