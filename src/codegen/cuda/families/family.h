#pragma once
// The CUDA kernels of one plan. The file of each family says which plans it takes, which kernels
// their text holds, what the text is, and what a launch runs of it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/plan.h"

namespace cupola {

class StageBuilder;

inline constexpr unsigned int kCudaBlock = 256;  // threads of nearly every block

class CudaFamily {
 public:
  virtual ~CudaFamily() = default;
  CudaFamily(const CudaFamily&) = delete;
  CudaFamily& operator=(const CudaFamily&) = delete;

  const KernelPlan& plan() const { return plan_; }
  // The kernels that the text holds: their names are CudaCode::entry with these suffixes.
  // Compiled with CUPOLA_KERNEL=number, the text gives kernel `number` alone.
  const std::vector<const char*>& kernels() const { return kernels_; }
  unsigned int threads() const { return threads_; }  // of a block
  // Several launches can be one: the text holds each kernel once more, for launches with its number
  // and the number of kernels, together.
  bool joins() const { return joins_; }
  // Of launches that have grids of different sizes as well: blocks behind the end of one have
  // nothing to do.
  bool joins_other_sizes() const { return joins_other_sizes_; }
  // Launches may go by tiles, which their arguments describe.
  virtual bool has_tiles() const { return false; }

  // The device header of the skeletons.
  virtual std::string_view header() const = 0;
  // The members of struct Body that the skeletons use, beside those of every Body.
  virtual std::string body() const = 0;
  // The skeleton that the kernel with this suffix instantiates.
  virtual std::string skeleton(std::string_view suffix) const = 0;
  // Blocks of it that shall find room on a multiprocessor at one time; 0: as many as do.
  virtual int blocks_at_once(std::string_view) const { return 0; }
  // What a launch runs that has something to do.
  virtual void add_stages(StageBuilder& stages) const = 0;

 protected:
  explicit CudaFamily(const KernelPlan& plan) : plan_(plan) {}

  const KernelPlan& plan_;
  std::vector<const char*> kernels_;
  unsigned int threads_ = kCudaBlock;
  bool joins_ = false;
  bool joins_other_sizes_ = false;
};

// Of the plan, which must live as long.
std::unique_ptr<const CudaFamily> cuda_family(const KernelPlan& plan);

}  // namespace cupola
