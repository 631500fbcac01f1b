// arc4random for LLVM's temporary file names: glibc has it only from 2.36; this one runs on 2.34 as well.
#include <cstdint>
#include <sys/random.h>

extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
