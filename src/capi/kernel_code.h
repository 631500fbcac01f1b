// KernelCode: a kernel for launching: its parameters, its code, and the lifetime of both.
#pragma once

#include "capi/objects.h"
#include "launch/arguments.h"
#include "launch/overload.h"
#include "memory/memory_block.h"
#include "runtime/runtime.h"
#include "support/fork_gate.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace treadle::capi {

/// One leaf of the arguments.
struct Parameter {
  enum class Kind : uint8_t { None, Number, Array, Optional, Unknown };
  Kind kind;
  NumberCode number; ///< of the number, or of an array's elements; Other: see the type
  bool writes;       ///< an array that the kernel may write
  const Type *type;
  std::string text;
  std::string name; ///< "out", "pair[0]"; empty: not known
};

/// The origin of launches; lives until the last of them has run.
class KernelCode final : public LaunchMaker, public std::enable_shared_from_this<KernelCode> {
public:
  struct Source {
    std::shared_ptr<const Image> image;
    std::shared_ptr<Kernel> kernel;
    std::span<const std::string> names; ///< of the function's parameters, if known
  };
  /// `otherwise`: code of the same kernel that assumes fewer facts, or null.
  KernelCode(DeviceContext &context, Source source, std::shared_ptr<KernelCode> otherwise = nullptr);

  void use(const std::shared_ptr<StreamTimeline> &timeline, uint64_t position) override {
    uses.note(timeline, position);
  }
  void share(std::shared_ptr<const SharedUse> use) override { uses.share(std::move(use)); }
  std::shared_ptr<const LaunchOrigin> hold() override { return shared_from_this(); }
  void raise(const std::exception_ptr &failure) const override { std::rethrow_exception(failure); }

  DeviceContext &context;
  const Variant variant;
  const std::vector<Parameter> parameters;
  const RowArrays rows; ///< the arrays that Facts::rows of the image describes
  const std::shared_ptr<KernelCode> otherwise;
  StreamUses uses;

private:
  void keep() override {}
};

/// Kernels whose handles were freed while launches of them were queued.
class UnfinishedKernels {
public:
  static UnfinishedKernels &instance();
  /// Keeps it alive until its launches have run.
  void add(std::shared_ptr<KernelCode> code);
  /// Drops those whose launches have run.
  void drop() noexcept;

private:
  UnfinishedKernels() = default;
  std::mutex mutex;
  std::vector<std::shared_ptr<KernelCode>> kept; ///< guarded by mutex
  const AtForks atForks{this,
                        {[](void *self) { static_cast<UnfinishedKernels *>(self)->mutex.lock(); },
                         [](void *self) { static_cast<UnfinishedKernels *>(self)->mutex.unlock(); },
                         [](void *self) { new (&static_cast<UnfinishedKernels *>(self)->mutex) std::mutex; }}};
};

/// A kernel of PTX or a binary: its parameters are unknown, so that there is code for each size of the parameter block.
class RawCode {
public:
  RawCode(DeviceContext &context, std::shared_ptr<const std::string> code, std::string entry)
      : context(context), code(std::move(code)), entry(std::move(entry)) {}
  RawCode(const RawCode &) = delete;
  RawCode &operator=(const RawCode &) = delete;
  ~RawCode();
  /// Loads it at the first launch with parameters of that size. Lookups take no lock.
  KernelCode &withParameters(uint32_t bytes);

  DeviceContext &context;

private:
  struct Sized {
    std::shared_ptr<KernelCode> code;
    Sized *next;
  };
  KernelCode *known(uint32_t bytes) const;

  const std::shared_ptr<const std::string> code;
  const std::string entry;
  std::atomic<Sized *> sizes{nullptr}; ///< owned; append-only
  std::mutex loading;
};

struct KernelObject final : Object {
  static constexpr HandleKind kind = HandleKind::Kernel;
  using Handle = treadle_kernel;
  KernelObject(DeviceContext &context, std::string name) : context(context), name(std::move(name)) {}
  ~KernelObject() override;

  DeviceContext &context;
  const std::string name;
  std::shared_ptr<KernelCode> code; ///< null: raw
  std::unique_ptr<RawCode> raw;
  // As reported to programs.
  std::string signature, target, facts;
};

/// Whether arrays of that element and layout fit the parameter, all else apart.
std::string factsText(const Facts &facts);

} // namespace treadle::capi
