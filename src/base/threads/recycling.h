#pragma once
// Memory for small objects that are made and dropped all the time: each thread keeps what it has
// given back for its next ones. Objects may be dropped by other threads than made them.

#include <cstddef>
#include <memory>
#include <utility>

namespace cupola {

// Aligned as operator new aligns. Throws std::bad_alloc.
void* take_block(std::size_t bytes);
void give_block(void* block, std::size_t bytes) noexcept;

template <typename T>
struct RecyclingAllocator {
  using value_type = T;
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

  RecyclingAllocator() = default;
  template <typename Other>
  RecyclingAllocator(const RecyclingAllocator<Other>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { give_block(block, count * sizeof(T)); }
  template <typename Other>
  bool operator==(const RecyclingAllocator<Other>&) const noexcept {
    return true;
  }
};

// As std::make_shared.
template <typename T, typename... Arguments>
std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
  return std::allocate_shared<T>(RecyclingAllocator<std::remove_const_t<T>>(),
                                 std::forward<Arguments>(arguments)...);
}

}  // namespace cupola
