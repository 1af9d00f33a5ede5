"""Iterators, sorts and searches of a single thread, in CUDA C++."""

TEXT = r"""
#line 1 "thrust_order"
// Elements at equal distances, also 0 and negative ones.
template <typename T>
struct StridedIterator {
  T* base;
  int64_t step, index;

  __device__ T& operator[](int64_t i) const {
    return *reinterpret_cast<T*>(reinterpret_cast<int64_t>(base) + (index + i) * step);
  }
  __device__ StridedIterator operator+(int64_t n) const { return {base, step, index + n}; }
  __device__ StridedIterator operator-(int64_t n) const { return {base, step, index - n}; }
  __device__ int64_t operator-(const StridedIterator& other) const { return index - other.index; }
};
template <typename T>
struct ConstantIterator {
  T value;
  int64_t index;

  __device__ T operator[](int64_t) const { return value; }
  __device__ ConstantIterator operator+(int64_t n) const { return {value, index + n}; }
  __device__ ConstantIterator operator-(int64_t n) const { return {value, index - n}; }
  __device__ int64_t operator-(const ConstantIterator& other) const { return index - other.index; }
};
template <typename T>
struct CountingIterator {
  T start;
  int64_t index;

  __device__ T operator[](int64_t i) const { return T(start + T(index + i)); }
  __device__ CountingIterator operator+(int64_t n) const { return {start, index + n}; }
  __device__ CountingIterator operator-(int64_t n) const { return {start, index - n}; }
  __device__ int64_t operator-(const CountingIterator& other) const {
    return int64_t((*this)[0] - other[0]);
  }
};
template <typename A, typename B>
struct IteratorPair {
  A first;
  B second;
};
template <typename Iterator>
CUPOLA_PYTHON_FN auto value_at(Iterator it, int64_t i) {
  return it[i];
}
template <typename A, typename B>
CUPOLA_PYTHON_FN void swap_at(A a, int64_t i, B b, int64_t j) {
  const auto kept = a[i];
  a[i] = b[j];
  b[j] = kept;
}

// ---- order: less(i, j) compares elements by index, swap(i, j) exchanges them

template <typename Swap>
CUPOLA_PYTHON_FN void reverse_part(int64_t first, int64_t last, Swap swap) {
  for (--last; first < last; ++first, --last) swap(first, last);
}
// The first index of [first, last) for which `is_behind` holds.
template <typename Predicate>
CUPOLA_PYTHON_FN int64_t partition_point(int64_t first, int64_t last, Predicate is_behind) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (is_behind(middle)) {
      last = middle;
    } else {
      first = middle + 1;
    }
  }
  return first;
}
struct MergeRange {
  int64_t first, middle, last;
};
// Two ordered runs next to each other become one, stably and in place. A rotation leaves two
// smaller merges, of which the larger waits: at most log2(n) wait.
template <typename Less, typename Swap>
CUPOLA_PYTHON_FN void merge_runs(MergeRange run, Less less, Swap swap) {
  MergeRange waiting[64];
  int count = 0;
  for (;;) {
    const auto [first, middle, last] = run;
    if (first == middle || middle == last || !less(middle, middle - 1)) {
      if (count == 0) return;
      run = waiting[--count];
      continue;
    }
    if (last - first == 2) {
      swap(first, middle);
      if (count == 0) return;
      run = waiting[--count];
      continue;
    }
    int64_t cut, other;
    if (middle - first > last - middle) {
      cut = first + (middle - first) / 2;
      other = partition_point(middle, last, [&](int64_t i) { return !less(i, cut); });
    } else {
      other = middle + (last - middle) / 2;
      cut = partition_point(first, middle, [&](int64_t i) { return less(other, i); });
    }
    reverse_part(cut, middle, swap);
    reverse_part(middle, other, swap);
    reverse_part(cut, other, swap);
    const int64_t joint = cut + (other - middle);
    const MergeRange left = {first, cut, joint}, right = {joint, other, last};
    const bool is_left_larger = joint - first > last - joint;
    waiting[count++] = is_left_larger ? left : right;
    run = is_left_larger ? right : left;
  }
}
template <typename Less, typename Swap>
CUPOLA_PYTHON_FN void sort_indices(int64_t n, Less less, Swap swap) {
  constexpr int64_t kRun = 16;
  for (int64_t start = 0; start < n; start += kRun) {
    const int64_t end = n - start < kRun ? n : start + kRun;
    for (int64_t i = start + 1; i < end; ++i) {
      for (int64_t j = i; j > start && less(j, j - 1); --j) swap(j - 1, j);
    }
  }
  for (int64_t width = kRun; width < n; width *= 2) {
    for (int64_t start = 0; start + width < n; start += 2 * width) {
      const int64_t left = n - start;
      merge_runs({start, start + width, left < 2 * width ? n : start + 2 * width}, less, swap);
    }
  }
}
template <typename A, typename Less>
CUPOLA_PYTHON_FN void thrust_sort(A first, A last, Less less) {
  sort_indices(
      last - first, [=](int64_t i, int64_t j) { return less(first[i], first[j]); },
      [=](int64_t i, int64_t j) { swap_at(first, i, first, j); });
}
template <typename A, typename V, typename Less>
CUPOLA_PYTHON_FN void thrust_sort_by_key(A first, A last, V values, Less less) {
  sort_indices(
      last - first, [=](int64_t i, int64_t j) { return less(first[i], first[j]); },
      [=](int64_t i, int64_t j) {
        swap_at(first, i, first, j);
        swap_at(values, i, values, j);
      });
}
template <typename A, typename Less>
CUPOLA_PYTHON_FN A thrust_is_sorted_until(A first, A last, Less less) {
  const int64_t n = last - first;
  int64_t i = n > 0 ? 1 : 0;
  while (i < n && !less(first[i], first[i - 1])) ++i;
  return first + i;
}
template <typename A, typename Less>
CUPOLA_PYTHON_FN bool thrust_is_sorted(A first, A last, Less less) {
  return last - thrust_is_sorted_until(first, last, less) == 0;
}

// ---- searches

template <typename A, typename T, typename Less>
CUPOLA_PYTHON_FN A thrust_lower_bound(A first, A last, T value, Less less) {
  return first +
         partition_point(0, last - first, [=](int64_t i) { return !less(first[i], value); });
}
template <typename A, typename T, typename Less>
CUPOLA_PYTHON_FN A thrust_upper_bound(A first, A last, T value, Less less) {
  return first +
         partition_point(0, last - first, [=](int64_t i) { return less(value, first[i]); });
}
template <typename A, typename T, typename LessA, typename LessB>
CUPOLA_PYTHON_FN bool thrust_binary_search(A first, A last, T value, LessA less, LessB exceeds) {
  const A place = thrust_lower_bound(first, last, value, less);
  return last - place > 0 && !exceeds(value, place[0]);
}
template <typename A, typename T, typename LessA, typename LessB>
CUPOLA_PYTHON_FN IteratorPair<A, A> thrust_equal_range(A first, A last, T value, LessA less,
                                                       LessB exceeds) {
  return {thrust_lower_bound(first, last, value, less),
          thrust_upper_bound(first, last, value, exceeds)};
}
template <typename A, typename V, typename R, typename Less>
CUPOLA_PYTHON_FN R thrust_lower_bounds(A first, A last, V values, V end, R result, Less less) {
  const int64_t n = end - values;
  for (int64_t i = 0; i < n; ++i) {
    result[i] = thrust_lower_bound(first, last, values[i], less) - first;
  }
  return result + n;
}
template <typename A, typename V, typename R, typename Less>
CUPOLA_PYTHON_FN R thrust_upper_bounds(A first, A last, V values, V end, R result, Less less) {
  const int64_t n = end - values;
  for (int64_t i = 0; i < n; ++i) {
    result[i] = thrust_upper_bound(first, last, values[i], less) - first;
  }
  return result + n;
}
template <typename A, typename V, typename R, typename Less>
CUPOLA_PYTHON_FN R thrust_binary_searches(A first, A last, V values, V end, R result, Less less) {
  const int64_t n = end - values;
  for (int64_t i = 0; i < n; ++i) {
    result[i] = thrust_binary_search(first, last, values[i], less, less);
  }
  return result + n;
}
template <typename A, typename T, typename Equal>
CUPOLA_PYTHON_FN A thrust_find(A first, A last, T value, Equal equal) {
  const int64_t n = last - first;
  int64_t i = 0;
  while (i < n && !equal(first[i], value)) ++i;
  return first + i;
}
template <typename A, typename T, typename Equal>
CUPOLA_PYTHON_FN int32_t thrust_count(A first, A last, T value, Equal equal) {
  const int64_t n = last - first;
  int32_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += equal(first[i], value) ? 1 : 0;
  return count;
}
template <typename A, typename B, typename Equal>
CUPOLA_PYTHON_FN IteratorPair<A, B> thrust_mismatch(A first, A last, B other, Equal equal) {
  const int64_t n = last - first;
  int64_t i = 0;
  while (i < n && equal(first[i], other[i])) ++i;
  return {first + i, other + i};
}
template <typename A, typename B, typename Equal>
CUPOLA_PYTHON_FN bool thrust_equal(A first, A last, B other, Equal equal) {
  return last - thrust_mismatch(first, last, other, equal).first == 0;
}
"""
