#pragma once
// Reductions, and places of extremes: rows, columns, and long rows in tiles whose states are
// combined by a second stage.

#include "codegen/cuda/families/row_family.h"

namespace cupola {

class Reduce : public RowFamily {
 public:
  explicit Reduce(const KernelPlan& plan);

  std::string_view header() const override { return "kernel_reduce.cuh"; }
  std::string body() const override;
  std::string skeleton(std::string_view suffix) const override;
  void add_stages(StageBuilder& stages) const override;

 protected:
  int state_bytes_;  // at least the size of a row's state

 private:
  void add_columns(StageBuilder& stages) const;
  void keep_states(StageBuilder& stages, std::uint64_t count) const;
};

}  // namespace cupola
