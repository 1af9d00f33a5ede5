#include "exec/evaluation/views.h"

#include <utility>

#include "exec/evaluation/evaluator.h"
#include "graph/views.h"

namespace cupola {

const Array& laid_out(const Array& a) { return is_laid_out(a) ? a : evaluate(a); }

Array view_of(const Array& a, Dims shape, Layout layout) {
  if (Array view = make_pending_view(a, shape, layout); view.has_value()) return view;
  return make_view(evaluate(a), std::move(shape), std::move(layout));
}

}  // namespace cupola
