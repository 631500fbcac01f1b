// printf's formats with arguments from a thread's memory.
#include "external_calls.h"

#include <cstdio>
#include <cstring>

namespace ptxmachine {

namespace {

/// Reads generic memory of one lane.
class Reader {
public:
  Reader(Step &s, unsigned lane) : s(s), lane(lane) { at.space = Space::Generic; }

  template <class T> T read(uint64_t address) {
    const Target target = s.warp.locate(s, at, lane, address, {sizeof(T), AccessKind::Read, false, false});
    T value;
    std::memcpy(&value, target.data, sizeof value);
    return value;
  }
  std::string text(uint64_t address) {
    std::string result;
    for (char c; (c = read<char>(address++));)
      result += c;
    return result;
  }

private:
  Step &s;
  unsigned lane;
  Instruction at; // an instruction without operands: its first source is the sink, which has no tag
};

/// Arguments lie at multiples of their size: 4 or 8 bytes.
class Formatter {
public:
  Formatter(Reader &reader, uint64_t arguments) : reader(reader), next(arguments) {}

  std::string format(const std::string &text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '%') {
        result += text[at++];
        continue;
      }
      size_t end = text.find_first_of("diouxXcsfFeEgGaAp%", at + 1);
      end = end == text.npos ? text.size() - 1 : end;
      result += conversion(text.substr(at, end - at + 1));
      at = end + 1;
    }
    return result;
  }

private:
  template <class T> T take() {
    next = (next + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = reader.read<T>(next);
    next += sizeof(T);
    return value;
  }

  template <class T> static std::string shown(const std::string &how, T value) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, how.c_str(), value);
    return buffer;
  }

  std::string conversion(std::string how) {
    const char kind = how.back();
    if (kind == '%')
      return "%";
    for (size_t star; (star = how.find('*')) != how.npos;)
      how.replace(star, 1, std::to_string(take<int32_t>()));
    if (kind == 's')
      return shown(how, reader.text(take<uint64_t>()).c_str());
    if (kind == 'p')
      return shown(how, reinterpret_cast<void *>(take<uint64_t>()));
    if (std::strchr("fFeEgGaA", kind))
      return shown(how, take<double>());
    const bool isLong = how.find('l') != how.npos || how.find('z') != how.npos || how.find('j') != how.npos;
    return isLong ? shown(how, take<long long>()) : shown(how, take<int32_t>());
  }

  Reader &reader;
  uint64_t next;
};

} // namespace

void printFormatted(Step &s, const CallSite &site) {
  forLanes(s.mask, [&](unsigned lane) {
    Reader reader(s, lane);
    const std::string format = reader.text(argumentOf(s, site, 0, lane));
    const uint64_t values = argumentOf(s, site, 1, lane);
    s.warp.launch().memory.print(Formatter(reader, values).format(format));
    const int32_t done = 1;
    giveResult(s, site, lane, &done, sizeof done);
  });
}

void failAssertion(Step &s, const CallSite &site) {
  const auto lane = static_cast<unsigned>(std::countr_zero(s.mask));
  Reader reader(s, lane);
  const std::string what = reader.text(argumentOf(s, site, 0, lane)), file = reader.text(argumentOf(s, site, 1, lane));
  throw Fault(FaultKind::Trap,
              "assertion '" + what + "' failed in " + file + ":" +
                  std::to_string(argumentOf(s, site, 2, lane) & 0xFFFFFFFF),
              static_cast<int>(lane));
}

} // namespace ptxmachine
