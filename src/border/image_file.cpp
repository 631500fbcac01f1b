// The format: magic, interface number, a hash of the rest, the build id for human readers, the fields. For the encoding
// of fields, see border/field_bytes.h.
#include "border/image_file.h"

#include "border/field_bytes.h"
#include "support/error.h"
#include "support/files/build_id.h"
#include "support/hash.h"

#include <fmt/core.h>
#include <string>
#include <tuple>

namespace treadle {

namespace {

constexpr std::string_view magic = "treadle image 1\n";

constexpr const char *wanted = "an image that can be loaded";

} // namespace

// The fields of each structure, in the order in which they are written and read.

constexpr auto fieldsOf(const ParameterLeaf *) {
  return std::tuple(&ParameterLeaf::source, &ParameterLeaf::argument, &ParameterLeaf::index, &ParameterLeaf::bytes,
                    &ParameterLeaf::offset);
}
constexpr auto fieldsOf(const ParameterLayout *) {
  return std::tuple(&ParameterLayout::leaves, &ParameterLayout::size);
}
constexpr auto fieldsOf(const RaisedError *) {
  return std::tuple(&RaisedError::exceptionClass, &RaisedError::qualifiedClass, &RaisedError::arguments);
}
template <> inline constexpr size_t unwrittenMembers<RaisedError> = 1; // the handle
constexpr auto fieldsOf(const FunctionSource *) { return std::tuple(&FunctionSource::function, &FunctionSource::file); }
constexpr auto fieldsOf(const CapturedDeviceArray *) {
  return std::tuple(&CapturedDeviceArray::name, &CapturedDeviceArray::type, &CapturedDeviceArray::shape,
                    &CapturedDeviceArray::strides);
}
constexpr auto fieldsOf(const CpuCode *) {
  return std::tuple(&CpuCode::layout, &CpuCode::debug, &CpuCode::contextBytes, &CpuCode::stackBytes,
                    &CpuCode::spansBlocks, &CpuCode::hasSafepoints, &CpuCode::blocksWait, &CpuCode::usesFibers,
                    &CpuCode::prints, &CpuCode::fallbacks);
}
constexpr auto fieldsOf(const PtxCode *) { return std::tuple(&PtxCode::sharedCarveout); }
constexpr auto fieldsOf(const CodeFixup *) {
  return std::tuple(&CodeFixup::offset, &CodeFixup::symbol, &CodeFixup::addend);
}
constexpr auto fieldsOf(const LinkedLayout *) {
  return std::tuple(&LinkedLayout::bytes, &LinkedLayout::entry, &LinkedLayout::symbolsVersion, &LinkedLayout::fixups);
}
template <> inline constexpr size_t unwrittenMembers<LinkedLayout> = std::size(LinkedLayout().bytes) - 1;
constexpr auto fieldsOf(const DebugObject::Section *) {
  return std::tuple(&DebugObject::Section::index, &DebugObject::Section::offset);
}
constexpr auto fieldsOf(const DebugObject *) { return std::tuple(&DebugObject::object, &DebugObject::sections); }
/// All but the stages, which are for human readers.
constexpr auto fieldsOf(const Image *) {
  return std::tuple(&Image::target, &Image::signature, &Image::facts, &Image::entry, &Image::code, &Image::details,
                    &Image::parameters, &Image::sharedBytes, &Image::localBytes, &Image::isCooperative,
                    &Image::usesClusters, &Image::maxThreads, &Image::maxClusterBlocks, &Image::allocates,
                    &Image::recurses, &Image::raises, &Image::sources, &Image::captured, &Image::writes);
}
template <> inline constexpr size_t unwrittenMembers<Image> = 1; // the stages

namespace {

/// Another process can find a class only by its module and name.
void checkRaised(const RaisedError &raised) {
  const bool isLocal = raised.qualifiedClass.find("<locals>") != std::string::npos;
  if (isLocal || (raised.exceptionHandle != 0 && raised.qualifiedClass.empty()))
    throw UsageError(UsageError::Kind::Value,
                     "the kernel raises " + raised.exceptionClass +
                         ", a class that is local to a function: another process could not find it; define it at the "
                         "top level of a module");
}

std::string fileOf(const std::string &fields) {
  FieldWriter named, file;
  named(std::string(ownBuildId));
  file.bytes = magic;
  file(imageInterface);
  file(hashBytes(fields, hashBytes(named.bytes)));
  return file.bytes + named.bytes + fields;
}

void write(FieldWriter &fields, const std::string &kernel, const std::vector<std::string> &parameters,
           const Image &image) {
  fields(kernel);
  fields(parameters);
  fields(image);
}

} // namespace

std::string writeImages(const std::vector<FiledImage> &images) {
  FieldWriter fields;
  fields(uint64_t(images.size()));
  for (const FiledImage &one : images) {
    for (const RaisedError &raised : one.image.raises)
      checkRaised(raised);
    write(fields, one.kernel, one.parameters, one.image);
  }
  return fileOf(fields.bytes);
}

std::string imageBytes(const Image &image) {
  FieldWriter fields;
  fields(uint64_t(1));
  write(fields, image.entry, {}, image);
  return fileOf(fields.bytes);
}

std::string writeImage(const Image &image) {
  for (const RaisedError &raised : image.raises)
    checkRaised(raised);
  return imageBytes(image);
}

namespace {

/// A reader of the fields, after the file was verified.
FieldReader opened(std::string_view bytes) {
  FieldReader file(bytes.substr(bytes.starts_with(magic) ? magic.size() : 0), wanted);
  if (!bytes.starts_with(magic))
    file.refuse("it does not begin as one");
  uint32_t interface;
  uint64_t hash;
  file(interface);
  if (interface != imageInterface)
    file.refuse(fmt::format("its interface to the library has the number {}, this library's has {}: compile it again",
                            interface, imageInterface));
  file(hash);
  const std::string_view all = file.unread();
  std::string build;
  file(build);
  const std::string_view named = all.substr(0, all.size() - file.unread().size());
  if (hash != hashBytes(file.unread(), hashBytes(named)))
    file.refuse("it is damaged");
  return file;
}

} // namespace

std::vector<FiledImage> readImages(std::string_view bytes) {
  FieldReader file = opened(bytes);
  std::vector<FiledImage> images(file.length(1));
  for (FiledImage &one : images) {
    file(one.kernel);
    file(one.parameters);
    file(one.image);
    const CpuCode *const machine = std::get_if<CpuCode>(&one.image.details);
    if ((machine != nullptr) != (one.image.target.kind == Target::Kind::Cpu))
      file.refuse("its code is not of its target's kind");
    if (const char *flaw = machine ? machine->layout.flaw(one.image.code.size()) : nullptr)
      file.refuse(flaw);
  }
  if (!file.unread().empty())
    file.refuse("something follows it");
  return images;
}

Image readImage(std::string_view bytes) {
  std::vector<FiledImage> images = readImages(bytes);
  if (images.size() != 1)
    FieldReader(bytes, wanted).refuse(fmt::format("it has {} images", images.size()));
  return std::move(images.front().image);
}

} // namespace treadle
