// Heat in a plate: the kernel of examples/heat.py in a C++ program, and as a function for arrays of other libraries.
//
//   treadle compile heat.py:spread --signature "void(float64[:, ::1], float64, float64[:, ::1])" \
//     --target cpu,sm_75 -o heat.image
//   c++ -std=c++17 -I. cpp/heat.cpp $(pkg-config --cflags --libs treadle) -o heat && ./heat heat.image
//
// With -shared -fPIC -DHEAT_LIBRARY it is a library: ../sharing.py calls heat_tensor with an array of NumPy.
#include "heat.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(treadle_status status) {
  if (status != TREADLE_OK)
    throw std::runtime_error(std::string(treadle_status_name(status)) + ": " + treadle_last_error());
}

/// A two-dimensional float64 array on a device.
class Plate {
public:
  explicit Plate(treadle_array array) : array(array) {}
  Plate(treadle_device device, int64_t rows, int64_t columns) {
    const int64_t shape[] = {rows, columns};
    treadle_array_desc desc{};
    desc.abi_major = TREADLE_VERSION_MAJOR;
    desc.struct_size = sizeof desc;
    desc.code = 2, desc.bits = 64, desc.lanes = 1;
    desc.ndim = 2;
    desc.shape = shape;
    check(treadle_array_create(device, TREADLE_MEMORY_DEVICE, &desc, nullptr, &array));
  }
  Plate(const Plate &) = delete;
  Plate &operator=(const Plate &) = delete;
  ~Plate() { treadle_array_free(array); }

  treadle_array array = nullptr;
};

/// After `steps` steps the result is in `old`. Both begin with the same edges.
void simulate(const heat::Kernels &kernels, Plate &old, Plate &fresh, int64_t rows, int64_t columns, int steps) {
  treadle_launch_config config = heat::launch(unsigned(columns + 31) / 32, 32);
  config.grid[1] = unsigned(rows + 7) / 8;
  config.block[1] = 8;
  for (int step = 0; step < steps; ++step) {
    check(kernels.spread(config, old.array, 0.2, fresh.array));
    std::swap(old.array, fresh.array);
  }
}

} // namespace

/// Spreads the heat of a plate, a two-dimensional float64 tensor in C order, in place. Takes the tensor over, also
/// where it fails. 0: done.
extern "C" int heat_tensor(const char *path, DLManagedTensorVersioned *tensor, int steps) try {
  auto *const known = reinterpret_cast<treadle_dl_versioned *>(tensor);
  const int64_t rows = known->tensor.shape[0], columns = known->tensor.shape[1];
  treadle_device device;
  heat::Kernels kernels;
  treadle_array imported;
  if (treadle_status status = treadle_array_from_dlpack(tensor, nullptr, &imported)) {
    known->deleter(known);
    check(status);
  }
  Plate plate(imported);
  check(treadle_device_open(nullptr, 0, &device));
  check(kernels.load(device, path));
  Plate other(device, rows, columns);
  check(treadle_array_copy(other.array, plate.array, nullptr));
  simulate(kernels, plate, other, rows, columns, steps / 2 * 2); // an even number ends in the plate
  check(treadle_device_synchronize(device));
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "heat: %s\n", error.what());
  return 1;
}

#ifndef HEAT_LIBRARY
int main(int count, char **arguments) try {
  constexpr int size = 256, steps = 200;
  if (count != 2)
    return std::fprintf(stderr, "heat IMAGE\n"), 2;
  const double pi = std::acos(-1.0);
  std::vector<double> hill(size * size), found(size * size);
  for (int row = 1; row < size - 1; ++row)
    for (int column = 1; column < size - 1; ++column)
      hill[row * size + column] = std::sin(pi * row / (size - 1)) * std::sin(pi * column / (size - 1));

  treadle_device device;
  check(treadle_device_open(nullptr, 0, &device));
  heat::Kernels kernels;
  check(kernels.load(device, arguments[1]));
  Plate old(device, size, size), fresh(device, size, size);
  for (const Plate *plate : {&old, &fresh})
    check(treadle_array_write(plate->array, hill.data(), hill.size() * sizeof(double), nullptr));
  simulate(kernels, old, fresh, size, size, steps);
  check(treadle_array_read(old.array, found.data(), found.size() * sizeof(double), nullptr));

  const double factor = std::pow(1 - 1.6 * std::pow(std::sin(pi / (2 * (size - 1))), 2), steps);
  double worst = 0;
  for (size_t i = 0; i < hill.size(); ++i)
    worst = std::max(worst, std::abs(found[i] - hill[i] * factor));
  std::printf("%d x %d plate, %d steps: largest difference from the exact solution %.1e\n", size, size, steps, worst);
  return worst < 1e-12 ? 0 : 1;
} catch (const std::exception &error) {
  return std::fprintf(stderr, "heat: %s\n", error.what()), 1;
}
#endif
