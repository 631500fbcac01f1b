// Keeps static destructors out of libtreadle-compiler.so: LLVM's would run at exit while a thread may still compile.
// The library is never closed, so the process's end frees their memory. Function-local statics register through this
// function as well; one shared library, one definition, hidden.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void *), void *, void *) noexcept {
  return 0;
}
