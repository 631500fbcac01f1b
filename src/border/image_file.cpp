// The format: magic, build id, a hash of the rest, the fields. `describe` lists each structure's fields once, for both
// writing and reading.
#include "border/image_file.h"

#include "support/build_id.h"
#include "support/error.h"
#include "support/hash.h"

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace treadle {

namespace {

constexpr std::string_view magic = "treadle image 1\n";

[[noreturn]] void refuse(const std::string &why) {
  throw UsageError(UsageError::Kind::Value, "not an image that can be loaded: " + why);
}

template <class T> constexpr bool isPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The fields of each structure, in the order in which they are written and read.

constexpr auto fieldsOf(const Target *) {
  return std::tuple(&Target::kind, &Target::computeCapability, &Target::features, &Target::largeArrayBytes,
                    &Target::lanes, &Target::libdevice);
}
constexpr auto fieldsOf(const Signature *) { return std::tuple(&Signature::arguments, &Signature::result); }
constexpr auto fieldsOf(const Facts *) {
  return std::tuple(&Facts::offsetsFitInt32, &Facts::gridFitsInt32, &Facts::noOverlap, &Facts::aligned16,
                    &Facts::blockClass, &Facts::fullWarps, &Facts::rows);
}
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
constexpr auto fieldsOf(const FunctionSource *) { return std::tuple(&FunctionSource::function, &FunctionSource::file); }
constexpr auto fieldsOf(const CapturedDeviceArray *) {
  return std::tuple(&CapturedDeviceArray::name, &CapturedDeviceArray::type, &CapturedDeviceArray::shape,
                    &CapturedDeviceArray::strides);
}
constexpr auto fieldsOf(const CpuEntry *) {
  return std::tuple(&CpuEntry::contextBytes, &CpuEntry::stackBytes, &CpuEntry::spansBlocks, &CpuEntry::hasSafepoints,
                    &CpuEntry::blocksWait, &CpuEntry::usesFibers, &CpuEntry::prints, &CpuEntry::fallbacks);
}
/// All but the stages, which are for human readers.
constexpr auto fieldsOf(const Image *) {
  return std::tuple(&Image::target, &Image::signature, &Image::facts, &Image::entry, &Image::code, &Image::parameters,
                    &Image::sharedBytes, &Image::localBytes, &Image::registers, &Image::isCooperative,
                    &Image::usesClusters, &Image::sharedCarveout, &Image::allocates, &Image::recurses, &Image::raises,
                    &Image::sources, &Image::captured, &Image::writes, &Image::cpu);
}

class Writer {
public:
  std::string bytes;

  template <class T>
    requires isPlain<T>
  void operator()(const T &value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void operator()(const std::string &text) {
    (*this)(uint64_t(text.size()));
    bytes += text;
  }
  template <class T> void operator()(const std::vector<T> &items) {
    (*this)(uint64_t(items.size()));
    for (const T &item : items)
      (*this)(item);
  }
  void operator()(const std::vector<bool> &bits) { (*this)(std::vector<uint8_t>(bits.begin(), bits.end())); }
  void operator()(const std::map<std::string, uint32_t> &counts) {
    (*this)(uint64_t(counts.size()));
    for (const auto &[key, count] : counts) {
      (*this)(key);
      (*this)(count);
    }
  }
  void operator()(const Type *type);
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T &value) {
    std::apply([&](auto... fields) { ((*this)(value.*fields), ...); }, fieldsOf(&value));
  }

private:
  void field(const RecordField &field) {
    (*this)(std::string(field.name));
    (*this)(field.type);
    (*this)(field.offset);
    (*this)(std::vector<int64_t>(field.shape.begin(), field.shape.end()));
  }
};

/// Never reads beyond the bytes it was constructed with.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  template <class T>
    requires isPlain<T>
  void operator()(T &value) {
    const std::string_view from = take(sizeof value);
    std::memcpy(&value, from.data(), from.size());
  }
  void operator()(bool &value) { value = take(1).front() != 0; }
  void operator()(std::string &text) { text = take(length(1)); }
  template <class T> void operator()(std::vector<T> &items) {
    items.resize(length(1));
    for (T &item : items)
      (*this)(item);
  }
  void operator()(std::vector<bool> &bits) {
    std::vector<uint8_t> bytes;
    (*this)(bytes);
    bits.assign(bytes.begin(), bytes.end());
  }
  void operator()(std::map<std::string, uint32_t> &counts) {
    for (size_t left = length(1); left > 0; --left) {
      std::string key;
      (*this)(key);
      (*this)(counts[key]);
    }
  }
  void operator()(const Type *&type) { type = readType(); }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T &value) {
    std::apply([&](auto... fields) { ((*this)(value.*fields), ...); }, fieldsOf(&value));
  }
  std::string_view unread() const { return rest; }

private:
  std::string_view take(size_t count) {
    if (count > rest.size())
      refuse("it is cut short");
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(count);
    return taken;
  }
  /// A count of items that take at least `least` bytes each.
  size_t length(size_t least) {
    uint64_t count;
    (*this)(count);
    if (count > rest.size() / least)
      refuse("it is cut short");
    return size_t(count);
  }
  template <class T> T read() {
    T value{};
    (*this)(value);
    return value;
  }
  const Type *readType();
  const Type *readArray();
  const Type *readTuple();
  const Type *readRecord();
  const Type *readOpaque();

  std::string_view rest;
  unsigned depth = 0;
};

void Writer::operator()(const Type *type) {
  (*this)(type != nullptr);
  if (!type)
    return;
  (*this)(type->kind());
  switch (type->kind()) {
  case TypeKind::None:
  case TypeKind::Bool:
    return;
  case TypeKind::Int:
    (*this)(type->isSigned());
    return (*this)(type->bits());
  case TypeKind::Float:
  case TypeKind::Complex:
    return (*this)(type->bits());
  case TypeKind::Array:
    (*this)(type->element());
    (*this)(type->ndim());
    (*this)(type->layout());
    (*this)(type->isReadOnly());
    (*this)(type->space());
    return (*this)(type->isUnaligned());
  case TypeKind::Optional:
    return (*this)(type->element());
  case TypeKind::Tuple:
    (*this)(std::vector<const Type *>(type->items().begin(), type->items().end()));
    (*this)(std::vector<std::string>(type->itemNames().begin(), type->itemNames().end()));
    return (*this)(std::string(type->text()));
  case TypeKind::Record:
    (*this)(type->bytes());
    (*this)(uint64_t(type->fields().size()));
    for (const RecordField &one : type->fields())
      field(one);
    return;
  case TypeKind::Opaque:
    (*this)(std::string(type->text()));
    (*this)(type->bytes());
    return (*this)(type->alignment());
  default:
    TREADLE_CHECK(type->isRuntime());
  }
}

const Type *Reader::readType() {
  if (!read<bool>())
    return nullptr;
  if (++depth > 64)
    refuse("its types are nested too deeply");
  const auto kind = read<TypeKind>();
  const Type *type = nullptr;
  switch (kind) {
  case TypeKind::None:
    type = types::none();
    break;
  case TypeKind::Bool:
    type = types::boolean();
    break;
  case TypeKind::Int: {
    const bool isSigned = read<bool>();
    const auto bits = read<unsigned>();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
      refuse("it has integers of " + std::to_string(bits) + " bits");
    type = types::integer(bits, isSigned);
    break;
  }
  case TypeKind::Float:
  case TypeKind::Complex: {
    const auto bits = read<unsigned>();
    const unsigned part = kind == TypeKind::Complex ? bits / 2 : bits;
    if (part != 16 && part != 32 && part != 64)
      refuse("it has floats of " + std::to_string(bits) + " bits");
    type = kind == TypeKind::Complex ? types::complex(bits) : types::floating(bits);
    break;
  }
  case TypeKind::Array:
    type = readArray();
    break;
  case TypeKind::Optional:
    if (const Type *value = readType())
      type = types::optional(value);
    break;
  case TypeKind::Tuple:
    type = readTuple();
    break;
  case TypeKind::Record:
    type = readRecord();
    break;
  case TypeKind::Opaque:
    type = readOpaque();
    break;
  default:
    break;
  }
  if (!type)
    refuse("it has a type that no image can have");
  --depth;
  return type;
}

const Type *Reader::readArray() {
  const Type *element = readType();
  types::ArrayShape shape;
  shape.ndim = read<unsigned>();
  shape.layout = read<Layout>();
  shape.readOnly = read<bool>();
  shape.space = read<Space>();
  shape.isUnaligned = read<bool>();
  if (!element || shape.ndim > 64 || shape.layout > Layout::Any || shape.space > Space::Generic)
    return nullptr;
  return types::array(element, shape);
}

const Type *Reader::readTuple() {
  const auto items = read<std::vector<const Type *>>();
  const auto names = read<std::vector<std::string>>();
  const auto className = read<std::string>();
  if (names.empty())
    return types::tuple(items);
  if (names.size() != items.size())
    return nullptr;
  // The class handle belongs to the process that wrote the image.
  return types::namedTuple(0, className, items, std::vector<std::string_view>(names.begin(), names.end()));
}

const Type *Reader::readOpaque() {
  const auto dtype = read<std::string>();
  const auto bytes = read<unsigned>();
  const auto alignment = read<unsigned>();
  const bool isPowerOf2 = alignment != 0 && (alignment & (alignment - 1)) == 0;
  return isPowerOf2 && alignment <= 16 ? types::opaque(dtype, bytes, alignment) : nullptr;
}

const Type *Reader::readRecord() {
  const auto bytes = read<unsigned>();
  struct Owned {
    std::string name;
    std::vector<int64_t> shape;
  };
  std::vector<Owned> owned(length(1));
  std::vector<RecordField> fields;
  for (Owned &own : owned) {
    RecordField field;
    own.name = read<std::string>();
    field.type = readType();
    field.offset = read<uint32_t>();
    own.shape = read<std::vector<int64_t>>();
    field.name = own.name;
    field.shape = own.shape;
    if (!field.type)
      return nullptr;
    fields.push_back(field);
  }
  return types::record(fields, bytes);
}

} // namespace

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
  Writer fields;
  fields(image);
  Writer file;
  file.bytes = magic;
  file(std::string(ownBuildId));
  file(hashBytes(fields.bytes));
  return file.bytes + fields.bytes;
}

Image readImage(std::string_view bytes) {
  if (!bytes.starts_with(magic))
    refuse("it does not begin as one");
  bytes.remove_prefix(magic.size());
  Reader file(bytes);
  std::string build;
  uint64_t hash;
  file(build);
  if (build != ownBuildId)
    refuse("it was written by another build of Treadle");
  file(hash);
  if (hash != hashBytes(file.unread()))
    refuse("it is damaged");
  Image image;
  file(image);
  if (!file.unread().empty())
    refuse("something follows it");
  return image;
}

} // namespace treadle
