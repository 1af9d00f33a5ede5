// Arrays as values of raw kernels, by the names of CuPy's <cupy/carray.cuh>: `ndarray.cstruct` is
// such an argument. C++17, for NVRTC's default. Strides count bytes.
#ifndef CUPOLA_DEVICE_CARRAY
#define CUPOLA_DEVICE_CARRAY

#ifdef __CUDACC_RTC__
#define CUPOLA_CARRAY_FN __device__ __forceinline__
#else
#define CUPOLA_CARRAY_FN inline
#endif

#define CUPY_FOR(i, n)                                                                       \
  for (ptrdiff_t i = static_cast<ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<ptrdiff_t>(blockDim.x) * gridDim.x)

namespace cupola_carray {

// Without a dimension there are no extents.
template <typename T, int Rank>
struct Values {
  T* data_;
  ptrdiff_t size_;
  ptrdiff_t extents_[2 * Rank];  // and strides
};
template <typename T>
struct Values<T, 0> {
  T* data_;
  ptrdiff_t size_;
  static constexpr const ptrdiff_t* extents_ = nullptr;
};

}  // namespace cupola_carray

template <typename T, int Rank, bool Contiguous = false, bool Use32Bit = false>
class CArray : cupola_carray::Values<T, Rank> {
  using Values = cupola_carray::Values<T, Rank>;

 public:
  static constexpr int ndim = Rank;
  static constexpr bool c_contiguous = Contiguous;
  static constexpr bool use_32bit_indexing = Use32Bit;
  CUPOLA_CARRAY_FN ptrdiff_t size() const { return Values::size_; }
  CUPOLA_CARRAY_FN const ptrdiff_t* shape() const { return Values::extents_; }
  CUPOLA_CARRAY_FN const ptrdiff_t* strides() const { return Values::extents_ + Rank; }
  CUPOLA_CARRAY_FN T* data() const { return Values::data_; }
  CUPOLA_CARRAY_FN T& operator[](ptrdiff_t i) { return *address(i); }
  CUPOLA_CARRAY_FN const T& operator[](ptrdiff_t i) const { return *address(i); }
  template <typename Int, size_t N>
  CUPOLA_CARRAY_FN T& operator[](const Int (&at)[N]) {
    return *address(at);
  }
  template <typename Int, size_t N>
  CUPOLA_CARRAY_FN const T& operator[](const Int (&at)[N]) const {
    return *address(at);
  }

 private:
  CUPOLA_CARRAY_FN T* moved(ptrdiff_t bytes) const {
    return reinterpret_cast<T*>(reinterpret_cast<ptrdiff_t>(Values::data_) + bytes);
  }
  // Of the element with that row-major number.
  CUPOLA_CARRAY_FN T* address(ptrdiff_t i) const {
    if constexpr (Contiguous || Rank == 0) {
      return Values::data_ + i;
    } else {
      ptrdiff_t bytes = 0;
      for (int k = Rank - 1; k > 0; --k) {
        bytes += i % shape()[k] * strides()[k];
        i /= shape()[k];
      }
      return moved(bytes + i * strides()[0]);
    }
  }
  template <typename Int, size_t N>
  CUPOLA_CARRAY_FN T* address(const Int (&at)[N]) const {
    static_assert(N == static_cast<size_t>(Rank), "one index for each dimension");
    ptrdiff_t bytes = 0;
    for (int k = 0; k < Rank; ++k) bytes += static_cast<ptrdiff_t>(at[k]) * strides()[k];
    return moved(bytes);
  }
};

// A shape, and the coordinates of one of its elements.
template <int Rank, bool Use32Bit = false>
class CIndexer {
 public:
  static constexpr int ndim = Rank;
  CIndexer() = default;
  template <typename Int>
  CUPOLA_CARRAY_FN explicit CIndexer(const Int* shape) {
    for (int k = 0; k < Rank; ++k) size_ *= shape_[k] = shape[k];
  }
  CUPOLA_CARRAY_FN ptrdiff_t size() const { return size_; }
  CUPOLA_CARRAY_FN const ptrdiff_t* shape() const { return shape_; }
  CUPOLA_CARRAY_FN void set(ptrdiff_t i) {
    for (int k = Rank - 1; k > 0; --k) {
      at_[k] = i % shape_[k];
      i /= shape_[k];
    }
    if (Rank > 0) at_[0] = i;
  }
  CUPOLA_CARRAY_FN const ptrdiff_t (&get() const)[Rank > 0 ? Rank : 1] { return at_; }

 private:
  static constexpr int kExtents = Rank > 0 ? Rank : 1;
  ptrdiff_t size_ = 1;
  ptrdiff_t shape_[kExtents] = {};
  ptrdiff_t at_[kExtents] = {};
};

#endif
