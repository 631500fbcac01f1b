// A module of nanobind's that takes arrays of any library: what test_nanobind.py compiles.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

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
  module.def("given", [] {
    auto *const values = new float[3]{1, 2, 3};
    const nb::capsule owner(values, [](void *kept) noexcept { delete[] static_cast<float *>(kept); });
    return nb::ndarray<nb::array_api, float, nb::shape<3>>(values, {3}, owner);
  });
}
