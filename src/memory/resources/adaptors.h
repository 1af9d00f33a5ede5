#pragma once
// One behaviour each, around any resource, which they hold by value (see ResourcePointer). They
// compose: Pool(Limit(Log(DeviceResource))). Alignment, order and errors are the upstream's.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "memory/resources/resource.h"

namespace cupola {

class Adaptor : public Resource {
 public:
  explicit Adaptor(ResourcePointer upstream) : upstream_(std::move(upstream)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override {
    return upstream_->allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    upstream_->deallocate(pointer, bytes, stream);
  }
  ResourceProperties properties() const override { return upstream_->properties(); }
  std::size_t trim() override { return upstream_->trim(); }

 protected:
  Resource& upstream() const { return *upstream_; }

 private:
  ResourcePointer upstream_;
};

// At most so many bytes at a time.
class Limit final : public Adaptor {
 public:
  Limit(ResourcePointer upstream, std::size_t bytes)
      : Adaptor(std::move(upstream)), limit_(bytes) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  std::size_t used() const { return used_.load(); }
  // A limit below what is in use: nothing more is handed out until enough has come back.
  void set_limit(std::size_t bytes) { limit_.store(bytes); }

 private:
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> used_{0};
};

// Counts.
class Statistics final : public Adaptor {
 public:
  struct Counts {
    std::size_t bytes = 0;        // handed out now
    std::size_t peak_bytes = 0;   // the most ever
    std::size_t blocks = 0;       // handed out now
    std::size_t allocations = 0;  // ever
    std::size_t failures = 0;     // requests that threw
  };
  using Adaptor::Adaptor;
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  Counts counts() const;

 private:
  mutable Mutex mutex_;
  Counts counts_;
};

// Tells a function about every call, after it. The function may be called by several threads.
class Log final : public Adaptor {
 public:
  struct Entry {
    enum class Action : std::uint8_t { allocate, deallocate, failure } action;
    void* pointer;  // null for a failure
    std::size_t bytes;
    std::uint64_t stream;  // its identity; 0: the host's order
  };
  using Writer = std::function<void(const Entry&)>;  // must not throw
  Log(ResourcePointer upstream, Writer writer)
      : Adaptor(std::move(upstream)), writer_(std::move(writer)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;

 private:
  Writer writer_;
};

// Remembers where each live block was asked for.
class Tracking final : public Adaptor {
 public:
  struct Block {
    void* pointer;
    std::size_t bytes;
    std::string site;
  };
  // Describes the place in the program that is asking; called outside of locks.
  using Site = std::function<std::string()>;
  Tracking(ResourcePointer upstream, Site site)
      : Adaptor(std::move(upstream)), site_(std::move(site)) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override;
  std::vector<Block> live() const;  // in the order of their addresses

 private:
  Site site_;
  mutable Mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
};

// Fails the k-th request from now on with OutOfMemoryError, and no other.
class Fault final : public Adaptor {
 public:
  explicit Fault(ResourcePointer upstream, std::int64_t k = 0)
      : Adaptor(std::move(upstream)), remaining_(k) {}
  void* allocate(std::size_t bytes, const StreamPointer& stream) override;
  void fail_after(std::int64_t k) { remaining_.store(k); }  // 1: the next; 0: none

 private:
  std::atomic<std::int64_t> remaining_;
};

}  // namespace cupola
