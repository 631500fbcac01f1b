// Serialised entries, and their keys.
#include "runtime/code_cache.h"

#include "border/generate_request.h"
#include "border/image.h"
#include "border/image_file.h"
#include "border/libdevice_file.h"
#include "runtime/notebook_cells.h"
#include "support/error.h"

#include <algorithm>
#include <tuple>

namespace treadle {

constexpr auto fieldsOf(const RowArrays *) { return std::tuple(&RowArrays::positions, &RowArrays::useful); }
constexpr auto fieldsOf(const LaneAxes *) { return std::tuple(&LaneAxes::preferred, &LaneAxes::spansBlocks); }
constexpr auto fieldsOf(const WantedFacts *) {
  return std::tuple(&WantedFacts::rows, &WantedFacts::lanes, &WantedFacts::tables);
}

namespace {

/// Programs of one key that differ in what names mean; most recently used first.
constexpr size_t mostPrograms = 16;
constexpr const char *entryText = "an entry of the code cache";

struct KeptProgram {
  std::vector<RecordedQuestion> questions;
  const Type *result = nullptr;
  std::vector<std::string> warnings;
  std::vector<uint32_t> pointers; ///< InferResult::capturedPointers, by their indices in RecordedNames::devicePointers
  WantedFacts wanted;
};
constexpr auto fieldsOf(const KeptProgram *) {
  return std::tuple(&KeptProgram::questions, &KeptProgram::result, &KeptProgram::warnings, &KeptProgram::pointers,
                    &KeptProgram::wanted);
}

std::string bytesOf(const std::vector<KeptProgram> &programs) {
  FieldWriter writer;
  writer(programs);
  return std::move(writer.bytes);
}

std::vector<KeptProgram> programsIn(DiskStore &store, std::string_view key) {
  std::vector<KeptProgram> programs;
  const std::optional<std::string> entry = store.find(key);
  if (!entry)
    return programs;
  try {
    FieldReader reader(*entry, entryText);
    reader(programs);
    return programs;
  } catch (const UsageError &) {
    store.remove(key);
    return {};
  }
}

/// A hash of the key, which stands for the request, and of all answers.
std::string identityOf(std::string_view key, const RecordedNames &names) {
  FieldWriter all;
  all(std::string(key));
  all(names.questions());
  const Digest digest = digestOf(all.bytes);
  return {reinterpret_cast<const char *>(digest.data()), sizeof digest};
}

/// Types that contain a handle are process-local.
bool isOfAnyProcess(const Type *type) {
  if (!type)
    return true;
  const bool hasClass = type->isTuple() && type->handle() != 0;
  return type->isRuntime() && !hasClass && isOfAnyProcess(type->element()) &&
         std::ranges::all_of(type->items(), isOfAnyProcess);
}

/// The keys of cells omit the process's number, so the entries must not contain it either, in locations in messages and
/// debug information.
bool namesCells(std::string_view text) { return text.find(cellFolder()) != std::string_view::npos; }

std::optional<KeptProgram> kept(const RecordedNames &names, const InferResult &result) {
  if (!names.isComplete() || !isOfAnyProcess(result.result) || std::ranges::any_of(result.warnings, namesCells))
    return std::nullopt;
  KeptProgram program{names.questions(), result.result, result.warnings, {}, result.wanted};
  const std::vector<uint64_t> &known = names.devicePointers();
  for (const uint64_t pointer : result.capturedPointers) {
    const auto place = std::ranges::find(known, pointer);
    if (place == known.end())
      return std::nullopt;
    program.pointers.push_back(uint32_t(place - known.begin()));
  }
  return program;
}

std::optional<KnownProgram> known(const KeptProgram &program, const RecordedNames &names) {
  KnownProgram found;
  found.result.result = program.result;
  found.result.warnings = program.warnings;
  found.result.wanted = program.wanted;
  for (const uint32_t place : program.pointers) {
    if (place >= names.devicePointers().size())
      return std::nullopt;
    found.result.capturedPointers.push_back(names.devicePointers()[place]);
  }
  return found;
}

} // namespace

CodeCache::CodeCache() : CodeCache(codeCachePlace("programs"), codeCachePlace("images")) {}
CodeCache::CodeCache(DiskStore::Place programs, DiskStore::Place images)
    : programs(std::move(programs)), images(std::move(images)) {}

std::string CodeCache::keyOf(const ProgramRequest &request, RecordedNames &names) {
  const std::string source = names.sourceKey(names.root());
  if (source.empty() || request.makers.empty())
    return {};
  FieldWriter key(names.handles());
  key(request.makers);
  key(source);
  key(request.rules);
  key(request.isKernel);
  key(request.debug);
  key(request.signature);
  key(names.questions()); // the closure's values, if asked for: each closure has its own entries
  return std::move(key.bytes);
}

std::optional<KnownProgram> CodeCache::findProgram(std::string_view key, RecordedNames &names) {
  if (key.empty())
    return std::nullopt;
  for (const KeptProgram &program : programsIn(programs, key)) {
    if (!names.gives(program.questions))
      continue;
    std::optional<KnownProgram> found = known(program, names);
    if (found)
      found->identity = identityOf(key, names);
    return found;
  }
  return std::nullopt;
}

std::string CodeCache::putProgram(std::string_view key, RecordedNames &names, const InferResult &result) {
  std::optional<KeptProgram> program = key.empty() ? std::nullopt : kept(names, result);
  if (!program)
    return {};
  programs.putLater(std::string(key), [this, key = std::string(key), program = std::move(*program)] {
    std::vector<KeptProgram> all{program};
    for (KeptProgram &other : programsIn(programs, key))
      if (all.size() < mostPrograms && other.questions != program.questions)
        all.push_back(std::move(other));
    return bytesOf(all);
  });
  return identityOf(key, names);
}

/// libdevice may be linked into PTX, so it is part of the key.
Digest CodeCache::libdevice() {
  std::call_once(readingLibdevice, [this] {
    const std::string path = libdevicePath();
    libdeviceDigest = digestOf(path.empty() ? std::string() : libdeviceBytes(path));
  });
  return libdeviceDigest;
}

std::string CodeCache::imageKey(std::string_view identity, const GenerateRequest &request) {
  FieldWriter key;
  key(std::string(identity));
  key(request.target);
  key(request.facts);
  key(request.options);
  if (request.target.kind == Target::Kind::Ptx)
    key(libdevice());
  return std::move(key.bytes);
}

std::shared_ptr<const Image> CodeCache::findImage(std::string_view identity, RecordedNames &names,
                                                  const GenerateRequest &request) {
  if (identity.empty())
    return nullptr;
  const std::string key = imageKey(identity, request);
  const std::optional<std::string> entry = images.find(key);
  if (!entry)
    return nullptr;
  try {
    FieldReader reader(*entry, entryText);
    std::vector<uint32_t> classes;
    reader(classes);
    auto image = std::make_shared<Image>(readImage(reader.unread()));
    if (classes.size() != image->raises.size())
      reader.refuse("it has other exceptions");
    for (size_t i = 0; i < classes.size(); ++i) {
      const uint64_t *handle = names.handles().handleOf(classes[i]);
      if (!handle)
        reader.refuse("it has unknown classes");
      image->raises[i].exceptionHandle = *handle;
    }
    return image;
  } catch (const UsageError &) {
    images.remove(key);
    return nullptr;
  }
}

void CodeCache::putImage(std::string_view identity, RecordedNames &names, const GenerateRequest &request,
                         std::shared_ptr<const Image> image) {
  if (identity.empty())
    return;
  std::vector<uint32_t> classes;
  for (const RaisedError &raised : image->raises)
    classes.push_back(names.handles().numberOf(raised.exceptionHandle));
  images.putLater(imageKey(identity, request), [classes = std::move(classes), image = std::move(image)] {
    FieldWriter entry;
    entry(classes);
    entry.bytes += imageBytes(*image);
    return namesCells(entry.bytes) ? std::string() : std::move(entry.bytes);
  });
}

} // namespace treadle
