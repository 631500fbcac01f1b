// The format: magic, build id, a hash of the rest, the fields. See border/field_bytes.h for how fields are written.
#include "border/image_file.h"

#include "border/field_bytes.h"
#include "support/build_id.h"
#include "support/error.h"
#include "support/hash.h"

#include <string>
#include <tuple>

namespace treadle {

static constexpr std::string_view magic = "treadle image 1\n";

static constexpr const char *wanted = "an image that can be loaded";

// The fields of each structure, in the order in which they are written and read.

static constexpr auto fieldsOf(const ParameterLeaf *) {
  return std::tuple(&ParameterLeaf::source, &ParameterLeaf::argument, &ParameterLeaf::index, &ParameterLeaf::bytes,
                    &ParameterLeaf::offset);
}
static constexpr auto fieldsOf(const ParameterLayout *) {
  return std::tuple(&ParameterLayout::leaves, &ParameterLayout::size);
}
static constexpr auto fieldsOf(const RaisedError *) {
  return std::tuple(&RaisedError::exceptionClass, &RaisedError::qualifiedClass, &RaisedError::arguments);
}
static constexpr auto fieldsOf(const FunctionSource *) {
  return std::tuple(&FunctionSource::function, &FunctionSource::file);
}
static constexpr auto fieldsOf(const CapturedDeviceArray *) {
  return std::tuple(&CapturedDeviceArray::name, &CapturedDeviceArray::type, &CapturedDeviceArray::shape,
                    &CapturedDeviceArray::strides);
}
static constexpr auto fieldsOf(const CpuEntry *) {
  return std::tuple(&CpuEntry::contextBytes, &CpuEntry::stackBytes, &CpuEntry::spansBlocks, &CpuEntry::hasSafepoints,
                    &CpuEntry::blocksWait, &CpuEntry::usesFibers, &CpuEntry::prints, &CpuEntry::fallbacks);
}
static constexpr auto fieldsOf(const CodeFixup *) {
  return std::tuple(&CodeFixup::offset, &CodeFixup::symbol, &CodeFixup::addend);
}
static constexpr auto fieldsOf(const LinkedLayout *) {
  return std::tuple(&LinkedLayout::bytes, &LinkedLayout::entry, &LinkedLayout::symbolsVersion, &LinkedLayout::fixups);
}
static constexpr auto fieldsOf(const DebugObject::Section *) {
  return std::tuple(&DebugObject::Section::index, &DebugObject::Section::offset);
}
static constexpr auto fieldsOf(const DebugObject *) { return std::tuple(&DebugObject::object, &DebugObject::sections); }
/// All but the stages, which are for human readers.
static constexpr auto fieldsOf(const Image *) {
  return std::tuple(&Image::target, &Image::signature, &Image::facts, &Image::entry, &Image::code, &Image::layout,
                    &Image::debug, &Image::parameters, &Image::sharedBytes, &Image::localBytes, &Image::registers,
                    &Image::isCooperative, &Image::usesClusters, &Image::sharedCarveout, &Image::allocates,
                    &Image::recurses, &Image::raises, &Image::sources, &Image::captured, &Image::writes, &Image::cpu);
}

/// Another process finds a class by its module and name alone.
static void checkRaised(const RaisedError &raised) {
  const bool isLocal = raised.qualifiedClass.find("<locals>") != std::string::npos;
  if (isLocal || (raised.exceptionHandle != 0 && raised.qualifiedClass.empty()))
    throw UsageError(UsageError::Kind::Value,
                     "the kernel raises " + raised.exceptionClass +
                         ", a class that is local to a function: another process could not find it; define it at the "
                         "top level of a module");
}

std::string writeImage(const Image &image) {
  for (const RaisedError &raised : image.raises)
    checkRaised(raised);
  return imageBytes(image);
}

std::string imageBytes(const Image &image) {
  FieldWriter fields;
  fields(image);
  FieldWriter file;
  file.bytes = magic;
  file(std::string(ownBuildId));
  file(hashBytes(fields.bytes));
  return file.bytes + fields.bytes;
}

Image readImage(std::string_view bytes) {
  FieldReader file(bytes.substr(bytes.starts_with(magic) ? magic.size() : 0), wanted);
  if (!bytes.starts_with(magic))
    file.refuse("it does not begin as one");
  std::string build;
  uint64_t hash;
  file(build);
  if (build != ownBuildId)
    file.refuse("it was written by another build of Treadle");
  file(hash);
  if (hash != hashBytes(file.unread()))
    file.refuse("it is damaged");
  Image image;
  file(image);
  if (!file.unread().empty())
    file.refuse("something follows it");
  if (image.target.kind == Target::Kind::Cpu)
    if (const char *flaw = image.layout.flaw(image.code.size()))
      file.refuse(flaw);
  return image;
}

} // namespace treadle
