#pragma once
// Objects that keep their memory from one use to the next.

#include <memory>
#include <utility>
#include <vector>

#include "base/threads/thread_owned.h"

namespace cupola {

// One of the thread's objects of the type, for as long as this lives. It is as new: clear() has
// been called.
template <typename T>
class Spare {
 public:
  Spare() {
    std::vector<std::unique_ptr<T>>& free = free_objects();
    if (free.empty()) {
      object_ = std::make_unique<T>();
    } else {
      object_ = std::move(free.back());
      free.pop_back();
    }
  }
  ~Spare() {
    object_->clear();
    free_objects().push_back(std::move(object_));
  }
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  struct Free {
    std::vector<std::unique_ptr<T>> objects;
  };
  static std::vector<std::unique_ptr<T>>& free_objects() {
    return ThreadOwned<Free>::get().objects;
  }

  std::unique_ptr<T> object_;
};

}  // namespace cupola
