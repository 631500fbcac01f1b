// The ring buffer of compiled texts.
#include "syntax/exec_texts.h"

#include "support/hash.h"

#include <algorithm>
#include <unistd.h>

namespace treadle {

namespace {

constexpr size_t capacity = size_t(4) << 20;
/// How many of the latest texts are searched for duplicates before one is stored.
constexpr size_t comparedTexts = 64;

bool isFile(std::string_view name) {
  if (name.starts_with('<') && name.ends_with('>'))
    return false;
  return access(std::string(name).c_str(), F_OK) == 0;
}

} // namespace

void ExecTexts::add(std::string_view file, std::string_view text) {
  if (text.size() > capacity || isFile(file))
    return;
  const uint64_t hash = hashBytes(text, hashBytes(file));
  const std::lock_guard lock(mutex);
  const auto recent = ptrdiff_t(std::min(entries.size(), comparedTexts));
  const bool isKept = std::any_of(entries.end() - recent, entries.end(), [&](const Entry &entry) {
    return entry.hash == hash && *entry.text == text && entry.file == file;
  });
  if (isKept)
    return;
  entries.push_back({hash, std::string(file), std::make_shared<const std::string>(text)});
  used += text.size();
  for (; used > capacity; entries.pop_front())
    used -= entries.front().text->size();
}

std::vector<ExecTexts::Text> ExecTexts::find(std::string_view file, std::string_view needle, size_t limit) {
  std::vector<Text> result;
  const std::lock_guard lock(mutex);
  for (auto entry = entries.rbegin(); entry != entries.rend() && (limit == 0 || result.size() < limit); ++entry)
    if (entry->file == file && entry->text->find(needle) != std::string::npos)
      result.push_back(entry->text);
  return result;
}

} // namespace treadle
