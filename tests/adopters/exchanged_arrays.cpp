// A module of nanobind's that takes arrays of any library, and a class with DLPack's exchange table that costs nothing:
// what test_nanobind.py compiles.
#include "border/dlpack_abi.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;
namespace dlpack = treadle::dlpack;

namespace {

struct Plain {
  double values[32] = {};
  int64_t extent = 32, stride = 1;
  int lent = 0;
  PyObject *raises = nullptr; ///< in place of lending; lives as long as Python
};

dlpack::Tensor tensorOf(Plain &plain) {
  return {plain.values, {dlpack::Cpu, 0}, 1, {dlpack::Float, 64, 1}, &plain.extent, &plain.stride, 0};
}

int lend(void *object, dlpack::Tensor *lent) {
  auto &plain = *nb::inst_ptr<Plain>(nb::handle(static_cast<PyObject *>(object)));
  if (plain.raises) {
    PyErr_SetNone(plain.raises);
    return -1;
  }
  ++plain.lent;
  *lent = tensorOf(plain);
  return 0;
}

int give(void *object, dlpack::ManagedTensorVersioned **given) {
  const nb::handle self(static_cast<PyObject *>(object));
  auto *const made = new dlpack::ManagedTensorVersioned{};
  made->version = dlpack::ownVersion;
  made->tensor = tensorOf(*nb::inst_ptr<Plain>(self));
  made->context = self.inc_ref().ptr();
  made->deleter = [](dlpack::ManagedTensorVersioned *managed) {
    const nb::gil_scoped_acquire gil;
    nb::handle(static_cast<PyObject *>(managed->context)).dec_ref();
    delete managed;
  };
  *given = made;
  return 0;
}

int workStream(int32_t, int32_t, void **stream) {
  *stream = nullptr;
  return 0;
}

dlpack::ExchangeTable table = {{dlpack::ownVersion, nullptr}, nullptr, give, nullptr, lend, workStream};

} // namespace

NB_MODULE(exchanged_arrays, module) {
  using Matrix = nb::ndarray<float, nb::ndim<2>, nb::device::cpu>;
  module.def("total", [](const Matrix &x) {
    float sum = 0;
    for (size_t i = 0; i < x.shape(0); ++i)
      for (size_t j = 0; j < x.shape(1); ++j)
        sum += x(i, j);
    return sum;
  });
  module.def("fill", [](const Matrix &x, float value) {
    for (size_t i = 0; i < x.shape(0); ++i)
      for (size_t j = 0; j < x.shape(1); ++j)
        x(i, j) = value;
  });
  module.def("constant", [](const nb::ndarray<const float, nb::ndim<1>, nb::device::cpu> &x) { return x(0); });
  module.def("described", [](const nb::ndarray<> &x) {
    return nb::make_tuple(x.ndim(), x.size(), x.dtype().code, x.dtype().bits, x.device_type());
  });
  nb::class_<Plain>(module, "Plain")
      .def(nb::init<>())
      .def_prop_ro("lent", [](const Plain &plain) { return plain.lent; })
      .def("raise_when_lent", [](Plain &plain, nb::handle kind) { plain.raises = kind.ptr(); })
      .def("__getitem__", [](const Plain &plain, size_t at) { return plain.values[at]; });
  module.attr("Plain").attr("__dlpack_c_exchange_api__") = nb::capsule(&table, "dlpack_exchange_api");
  module.def("given", [] {
    auto *const values = new float[3]{1, 2, 3};
    const nb::capsule owner(values, [](void *kept) noexcept { delete[] static_cast<float *>(kept); });
    return nb::ndarray<nb::array_api, float, nb::shape<3>>(values, {3}, owner);
  });
}
