#include "memory/placed.h"

#include <utility>

#include "driver/registry.h"
#include "driver/set/set_driver.h"
#include "memory/allocator.h"
#include "memory/pool/pool.h"
#include "memory/pressure/reclaim.h"
#include "memory/resources/leaves.h"

namespace cupola {

namespace {

// A pool whose arrays have results in the pool.
class LikewisePool final : public Resource, public std::enable_shared_from_this<LikewisePool> {
 public:
  LikewisePool(const Device& set, PlacementRule rule)
      : pool_(std::make_shared<StripedResource>(set, std::move(rule))) {}

  void* allocate(std::size_t bytes, const StreamPointer& stream) override {
    return pool_.allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    pool_.deallocate(pointer, bytes, stream);
  }
  ResourceProperties properties() const override { return pool_.properties(); }
  std::size_t trim() override { return pool_.trim(); }
  ResourcePointer likewise() override { return shared_from_this(); }

 private:
  Pool pool_;
};

class PlacedResource final : public Resource {
 public:
  PlacedResource(ResourcePointer upstream, ResourcePointer likewise)
      : upstream_(std::move(upstream)), likewise_(std::move(likewise)) {}

  void* allocate(std::size_t bytes, const StreamPointer& stream) override {
    return upstream_.allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, const StreamPointer& stream) noexcept override {
    upstream_.deallocate(pointer, bytes, stream);
  }
  ResourceProperties properties() const override { return upstream_.properties(); }
  ResourcePointer likewise() override { return likewise_; }

 private:
  Reclaiming upstream_;
  ResourcePointer likewise_;
};

// For memory of any size.
PlacementRule in_shares(PlacementRule rule, std::size_t bytes) {
  if (rule.kind != PlacementRule::Kind::cuts) return rule;
  std::size_t before = 0;
  for (const std::size_t cut : rule.cuts) {
    rule.weights.push_back(static_cast<double>(cut - before));
    before = cut;
  }
  rule.weights.push_back(static_cast<double>(bytes - before));
  rule.cuts.clear();
  rule.kind = PlacementRule::Kind::weights;
  return rule;
}

std::size_t threshold_of(const Device& set) {
  return set_driver(set.platform()).threshold(set.index());
}

}  // namespace

ResourcePointer placed_resource(const Device& set, const PlacementRule& rule, std::size_t bytes) {
  ResourcePointer likewise;
  if (rule.kind != PlacementRule::Kind::by_free) {
    PlacementRule shares = in_shares(rule, bytes);
    shares.threshold = threshold_of(set);
    likewise = std::make_shared<LikewisePool>(set, std::move(shares));
  }
  return std::make_shared<PlacedResource>(std::make_shared<StripedResource>(set, rule),
                                          std::move(likewise));
}

ResourcePointer resource_likewise(const Device& device, std::size_t bytes,
                                  std::span<const Storage* const> operands) {
  if (!device.is_set() || bytes < threshold_of(device)) return nullptr;
  ResourcePointer result;
  std::size_t most = 0;
  for (const Storage* operand : operands) {
    if (operand->bytes() <= most || operand->device() != device) continue;
    if (ResourcePointer likewise = operand->likewise()) {
      most = operand->bytes();
      result = std::move(likewise);
    }
  }
  return result && !get_allocator() ? result : nullptr;
}

}  // namespace cupola
