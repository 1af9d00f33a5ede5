#pragma once
// LAPACK for the fake cuBLAS and cuSOLVER: column-major matrices of four types, by OpenBLAS, which
// is opened when first asked for. Functions return LAPACK's info.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace fake_lapack {

template <typename T>
inline constexpr bool kIsComplex = !std::is_floating_point_v<T>;
template <typename T>
using Real = decltype(std::abs(T{}));

inline void* symbol(const std::string& name) {
  static void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  return library ? dlsym(library, name.c_str()) : nullptr;
}

// As "sgetrf_" of "getrf".
template <typename T>
std::string name_of(const char* real, const char* complex) {
  const bool is_double = std::is_same_v<Real<T>, double>;
  const char* letters = kIsComplex<T> ? "cz" : "sd";
  return letters[is_double] + std::string(kIsComplex<T> ? complex : real) + "_";
}

// Every argument by its address; the info comes last.
template <typename T, typename... Arguments>
int call(const char* real, const char* complex, Arguments... arguments) {
  using Function = void(Arguments..., int*);
  auto* const function = reinterpret_cast<Function*>(symbol(name_of<T>(real, complex)));
  int info = -1000;
  if (function) function(arguments..., &info);
  return info;
}

template <typename T>
int getrf(int rows, int columns, T* a, int leading, int* pivots) {
  return call<T>("getrf", "getrf", &rows, &columns, a, &leading, pivots);
}

template <typename T>
int getrs(int n, int columns, const T* a, int leading, const int* pivots, T* b, int b_leading) {
  return call<T>("getrs", "getrs", "N", &n, &columns, a, &leading, pivots, b, &b_leading);
}

template <typename T>
int potrf(bool upper, int n, T* a, int leading) {
  return call<T>("potrf", "potrf", upper ? "U" : "L", &n, a, &leading);
}

template <typename T>
int geqrf(int rows, int columns, T* a, int leading, T* tau) {
  int size = 64 * std::max(1, columns);
  std::vector<T> work(static_cast<std::size_t>(size));
  return call<T>("geqrf", "geqrf", &rows, &columns, a, &leading, tau, work.data(), &size);
}

template <typename T>
int orgqr(int rows, int columns, int reflectors, T* a, int leading, const T* tau) {
  int size = 64 * std::max(1, columns);
  std::vector<T> work(static_cast<std::size_t>(size));
  return call<T>("orgqr", "ungqr", &rows, &columns, &reflectors, a, &leading, tau, work.data(),
                 &size);
}

template <typename T>
int syev(bool vectors, bool upper, int n, T* a, int leading, Real<T>* values) {
  int size = 64 * std::max(1, n);
  std::vector<T> work(static_cast<std::size_t>(size));
  const char* const job = vectors ? "V" : "N";
  const char* const triangle = upper ? "U" : "L";
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> real_work(static_cast<std::size_t>(size));
    return call<T>("syev", "heev", job, triangle, &n, a, &leading, values, work.data(), &size,
                   real_work.data());
  } else {
    return call<T>("syev", "heev", job, triangle, &n, a, &leading, values, work.data(), &size);
  }
}

// Kernels of the fake driver do nothing, so that matrices may hold anything; of NaNs LAPACK
// searches for singular values without end.
template <typename T>
bool is_finite(const T* a, int rows, int columns, int leading) {
  for (int column = 0; column < columns; ++column) {
    const T* const first = a + std::ptrdiff_t{leading} * column;
    if (!std::all_of(first, first + rows, [](T value) { return std::isfinite(std::abs(value)); })) {
      return false;
    }
  }
  return true;
}

// Values of real matrices are complex, as those of complex ones.
template <typename T>
int geev(bool vectors, int n, T* a, int leading, std::complex<Real<T>>* values, T* v,
         int v_leading) {
  if (!is_finite(a, n, n, leading)) return 1;  // no convergence
  int size = 64 * std::max(1, n);
  int no_leading = 1;
  std::vector<T> work(static_cast<std::size_t>(size));
  std::vector<Real<T>> reals(2 * static_cast<std::size_t>(n));
  const char* const job = vectors ? "V" : "N";
  T* const left = nullptr;
  if constexpr (kIsComplex<T>) {
    return call<T>("geev", "geev", "N", job, &n, a, &leading, values, left, &no_leading, v,
                   &v_leading, work.data(), &size, reals.data());
  } else {
    const int info =
        call<T>("geev", "geev", "N", job, &n, a, &leading, reals.data(), reals.data() + n, left,
                &no_leading, v, &v_leading, work.data(), &size);
    for (int i = 0; i < n; ++i) values[i] = {reals.data()[i], reals.data()[n + i]};
    return info;
  }
}

template <typename T>
int gesvd(char of_u, char of_v, int rows, int columns, T* a, int leading, Real<T>* values, T* u,
          int u_leading, T* v, int v_leading) {
  if (!is_finite(a, rows, columns, leading)) return 1;  // no convergence
  int size = 64 * std::max(rows, columns);
  std::vector<T> work(static_cast<std::size_t>(size));
  if constexpr (kIsComplex<T>) {
    std::vector<Real<T>> real_work(static_cast<std::size_t>(size));
    return call<T>("gesvd", "gesvd", &of_u, &of_v, &rows, &columns, a, &leading, values, u,
                   &u_leading, v, &v_leading, work.data(), &size, real_work.data());
  } else {
    return call<T>("gesvd", "gesvd", &of_u, &of_v, &rows, &columns, a, &leading, values, u,
                   &u_leading, v, &v_leading, work.data(), &size);
  }
}

}  // namespace fake_lapack
