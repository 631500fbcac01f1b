// Graphs for Python.
#include "runtime/graph_capture.h"

#include "python/host/gil_lock.h"
#include "python/host/held_reference.h"
#include "python/host/module_parts.h"
#include "python/host/stream_object.h"

namespace nb = nanobind;

namespace treadle::python {

namespace {

void replay(const GraphCapture &graph, nb::handle stream) {
  releaseHeldReferences();
  graph.replay(streamArgument(stream).here());
}

} // namespace

void addGraphObjects(nb::module_ &module) {
  nb::class_<GraphCapture>(module, "GraphCapture", "A capture of a stream, and the graph that it makes.")
      .def(
          "__init__", [](GraphCapture *self, nb::handle stream) { new (self) GraphCapture(streamArgument(stream)); },
          nb::arg("stream"))
      .def("_begin", &GraphCapture::begin)
      .def("_end", &GraphCapture::end)
      .def("_abandon", &GraphCapture::abandon)
      .def("replay", &replay, nb::arg("stream"))
      .def_prop_ro("size", &GraphCapture::size);
  module.def(
      "is_captured", [](nb::handle stream) { return streamArgument(stream).here().isCaptured(); }, nb::arg("stream"));
}

} // namespace treadle::python
