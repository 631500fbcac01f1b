// One signature of a function: its typed tree, and the kernels made from it under different facts.
#pragma once

#include "border/compiler.h"
#include "device/device.h"
#include "launch/arg_pack.h"
#include "support/error.h"

#include <array>
#include <atomic>
#include <memory>

namespace treadle {

/// A kernel loaded on the device and ready to be launched.
struct TREADLE_API Variant {
  Variant(std::shared_ptr<const Image> image, std::shared_ptr<Kernel> kernel)
      : image(std::move(image)), kernel(std::move(kernel)), pack(*this->image), factsKey(this->image->facts.key()) {}

  const std::shared_ptr<const Image> image;
  const std::shared_ptr<Kernel> kernel;
  const ArgPack pack;
  const uint32_t factsKey;
};

/// Grows only; reading takes no lock.
class TREADLE_API Overload {
public:
  /// So many variants know facts of their launch; every further launch takes the one that assumes nothing.
  static constexpr unsigned maxSpecific = 4;

  explicit Overload(Signature signature, InferResult inferred)
      : signature(std::move(signature)), typed(std::move(inferred.function)), result(inferred.result),
        captured(std::move(inferred.captured)), references(std::move(inferred.references)) {}

  const Signature signature;
  const TypedRef typed;
  const Type *const result;
  const std::vector<std::shared_ptr<Buffer>> captured; ///< used by every launch, as arguments are
  const std::shared_ptr<const void> references;        ///< of InferResult

  const Variant *find(uint32_t factsKey) const {
    const unsigned published = count.load(std::memory_order_acquire);
    const uint32_t ignored = ignoredFacts.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < published; ++i)
      if ((variants[i]->factsKey | ignored) == (factsKey | ignored))
        return variants[i].get();
    return nullptr;
  }
  /// For which facts a launch under `facts` shall have a variant: for those, or none when there are enough.
  Facts wanted(const Facts &facts) const {
    unsigned specific = 0;
    for (unsigned i = 0, published = count.load(std::memory_order_acquire); i < published; ++i)
      specific += variants[i]->image->facts != Facts{};
    return specific < maxSpecific ? facts : Facts{};
  }
  const Variant *first() const { return count.load(std::memory_order_acquire) ? variants[0].get() : nullptr; }
  unsigned variantCount() const { return count.load(std::memory_order_acquire); }
  /// Calls must not overlap.
  const Variant *add(std::unique_ptr<Variant> variant) {
    const unsigned place = count.load(std::memory_order_relaxed);
    TREADLE_CHECK(place < variants.size());
    variants[place] = std::move(variant);
    ignoredFacts.fetch_or(variants[place]->image->ignoredFacts(), std::memory_order_relaxed);
    count.store(place + 1, std::memory_order_release);
    return variants[place].get();
  }

private:
  std::array<std::unique_ptr<const Variant>, maxSpecific + 1> variants;
  std::atomic<unsigned> count{0};
  std::atomic<uint32_t> ignoredFacts{0}; ///< bits of Facts::key
};

} // namespace treadle
