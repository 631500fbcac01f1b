// PlainNumbers: while it exists, this thread's printf family formats numbers in the C locale, whatever setlocale says.
#pragma once

#include <locale.h>

namespace treadle {

class PlainNumbers {
public:
  PlainNumbers() : plain(newlocale(LC_ALL_MASK, "C", nullptr)), before(uselocale(plain)) {}
  PlainNumbers(const PlainNumbers &) = delete;
  PlainNumbers &operator=(const PlainNumbers &) = delete;
  ~PlainNumbers() {
    uselocale(before);
    if (plain)
      freelocale(plain);
  }

private:
  const locale_t plain, before; ///< glibc makes none of its own for "C"
};

} // namespace treadle
