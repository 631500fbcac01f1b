// Prints captured arrays as PTX initialisers.
#include "codegen/ptx/captured_data.h"

#include "support/error.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace treadle::codegen::ptx {

using namespace llvm;

namespace {

/// Arrays up to this size are visible to LLVM, which folds loads from constant places. A copy of a larger one would
/// take longer than it can save.
constexpr size_t mostKnown = 65536;

constexpr unsigned alignment = 16;

/// The text before the name of a byte array in LLVM's output, up to its type.
constexpr std::string_view beforeType = ".align 16 ", byteType = ".b8 ";

/// Up to this size an array has its exact size in bytes, so that tools detect reads past its end.
constexpr size_t mostExact = 1024;

/// The size of an array in PTX, which has no empty arrays. ptxas takes ten times as long for bytes as for words, so all
/// but small arrays consist of words.
size_t paddedBytes(size_t bytes) { return bytes > mostExact ? size_t(alignTo(bytes, 8)) : std::max<size_t>(bytes, 1); }

template <typename Word> constexpr size_t mostDigits = std::numeric_limits<Word>::digits10 + 1;

/// Through a buffer, as arrays may have many megabytes. The last word may have fewer bytes: those that lack are zeros.
template <typename Word> void appendWords(std::string &text, std::span<const std::byte> bytes) {
  std::array<char, 4096> buffer;
  char *end = buffer.data(), *const last = buffer.data() + buffer.size() - mostDigits<Word> - 1;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, &bytes[at], std::min(sizeof word, bytes.size() - at));
    if (at)
      *end++ = ',';
    end = std::to_chars(end, buffer.data() + buffer.size(), word).ptr;
    if (end > last) {
      text.append(buffer.data(), end);
      end = buffer.data();
    }
  }
  text.append(buffer.data(), end);
}

/// Omitted trailing values are zero.
template <typename Word>
void appendDefinition(std::string &text, StringRef name, std::span<const std::byte> bytes, size_t padded) {
  text +=
      ".b" + std::to_string(sizeof(Word) * 8) + " " + name.str() + "[" + std::to_string(padded / sizeof(Word)) + "]";
  const auto zeros = std::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte(0); });
  const auto used = bytes.first(size_t(bytes.rend() - zeros));
  if (used.empty())
    return;
  text += " = {";
  appendWords<Word>(text, used);
  text += "}";
}

void appendDefinition(std::string &text, StringRef name, std::span<const std::byte> bytes) {
  const size_t padded = paddedBytes(bytes.size());
  if (padded % 8)
    appendDefinition<uint8_t>(text, name, bytes, padded);
  else
    appendDefinition<uint64_t>(text, name, bytes, padded);
}

/// An upper bound on the length of a definition.
size_t mostCharacters(StringRef name, std::span<const std::byte> bytes) {
  constexpr size_t byte = mostDigits<uint8_t> + 1, word = mostDigits<uint64_t> + 1;
  return name.size() + 64 + (bytes.size() > mostExact ? (bytes.size() / 8 + 1) * word : bytes.size() * byte);
}

} // namespace

/// Contents that LLVM does not see are undefined to it unless the variable counts as initialised from outside: it would
/// fold loads from it.
GlobalVariable *CapturedData::add(Module &module, std::span<const std::byte> bytes, unsigned addressSpace) {
  LLVMContext &context = module.getContext();
  auto *type = ArrayType::get(llvm::Type::getInt8Ty(context), paddedBytes(bytes.size()));
  const bool isKnown = bytes.size() <= mostKnown;
  Constant *contents = UndefValue::get(type);
  if (isKnown) {
    std::vector<uint8_t> padded(type->getNumElements());
    std::ranges::copy(std::span(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()), padded.begin());
    contents = ConstantDataArray::get(context, padded);
  }
  auto *variable = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage, contents, "captured", nullptr,
                                      GlobalValue::NotThreadLocal, addressSpace, /*isExternallyInitialized=*/!isKnown);
  variable->setAlignment(Align(alignment));
  arrays.push_back({variable, bytes});
  return variable;
}

/// What optimisation could learn from the contents it has learned by now; from here on they would only be printed.
void CapturedData::withhold() {
  for (Array &array : arrays) {
    auto *variable = cast_or_null<GlobalVariable>(array.variable);
    if (!variable)
      continue;
    variable->removeDeadConstantUsers();
    if (variable->use_empty()) {
      variable->eraseFromParent();
      continue;
    }
    variable->setInitializer(UndefValue::get(variable->getValueType()));
    // To LLVM its content is unknown, not undefined.
    variable->setExternallyInitialized(true);
  }
}

/// Text that looks like a declaration is one, as names of captured arrays occur nowhere else after `.align`. The check
/// finds a change of LLVM's format: an array without contents would go unnoticed until a kernel reads it.
std::string CapturedData::insertInto(std::string ptx) const {
  StringMap<std::span<const std::byte>> contents;
  size_t most = ptx.size();
  for (const Array &array : arrays)
    // A variable that passes have dropped has no declaration in the text.
    if (const auto *variable = cast_or_null<GlobalVariable>(array.variable)) {
      contents[variable->getName()] = array.bytes;
      most += mostCharacters(variable->getName(), array.bytes);
    }
  if (contents.empty())
    return ptx;
  std::string result;
  result.reserve(most);
  const StringRef text(ptx);
  size_t done = 0, inserted = 0;
  for (size_t at = text.find(beforeType); at != StringRef::npos; at = text.find(beforeType, at + 1)) {
    StringRef rest = text.substr(at + beforeType.size());
    if (!rest.consume_front(byteType))
      continue;
    const auto found = contents.find(rest.take_until([](char c) { return c == '[' || c == '\n'; }));
    if (found == contents.end())
      continue;
    result.append(ptx, done, at + beforeType.size() - done);
    appendDefinition(result, found->first(), found->second);
    done = text.find(';', at);
    ++inserted;
  }
  TREADLE_CHECK(inserted == contents.size());
  return result.append(ptx, done);
}

} // namespace treadle::codegen::ptx
