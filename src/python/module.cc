// The extension module: everything below the pure Python package.

#include "python/bindings.h"
#include "python/memory/memory.h"

NB_MODULE(_cupola, m) {
  using namespace cupola::python;
  nanobind::set_leak_warnings(false);
  m.doc() = "The compiled part of cupola.";
  bind_errors(m);
  check_interpreter();
  bind_call_sites(m);
  bind_fork(m);
  bind_interrupts(m);
  bind_interpreter_queue(m);
  initialize_numpy_types();
  bind_dtypes(m);
  bind_devices(m);
  bind_streams(m);
  bind_graphs(m);
  bind_runtime_calls(m);
  bind_events(m);
  bind_raw_kernels(m);
  bind_kernel_cache(m);
  ArrayClass cls = bind_ndarray(m);
  bind_memory(m, cls);
  bind_pinned_memory(m);
  bind_memory_history(m);
  bind_device_sets(m);
  bind_resize(cls);
  bind_operators(cls);
  bind_python_protocols(m, cls);
  bind_user_kernels(m);
  bind_indexing(m, cls);
  bind_ufuncs(m);
  bind_evaluation(m);
  bind_host_border(m);
  bind_explanation(m);
  bind_sight(m);
  bind_creation(m);
  bind_transfers(m);
  bind_few_elements(m);
  bind_reductions(m);
  bind_manipulation(m);
  bind_selection(m);
  bind_sorting(m);
  bind_random(m);
  bind_linalg(m);
  bind_fft(m);
  bind_factorisations(m);
  bind_interop(m, cls);
  bind_dlpack(m, cls);
  bind_ordered_work(m);
  bind_sharing(m);
  bind_signatures(m);
}
