// What the bodies of users' kernels see of arrays and indices, by the names that CuPy's programs
// use. Compiled by NVRTC and, for CPU devices, by the host compiler at run time.
#ifndef CUPOLA_DEVICE_USER_ARRAYS
#define CUPOLA_DEVICE_USER_ARRAYS

#ifdef __CUDACC_RTC__
#define CUPOLA_USER_FN __device__ __forceinline__
#else
#define CUPOLA_USER_FN inline
#endif

namespace cupola_user {

// The arguments of a launch: extents, strides, addresses and values, in 64-bit words.
template <int N>
struct Words {
  ptrdiff_t at[N];
  template <typename T>
  CUPOLA_USER_FN T* pointer(int place) const {
    return reinterpret_cast<T*>(at[place]);
  }
  template <typename T>
  CUPOLA_USER_FN T value(int place) const {
    struct Bytes {
      ptrdiff_t words[(sizeof(T) + 7) / 8];
    } bytes;
    for (int k = 0; k < static_cast<int>((sizeof(T) + 7) / 8); ++k) bytes.words[k] = at[place + k];
    T result;
    memcpy(&result, &bytes, sizeof(T));
    return result;
  }
};

// The coordinates of element number `i` of a row-major shape.
template <int Rank, bool Wide>
CUPOLA_USER_FN void find_coordinates(ptrdiff_t i, const ptrdiff_t* shape, ptrdiff_t* at) {
  if constexpr (Rank == 1) {
    at[0] = i;
  } else if constexpr (Wide) {
    for (int k = Rank - 1; k > 0; --k) {
      const ptrdiff_t rest = i / shape[k];
      at[k] = i - rest * shape[k];
      i = rest;
    }
    at[0] = i;
  } else if constexpr (Rank > 1) {
    auto left = static_cast<unsigned int>(i);
    for (int k = Rank - 1; k > 0; --k) {
      const auto extent = static_cast<unsigned int>(shape[k]);
      const unsigned int rest = left / extent;
      at[k] = static_cast<ptrdiff_t>(left - rest * extent);
      left = rest;
    }
    at[0] = left;
  }
}

// `_ind`: the iteration space and the place in it.
template <int Rank, bool Wide = true>
class CIndexer {
 public:
  static constexpr int ndim = Rank;
  CUPOLA_USER_FN CIndexer(ptrdiff_t size, const ptrdiff_t* shape) : size_(size), shape_(shape) {}
  CUPOLA_USER_FN ptrdiff_t size() const { return size_; }
  CUPOLA_USER_FN const ptrdiff_t* shape() const { return shape_; }
  CUPOLA_USER_FN void set(ptrdiff_t i) { find_coordinates<Rank, Wide>(i, shape_, at_); }
  CUPOLA_USER_FN const ptrdiff_t (&get() const)[Rank] { return at_; }
  CUPOLA_USER_FN ptrdiff_t offset(const ptrdiff_t* strides) const {
    ptrdiff_t sum = 0;
    for (int k = 0; k < Rank; ++k) sum += at_[k] * strides[k];
    return sum;
  }

 private:
  ptrdiff_t size_;
  const ptrdiff_t* shape_;
  ptrdiff_t at_[Rank] = {};
};
template <bool Wide>
class CIndexer<0, Wide> {
 public:
  static constexpr int ndim = 0;
  CUPOLA_USER_FN CIndexer(ptrdiff_t size, const ptrdiff_t* shape) : size_(size), shape_(shape) {}
  CUPOLA_USER_FN ptrdiff_t size() const { return size_; }
  CUPOLA_USER_FN const ptrdiff_t* shape() const { return shape_; }
  CUPOLA_USER_FN void set(ptrdiff_t) {}
  CUPOLA_USER_FN const ptrdiff_t* get() const { return nullptr; }
  CUPOLA_USER_FN ptrdiff_t offset(const ptrdiff_t*) const { return 0; }

 private:
  ptrdiff_t size_;
  const ptrdiff_t* shape_;
};

// A `raw` parameter: indexed by the row-major number of an element or by its coordinates. Strides
// count bytes.
template <typename T, int Rank, bool Contiguous = false, bool Use32Bit = false>
class CArray {
 public:
  static constexpr int ndim = Rank;
  static constexpr bool c_contiguous = Contiguous;
  CUPOLA_USER_FN CArray(T* data, ptrdiff_t size, const ptrdiff_t* shape, const ptrdiff_t* strides)
      : data_(data), size_(size), shape_(shape), strides_(strides) {}
  CUPOLA_USER_FN T* data() const { return data_; }
  CUPOLA_USER_FN ptrdiff_t size() const { return size_; }
  CUPOLA_USER_FN const ptrdiff_t* shape() const { return shape_; }
  CUPOLA_USER_FN const ptrdiff_t* strides() const { return strides_; }
  CUPOLA_USER_FN T& operator[](ptrdiff_t i) { return *address(i); }
  CUPOLA_USER_FN const T& operator[](ptrdiff_t i) const { return *address(i); }
  template <typename Int, size_t N>
  CUPOLA_USER_FN T& operator[](const Int (&at)[N]) {
    return *address(at);
  }
  template <typename Int, size_t N>
  CUPOLA_USER_FN const T& operator[](const Int (&at)[N]) const {
    return *address(at);
  }

 private:
  CUPOLA_USER_FN T* address(ptrdiff_t i) const {
    if constexpr (Contiguous || Rank == 0) {
      return data_ + i;
    } else {
      ptrdiff_t at[Rank];
      find_coordinates<Rank, true>(i, shape_, at);
      return address(at);
    }
  }
  template <typename Int, size_t N>
  CUPOLA_USER_FN T* address(const Int (&at)[N]) const {
    static_assert(N == static_cast<size_t>(Rank), "one index for each dimension");
    ptrdiff_t bytes = 0;
    for (int k = 0; k < Rank; ++k) bytes += static_cast<ptrdiff_t>(at[k]) * strides_[k];
    return reinterpret_cast<T*>(reinterpret_cast<ptrdiff_t>(data_) + bytes);
  }

  T* data_;
  ptrdiff_t size_;
  const ptrdiff_t* shape_;
  const ptrdiff_t* strides_;
};

}  // namespace cupola_user

#endif
