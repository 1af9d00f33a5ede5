#include "codegen/cuda/cuda_names.h"

namespace cupola {

std::string_view cuda_type(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "bool";
    case DType::int8:
      return "signed char";
    case DType::uint8:
      return "unsigned char";
    case DType::int16:
      return "short";
    case DType::uint16:
      return "unsigned short";
    case DType::int32:
      return "int";
    case DType::uint32:
      return "unsigned int";
    case DType::int64:
      return "long long";
    case DType::uint64:
      return "unsigned long long";
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::complex64:
      return "complex64";
    case DType::complex128:
      return "complex128";
  }
  __builtin_unreachable();
}

}  // namespace cupola
