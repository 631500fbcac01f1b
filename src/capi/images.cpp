// Images: reading, checking against the device, loading, and lookup of kernels.
#include "capi/kernel_code.h"
#include "capi/sized_struct.h"
#include "device/loaded_code.h"
#include "interop/tensor_types.h"
#include "runtime/chosen_images.h"
#include "support/files/owned_file.h"
#include "types/names/type_code.h"

#include <fmt/core.h>
#include <iterator>

using namespace treadle;
using namespace treadle::capi;

static_assert(sizeof(treadle_image_source) == 32 && offsetof(treadle_image_source, data) == 8 &&
              offsetof(treadle_image_source, path) == 24);
static_assert(sizeof(treadle_kernel_info) == 64 && offsetof(treadle_kernel_info, parameters) == 8 &&
              offsetof(treadle_kernel_info, name) == 32 && offsetof(treadle_kernel_info, facts) == 56);
static_assert(sizeof(treadle_parameter_info) == 40 && offsetof(treadle_parameter_info, code) == 8 &&
              offsetof(treadle_parameter_info, ndim) == 12 && offsetof(treadle_parameter_info, type) == 24 &&
              offsetof(treadle_parameter_info, name) == 32);

namespace treadle::capi {

/// A kernel of an image file on its device.
struct LoadedKernel {
  ChosenKernel chosen;
  std::vector<std::shared_ptr<Kernel>> kernels; ///< of `chosen.images`
};

struct ImageObject final : Object {
  static constexpr HandleKind kind = HandleKind::Image;
  using Handle = treadle_image;
  explicit ImageObject(DeviceContext &context) : context(context) {}
  DeviceContext &context;
  std::vector<LoadedKernel> kernels; ///< empty: raw
  std::shared_ptr<const std::string> code;
  std::shared_ptr<LoadedCode> loaded; ///< `code`, loaded on a device
};

namespace {

[[noreturn]] void failImage(const std::string &message) { throw ApiError(TREADLE_ERROR_IMAGE, message); }

std::string bytesOf(const treadle_image_source &source) {
  if (source.data && source.path)
    failArgument("source has data and path: one of them must be NULL");
  if (source.path) {
    std::string bytes;
    if (const std::string why = readFile(source.path, bytes); !why.empty())
      throw ApiError(TREADLE_ERROR_NOT_FOUND, "cannot read " + std::string(source.path) + ": " + why);
    return bytes;
  }
  const auto *const data = static_cast<const char *>(source.data);
  return {&required(data, "source.data"), source.bytes};
}

uint32_t formatOf(std::string_view bytes) {
  constexpr std::string_view elf = "\177ELF", fatBinary = "\x50\xed\x55\xba";
  if (bytes.starts_with("treadle image"))
    return TREADLE_FORMAT_IMAGE;
  return bytes.starts_with(elf) || bytes.starts_with(fatBinary) ? TREADLE_FORMAT_CUBIN : TREADLE_FORMAT_PTX;
}

void checkCaptured(const Image &image) {
  for (const CapturedDeviceArray &array : image.captured)
    if (!array.name.empty())
      throw ApiError(TREADLE_ERROR_UNSUPPORTED, "the kernel has captured the device array '" + array.name +
                                                    "', which only its own process has: make it a parameter");
}

std::vector<ChosenKernel> kernelsIn(const std::string &bytes, const Target &own) {
  std::vector<ChosenKernel> kernels;
  try {
    kernels = chosenKernels(readImages(bytes), own);
  } catch (const UsageError &error) {
    failImage(error.what());
  }
  if (kernels.empty())
    failImage("the file has no images");
  for (const ChosenKernel &kernel : kernels)
    checkCaptured(*kernel.images.front());
  return kernels;
}

/// The driver's errors for code that it rejects: CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX,
/// UNSUPPORTED_PTX_VERSION, INVALID_SOURCE.
bool isOfCode(CudaResult result) {
  constexpr int numbers[] = {200, 209, 218, 222, 300};
  return std::ranges::find(numbers, int(result)) != std::end(numbers);
}

LoadedKernel loadedKernel(Device &device, ChosenKernel chosen) {
  LoadedKernel loaded{std::move(chosen), {}};
  for (const std::shared_ptr<const Image> &image : loaded.chosen.images) {
    loaded.kernels.push_back(device.code().load(image, {})->kernel());
    loaded.kernels.back()->title = loaded.chosen.name;
  }
  return loaded;
}

void load(ImageObject &object, std::string bytes, uint32_t format) {
  Device &device = *object.context.device;
  if (format == TREADLE_FORMAT_IMAGE) {
    for (ChosenKernel &kernel : kernelsIn(bytes, device.target()))
      object.kernels.push_back(loadedKernel(device, std::move(kernel)));
    return;
  }
  object.code = std::make_shared<const std::string>(std::move(bytes));
  object.loaded = foreignCodeOf(device).loadCode(*object.code);
}

treadle_image newImage(DeviceContext &context, const treadle_image_source &source) {
  std::string bytes = bytesOf(source);
  const uint32_t told = formatOf(bytes);
  if (source.format > TREADLE_FORMAT_CUBIN)
    failArgument(fmt::format("source.format is {}; it must be one of TREADLE_FORMAT_*", source.format));
  if (source.format != TREADLE_FORMAT_ANY && source.format != told)
    failImage("the bytes are not in the format that source.format names");
  auto object = std::make_unique<ImageObject>(context);
  try {
    load(*object, std::move(bytes), told);
  } catch (const DeviceError &error) {
    if (isOfCode(error.result()))
      throw ApiError(TREADLE_ERROR_IMAGE, error.what(), int32_t(error.result()));
    throw;
  }
  return handleOf(std::move(object));
}

[[noreturn]] void failKernel(const std::string &name) {
  throw ApiError(TREADLE_ERROR_NOT_FOUND, "the image has no kernel '" + name.substr(0, 256) + "'");
}

const LoadedKernel &kernelNamed(const ImageObject &image, const char *name) {
  if (name) {
    const auto found =
        std::ranges::find(image.kernels, std::string_view(name),
                          [](const LoadedKernel &one) -> const std::string & { return one.chosen.name; });
    if (found == image.kernels.end())
      failKernel(name);
    return *found;
  }
  if (image.kernels.size() == 1)
    return image.kernels.front();
  std::string names;
  for (const LoadedKernel &one : image.kernels)
    names += (names.empty() ? "" : ", ") + one.chosen.name;
  throw ApiError(TREADLE_ERROR_NOT_FOUND, "name is NULL, and the image has several kernels: " + names);
}

/// A chain from the code that assumes most to the code that assumes least.
std::unique_ptr<KernelObject> kernelIn(const ImageObject &image, const char *name) {
  const LoadedKernel &loaded = kernelNamed(image, name);
  auto made = std::make_unique<KernelObject>(image.context, loaded.chosen.name);
  for (size_t i = loaded.kernels.size(); i-- > 0;)
    made->code = std::make_shared<KernelCode>(
        image.context, KernelCode::Source{loaded.chosen.images[i], loaded.kernels[i], loaded.chosen.parameters},
        made->code);
  const Image &least = *loaded.chosen.images.back();
  made->signature = least.signature.name();
  made->target = targetText(least.target);
  made->facts = factsText(least.facts);
  return made;
}

std::unique_ptr<KernelObject> rawKernelIn(const ImageObject &image, const char *name) {
  const std::string entry = &required(name, "name");
  try {
    image.loaded->function(entry);
  } catch (const DeviceError &error) {
    constexpr int notFound = 500; // CUDA_ERROR_NOT_FOUND
    if (int(error.result()) == notFound)
      failKernel(entry);
    throw;
  }
  auto made = std::make_unique<KernelObject>(image.context, entry);
  made->raw = std::make_unique<RawCode>(image.context, image.code, entry);
  made->target = targetText(image.context.device->target());
  return made;
}

void fillParameter(const Parameter &from, treadle_parameter_info &info) {
  constexpr uint32_t kinds[] = {TREADLE_PARAMETER_NONE, TREADLE_PARAMETER_NUMBER, TREADLE_PARAMETER_ARRAY,
                                TREADLE_PARAMETER_OPTIONAL, TREADLE_PARAMETER_UNKNOWN};
  info.kind = kinds[size_t(from.kind)];
  info.type = from.text.c_str();
  info.name = from.name.c_str();
  const bool isArray = from.kind == Parameter::Kind::Array;
  const Type *const element = isArray || from.kind == Parameter::Kind::Optional ? from.type->element() : from.type;
  const dlpack::DataType type = tensorTypeOf(element).value_or(dlpack::DataType{TREADLE_CODE_DESCR, 0, 0});
  info.code = type.code;
  info.bits = type.bits;
  info.lanes = type.lanes;
  if (!isArray)
    return;
  info.ndim = int32_t(from.type->ndim());
  info.layout = from.type->layout() == Layout::C   ? TREADLE_LAYOUT_C
                : from.type->layout() == Layout::F ? TREADLE_LAYOUT_F
                                                   : TREADLE_LAYOUT_ANY;
  info.writes = from.writes;
}

treadle_kernel_info infoOf(const KernelObject &kernel) {
  treadle_kernel_info info{};
  info.name = kernel.name.c_str();
  info.signature = kernel.signature.c_str();
  info.target = kernel.target.c_str();
  info.facts = kernel.facts.c_str();
  if (!kernel.code) {
    info.flags = TREADLE_KERNEL_RAW;
    return info;
  }
  const Image &image = *kernel.code->variant.image;
  const KernelAttributes has = kernel.code->variant.kernel->attributes();
  info.flags = image.isCooperative ? TREADLE_KERNEL_COOPERATIVE : 0;
  info.parameters = uint32_t(kernel.code->parameters.size());
  info.parameter_bytes = image.parameters.size;
  info.shared_bytes = image.sharedBytes;
  info.local_bytes = image.localBytes;
  info.registers = has.registers;
  info.max_threads = has.maxThreads;
  return info;
}

} // namespace

} // namespace treadle::capi

treadle_status treadle_image_load(treadle_device device, const treadle_image_source *source, treadle_image *image) {
  return call(__func__, [&] {
    DeviceContext &context = found<DeviceObject>(device, "device").context;
    treadle_image &to = required(image, "image");
    to = newImage(context, readStruct(source, "source"));
  });
}

treadle_status treadle_image_free(treadle_image image) {
  return call(__func__, [&] { freeHandle<ImageObject>(image, "image"); });
}

treadle_status treadle_image_kernel(treadle_image image, const char *name, treadle_kernel *kernel) {
  return call(__func__, [&] {
    const ImageObject &known = found<ImageObject>(image, "image");
    treadle_kernel &to = required(kernel, "kernel");
    to = handleOf(!known.kernels.empty() ? kernelIn(known, name) : rawKernelIn(known, name));
  });
}

treadle_status treadle_kernel_free(treadle_kernel kernel) {
  return call(__func__, [&] { freeHandle<KernelObject>(kernel, "kernel"); });
}

treadle_status treadle_kernel_get_info(treadle_kernel kernel, treadle_kernel_info *info) {
  return call(__func__, [&] {
    const KernelObject &known = found<KernelObject>(kernel, "kernel");
    checkedSize(info, "info");
    writeStruct(info, infoOf(known));
  });
}

treadle_status treadle_kernel_parameter(treadle_kernel kernel, uint32_t index, treadle_parameter_info *info) {
  return call(__func__, [&] {
    const KernelObject &known = found<KernelObject>(kernel, "kernel");
    checkedSize(info, "info");
    const size_t count = known.code ? known.code->parameters.size() : 0;
    if (index >= count)
      throw ApiError(TREADLE_ERROR_NOT_FOUND,
                     fmt::format("index is {}{}", index,
                                 known.code ? fmt::format(", and the kernel has {} parameters", count)
                                            : ", and the parameters of PTX and binaries are unknown"));
    treadle_parameter_info filled{};
    fillParameter(known.code->parameters[index], filled);
    writeStruct(info, filled);
  });
}
