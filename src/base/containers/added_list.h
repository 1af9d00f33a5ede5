#pragma once
// A list that is only ever added to: any thread may look while one adds.

#include <atomic>
#include <utility>

namespace cupola {

template <typename Value>
class AddedList {
 public:
  AddedList() = default;
  ~AddedList() {
    for (Node* node = first_.load(); node;) delete std::exchange(node, node->next);
  }
  AddedList(const AddedList&) = delete;
  AddedList& operator=(const AddedList&) = delete;

  // Of one thread at a time. The value is made of the arguments, and stays where it is.
  template <typename... Arguments>
  Value& add(Arguments&&... arguments) {
    auto* const node = new Node{{std::forward<Arguments>(arguments)...}, first_.load()};
    first_.store(node, std::memory_order_release);
    return node->value;
  }
  // Null: there is none.
  template <typename Condition>
  Value* find(const Condition& condition) const {
    Node* node = first_.load(std::memory_order_acquire);
    while (node && !condition(node->value)) node = node->next;
    return node ? &node->value : nullptr;
  }
  // The last one that was added comes first.
  template <typename Function>
  void for_each(const Function& function) const {
    find([&](const Value& value) {
      function(value);
      return false;
    });
  }

 private:
  struct Node {
    Value value;
    Node* next;
  };
  std::atomic<Node*> first_{nullptr};
};

}  // namespace cupola
