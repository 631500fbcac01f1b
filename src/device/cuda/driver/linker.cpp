// One link of one text. The link owns the cubin, which is copied before the link ends.
#include "device/cuda/driver/linker.h"

#include "device/cuda/driver/jit_log.h"

namespace treadle::cuda {

namespace {

class Link {
public:
  Link(Context &context, const std::string &operation, std::string_view ptx)
      : context(context), operation(operation), log(ptx) {
    log.check(context, context.driver.linkCreate(log.count(), log.options(), log.values(), &handle), operation);
  }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;
  ~Link() {
    if (context.isUsable())
      context.driver.linkDestroy(handle);
  }

  /// Includes the terminating NUL, which the driver reads.
  void add(const std::string &ptx, const std::string &name) {
    log.check(context,
              context.driver.linkAddData(handle, JitInput::Ptx, const_cast<char *>(ptx.c_str()), ptx.size() + 1,
                                         name.c_str(), 0, nullptr, nullptr),
              operation);
  }

  std::string complete() {
    void *code = nullptr;
    size_t bytes = 0;
    log.check(context, context.driver.linkComplete(handle, &code, &bytes), operation);
    return {static_cast<const char *>(code), bytes};
  }

private:
  Context &context;
  const std::string &operation;
  JitLog log; ///< before the handle, which refers to it
  LinkHandle handle = nullptr;
};

} // namespace

std::string linkCubin(Context &context, const std::string &ptx, const std::string &name) {
  const std::string operation = "link " + name;
  Link link(context, operation, ptx);
  link.add(ptx, name);
  return link.complete();
}

} // namespace treadle::cuda
