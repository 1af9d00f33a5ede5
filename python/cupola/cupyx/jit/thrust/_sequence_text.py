"""Copies, sums and set operations of a single thread, in CUDA C++; they use `_order_text`."""

TEXT = r"""
#line 1 "thrust_sequences"
// ---- copies

template <typename A, typename R>
CUPOLA_PYTHON_FN R thrust_copy(A first, A last, R result) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) result[i] = first[i];
  return result + n;
}
template <typename A, typename T>
CUPOLA_PYTHON_FN void thrust_fill(A first, A last, T value) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) first[i] = value;
}
template <typename M, typename A, typename R>
CUPOLA_PYTHON_FN R thrust_gather(M first, M last, A input, R result) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) result[i] = input[first[i]];
  return result + n;
}
template <typename A, typename M, typename R>
CUPOLA_PYTHON_FN void thrust_scatter(A first, A last, M map, R result) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) result[map[i]] = first[i];
}
template <typename A, typename T, typename Sum, typename Product>
CUPOLA_PYTHON_FN void thrust_sequence(A first, A last, T init, T step, Sum sum, Product product) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) first[i] = sum(init, product(step, cast<T>(i)));
}
template <typename A>
CUPOLA_PYTHON_FN void thrust_reverse(A first, A last) {
  reverse_part(0, last - first, [=](int64_t i, int64_t j) { swap_at(first, i, first, j); });
}
template <typename A, typename R>
CUPOLA_PYTHON_FN R thrust_reverse_copy(A first, A last, R result) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) result[i] = first[n - 1 - i];
  return result + n;
}
template <typename A, typename B>
CUPOLA_PYTHON_FN B thrust_swap_ranges(A first, A last, B other) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) swap_at(first, i, other, i);
  return other + n;
}
template <typename A, typename R, typename T, typename Equal>
CUPOLA_PYTHON_FN R thrust_remove_copy(A first, A last, R result, T value, Equal equal) {
  const int64_t n = last - first;
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!equal(first[i], value)) result[kept++] = first[i];
  }
  return result + kept;
}
template <typename A, typename T, typename Equal>
CUPOLA_PYTHON_FN A thrust_remove(A first, A last, T value, Equal equal) {
  return thrust_remove_copy(first, last, first, value, equal);
}
template <typename A, typename R, typename T, typename N, typename Equal>
CUPOLA_PYTHON_FN R thrust_replace_copy(A first, A last, R result, T old_value, N new_value,
                                       Equal equal) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = first[i];
    if (equal(value, old_value)) {
      result[i] = new_value;
    } else {
      result[i] = value;
    }
  }
  return result + n;
}
template <typename A, typename T, typename N, typename Equal>
CUPOLA_PYTHON_FN void thrust_replace(A first, A last, T old_value, N new_value, Equal equal) {
  thrust_replace_copy(first, last, first, old_value, new_value, equal);
}
template <typename A, typename V, typename Equal>
CUPOLA_PYTHON_FN IteratorPair<A, V> thrust_unique_by_key(A first, A last, V values, Equal equal) {
  const int64_t n = last - first;
  int64_t kept = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0 && equal(first[kept - 1], first[i])) continue;
    first[kept] = first[i];
    values[kept++] = values[i];
  }
  return {first + kept, values + kept};
}
template <typename A, typename Equal>
CUPOLA_PYTHON_FN A thrust_unique(A first, A last, Equal equal) {
  return thrust_unique_by_key(first, last, first, equal).first;
}

// ---- sums

template <typename A, typename R, typename Subtract>
CUPOLA_PYTHON_FN R thrust_adjacent_difference(A first, A last, R result, Subtract subtract) {
  const int64_t n = last - first;
  auto before = n > 0 ? value_at(first, 0) : decltype(value_at(first, 0)){};
  if (n > 0) result[0] = before;
  for (int64_t i = 1; i < n; ++i) {
    const auto value = first[i];
    result[i] = subtract(value, before);
    before = value;
  }
  return result + n;
}
template <typename A, typename T, typename Sum>
CUPOLA_PYTHON_FN T thrust_reduce(A first, A last, T init, Sum sum) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) init = sum(init, first[i]);
  return init;
}
template <typename A, typename B, typename T, typename Sum, typename Product>
CUPOLA_PYTHON_FN T thrust_inner_product(A first, A last, B other, T init, Sum sum,
                                        Product product) {
  const int64_t n = last - first;
  for (int64_t i = 0; i < n; ++i) init = sum(init, product(first[i], other[i]));
  return init;
}
template <typename K, typename V, typename KR, typename VR, typename Equal, typename Sum>
CUPOLA_PYTHON_FN IteratorPair<KR, VR> thrust_reduce_by_key(K first, K last, V values, KR keys_out,
                                                           VR values_out, Equal equal, Sum sum) {
  const int64_t n = last - first;
  int64_t groups = 0;
  for (int64_t i = 0; i < n;) {
    const auto key = first[i];
    auto total = value_at(values, i);
    auto before = value_at(first, i);
    for (++i; i < n && equal(before, first[i]); ++i) {
      before = first[i];
      total = sum(total, values[i]);
    }
    keys_out[groups] = key;
    values_out[groups++] = total;
  }
  return {keys_out + groups, values_out + groups};
}
// continues(i): element i is added to the sum of those before it.
template <typename V, typename R, typename Continues, typename Sum>
CUPOLA_PYTHON_FN R inclusive_sums(int64_t n, V values, R result, Continues continues, Sum sum) {
  auto total = n > 0 ? value_at(values, 0) : decltype(value_at(values, 0)){};
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) total = continues(i) ? sum(total, values[i]) : value_at(values, i);
    result[i] = total;
  }
  return result + n;
}
template <typename V, typename R, typename T, typename Continues, typename Sum>
CUPOLA_PYTHON_FN R exclusive_sums(int64_t n, V values, R result, T init, Continues continues,
                                  Sum sum) {
  T total = init, next = init;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = value_at(values, i);
    total = i > 0 && continues(i) ? next : init;
    next = sum(total, value);
    result[i] = total;
  }
  return result + n;
}
template <typename A, typename R, typename Sum>
CUPOLA_PYTHON_FN R thrust_inclusive_scan(A first, A last, R result, Sum sum) {
  return inclusive_sums(last - first, first, result, [](int64_t) { return true; }, sum);
}
template <typename A, typename R, typename T, typename Sum>
CUPOLA_PYTHON_FN R thrust_exclusive_scan(A first, A last, R result, T init, Sum sum) {
  return exclusive_sums(last - first, first, result, init, [](int64_t) { return true; }, sum);
}
template <typename K, typename A, typename R, typename Equal, typename Sum>
CUPOLA_PYTHON_FN R thrust_inclusive_scan_by_key(K first, K last, A values, R result, Equal equal,
                                                Sum sum) {
  return inclusive_sums(
      last - first, values, result, [=](int64_t i) { return equal(first[i - 1], first[i]); }, sum);
}
template <typename K, typename A, typename R, typename T, typename Equal, typename Sum>
CUPOLA_PYTHON_FN R thrust_exclusive_scan_by_key(K first, K last, A values, R result, T init,
                                                Equal equal, Sum sum) {
  return exclusive_sums(
      last - first, values, result, init, [=](int64_t i) { return equal(first[i - 1], first[i]); },
      sum);
}

// ---- sorted ranges as sets: of what is in the first, the second, both

template <bool First, bool Second, bool Both, typename A, typename B, typename Less,
          typename TakeFirst, typename TakeSecond>
CUPOLA_PYTHON_FN int64_t set_operation(A a, int64_t n, B b, int64_t m, Less less,
                                       TakeFirst take_first, TakeSecond take_second) {
  int64_t i = 0, j = 0, count = 0;
  while (i < n || j < m) {
    const bool is_first = j == m || (i < n && less(a[i], b[j]));
    const bool is_second = !is_first && (i == n || less(b[j], a[i]));
    if (is_second) {
      if (Second) take_second(count++, j);
      ++j;
      continue;
    }
    if (is_first ? First : Both) take_first(count++, i);
    ++i;
    if (!is_first) ++j;
  }
  return count;
}
template <bool First, bool Second, bool Both, typename A, typename B, typename R, typename Less>
CUPOLA_PYTHON_FN R thrust_set(A first, A last, B other, B other_last, R result, Less less) {
  return result + set_operation<First, Second, Both>(
                      first, last - first, other, other_last - other, less,
                      [=](int64_t to, int64_t i) { result[to] = first[i]; },
                      [=](int64_t to, int64_t i) { result[to] = other[i]; });
}
template <bool First, bool Second, bool Both, typename A, typename B, typename V, typename W,
          typename KR, typename VR, typename Less>
CUPOLA_PYTHON_FN IteratorPair<KR, VR> thrust_set_by_key(A first, A last, B other, B other_last,
                                                        V values, W other_values, KR keys_result,
                                                        VR values_result, Less less) {
  const int64_t count = set_operation<First, Second, Both>(
      first, last - first, other, other_last - other, less,
      [=](int64_t to, int64_t i) {
        keys_result[to] = first[i];
        values_result[to] = values[i];
      },
      [=](int64_t to, int64_t i) {
        keys_result[to] = other[i];
        values_result[to] = other_values[i];
      });
  return {keys_result + count, values_result + count};
}
"""
