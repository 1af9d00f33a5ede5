// The class `cupola.cuda.Graph`.

#include <cstdint>
#include <string>

#include "cupola/error.h"
#include "cupola/graph.h"
#include "python/devices/graph_texts.h"
#include "python/devices/streams.h"

namespace cupola::python {
namespace {

std::uintptr_t number_of(void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

void launch_on(const Graph& self, nb::handle stream) {
  const Graph graph = self;
  const Stream target = stream_from(stream, graph.device());
  const Unlocked unlocked;
  graph.launch(target);
}

void upload_on(const Graph& self, nb::handle stream) {
  const Graph graph = self;
  const Stream target = stream_from(stream, graph.device());
  const Unlocked unlocked;
  graph.upload(target);
}

// Flags of the runtime; all of them say more.
std::string to_dot(const Graph& self, unsigned int flags) {
  const Graph graph = self;
  const Unlocked unlocked;
  return graph.to_dot(flags != 0);
}

}  // namespace

void bind_graphs(nb::module_& m) {
  nb::class_<Graph> cls(m, "Graph", kGraphText);
  cls.attr("__module__") = "cupola.cuda";
  cls.def("__init__", [](Graph*) {
    throw TypeError("a Graph is made by Stream.begin_capture() and Stream.end_capture()");
  });
  cls.def("launch", launch_on, nb::arg("stream") = nb::none(),
          nb::sig("def launch(self, stream: Any = None) -> None"), kGraphLaunchText);
  cls.def("upload", upload_on, nb::arg("stream") = nb::none(),
          nb::sig("def upload(self, stream: Any = None) -> None"), kGraphUploadText);
  cls.def("debug_dot_str", to_dot, nb::arg("flags") = 0, kGraphDotText);
  cls.def_prop_ro(
      "graph", [](const Graph& self) { return number_of(self.native_graph()); },
      "The platform's handle (CUgraph); 0 on the CPU.");
  cls.def_prop_ro(
      "graphExec", [](const Graph& self) { return number_of(self.native_executable()); },
      "The platform's handle (CUgraphExec); 0 on the CPU.");
  cls.def_prop_ro(
      "device", [](const Graph& self) { return self.device(); }, "Its device.");
  cls.def("__repr__",
          [](const Graph& self) { return "<Graph on '" + self.device().to_string() + "'>"; });
  cls.def("__reduce__", [](const Graph&) -> nb::object {
    throw TypeError("a graph belongs to its process and cannot be pickled; capture it in each");
  });
}

}  // namespace cupola::python
