// The PTX of copy kernels, and their launches.
#include "device/cuda/copy_kernel.h"

#include "device/cuda/code/cuda_module.h"
#include "support/error.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace treadle::cuda {

namespace {

constexpr unsigned threadsPerBlock = 256;
constexpr int64_t mostBlocks = 1 << 20; ///< beyond that, threads copy several units

std::string parameterList(size_t rank) {
  std::string text = ".param .u64 to, .param .u64 from, .param .u64 units";
  for (size_t axis = 0; axis < rank; ++axis)
    for (const char *what : {"extent", "toStride", "fromStride"})
      text += ", .param .u64 " + std::string(what) + std::to_string(axis);
  return text;
}

std::string loadWord(const std::string &reg, const std::string &parameter) {
  return "  ld.param.u64 " + reg + ", [" + parameter + "];\n";
}

/// From a unit's index, in %unit, to both addresses, in %to and %from.
std::string locate(size_t rank) {
  std::string text = "  mov.u64 %rest, %unit;\n  mov.u64 %to, %toBase;\n  mov.u64 %from, %fromBase;\n";
  for (size_t axis = 0; axis < rank; ++axis) {
    const std::string number = std::to_string(axis);
    text += loadWord("%stride", "toStride" + number);
    if (axis + 1 == rank) {
      text += "  mov.u64 %place, %rest;\n";
    } else {
      text += loadWord("%extent", "extent" + number) + "  div.u64 %next, %rest, %extent;\n"
                                                       "  mul.lo.u64 %place, %next, %extent;\n"
                                                       "  sub.u64 %place, %rest, %place;\n"
                                                       "  mov.u64 %rest, %next;\n";
    }
    text += "  mad.lo.s64 %to, %place, %stride, %to;\n" + loadWord("%stride", "fromStride" + number) +
            "  mad.lo.s64 %from, %place, %stride, %from;\n";
  }
  return text;
}

std::string moveUnit(unsigned bytes) {
  switch (bytes) {
  case 16:
    return "  ld.global.v2.u64 {%value, %second}, [%from];\n  st.global.v2.u64 [%to], {%value, %second};\n";
  case 8:
    return "  ld.global.u64 %value, [%from];\n  st.global.u64 [%to], %value;\n";
  case 4:
    return "  ld.global.u32 %word, [%from];\n  st.global.u32 [%to], %word;\n";
  case 2:
    return "  ld.global.u16 %half, [%from];\n  st.global.u16 [%to], %half;\n";
  default:
    return "  ld.global.u8 %half, [%from];\n  st.global.u8 [%to], %half;\n";
  }
}

/// The largest unit to which all addresses and strides are aligned, and that divides rows.
unsigned unitOf(const CopyShape &shape) {
  uint64_t bits =
      reinterpret_cast<uintptr_t>(shape.to) | reinterpret_cast<uintptr_t>(shape.from) | uint64_t(shape.rowBytes);
  for (const CopyShape::Axis &axis : shape.axes)
    bits |= uint64_t(axis.toStride) | uint64_t(axis.fromStride);
  return unsigned(std::min<uint64_t>(bits & -bits, 16));
}

} // namespace

std::string copyKernelText(unsigned unitBytes, size_t rank) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n\n.visible .entry copy(" + parameterList(rank) +
         ") {\n"
         "  .reg .pred %done;\n  .reg .b16 %half;\n  .reg .b32 %word, %thread, %block, %threads;\n"
         "  .reg .b64 %unit, %units, %step, %rest, %next, %place, %extent, %stride, %to, %from, %toBase, %fromBase, "
         "%value, %second;\n" +
         loadWord("%toBase", "to") + loadWord("%fromBase", "from") + loadWord("%units", "units") +
         "  cvta.to.global.u64 %toBase, %toBase;\n  cvta.to.global.u64 %fromBase, %fromBase;\n"
         "  mov.u32 %thread, %tid.x;\n  mov.u32 %block, %ctaid.x;\n  mov.u32 %threads, %ntid.x;\n"
         "  mul.wide.u32 %unit, %block, %threads;\n  cvt.u64.u32 %step, %thread;\n  add.u64 %unit, %unit, %step;\n"
         "  mov.u32 %block, %nctaid.x;\n  mul.wide.u32 %step, %block, %threads;\n"
         "again:\n  setp.ge.u64 %done, %unit, %units;\n  @%done bra end;\n" +
         locate(rank) + moveUnit(unitBytes) + "  add.u64 %unit, %unit, %step;\n  bra again;\nend:\n  ret;\n}\n";
}

/// Two threads may load the same kernel; one of the modules is then never used.
FunctionHandle CopyKernels::kernelFor(unsigned unitBytes, size_t rank) {
  const std::pair key{unitBytes, rank};
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end())
      return found->second;
  }
  const std::string text = copyKernelText(unitBytes, rank);
  FunctionHandle function = nullptr;
  const DriverTable &driver = context.driver;
  const CaptureRelaxed relaxed(driver);
  const ModuleHandle module = loadModule(context, text, "the kernel for copies");
  if (const Result result = driver.moduleGetFunction(&function, module, "copy"); result != Result::Success) {
    constexpr const char *operation = "find the kernel for copies";
    context.note(result, operation);
    if (context.isUsable())
      driver.moduleUnload(module);
    context.fail(result, operation);
  }
  const std::lock_guard lock(mutex);
  return known.emplace(key, function).first->second;
}

void CopyKernels::forget() {
  const std::lock_guard lock(mutex);
  known.clear();
}

void CopyKernels::copy(const CopyShape &shape, StreamHandle stream) {
  TREADLE_CHECK(shape.axes.size() < copyKernelAxes);
  const unsigned unit = unitOf(shape);
  std::vector<uint64_t> parameters{reinterpret_cast<uintptr_t>(shape.to), reinterpret_cast<uintptr_t>(shape.from),
                                   uint64_t(shape.places() * (shape.rowBytes / unit))};
  auto add = [&](int64_t extent, int64_t toStride, int64_t fromStride) {
    parameters.insert(parameters.end(), {uint64_t(extent), uint64_t(toStride), uint64_t(fromStride)});
  };
  size_t rank = shape.axes.size();
  if (shape.rowBytes != unit || rank == 0) {
    add(shape.rowBytes / unit, unit, unit);
    ++rank;
  }
  for (size_t i = shape.axes.size(); i-- > 0;)
    add(shape.axes[i].extent, shape.axes[i].toStride, shape.axes[i].fromStride);
  const FunctionHandle function = kernelFor(unit, rank);
  const int64_t blocks = (int64_t(parameters[2]) + threadsPerBlock - 1) / threadsPerBlock;
  const DriverLaunch launch{.grid = {unsigned(std::min(blocks, mostBlocks)), 1, 1},
                            .block = {threadsPerBlock, 1, 1},
                            .sharedBytes = 0,
                            .stream = stream,
                            .attributes = nullptr,
                            .attributeCount = 0};
  size_t bytes = parameters.size() * sizeof(uint64_t);
  void *extra[] = {parameterBlockKey, parameters.data(), parameterBytesKey, &bytes, nullptr};
  context.check(context.driver.launchKernelEx(&launch, function, nullptr, extra), "copy between device arrays");
}

} // namespace treadle::cuda
