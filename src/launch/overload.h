// One signature of a function: its typed tree, and the kernels compiled from it under different facts for each device.
#pragma once

#include "border/compiler.h"
#include "border/image.h"
#include "border/recorded_names.h"
#include "device/device.h"
#include "launch/arg_pack.h"
#include "launch/launch_facts.h"
#include "support/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

namespace treadle {

/// An inferred function, with the external objects that its types and code refer to.
struct InferredProgram {
  InferResult result;                                 ///< `function` may be null if an earlier process inferred it
  std::vector<std::shared_ptr<Buffer>> captured = {}; ///< the memory that `capturedPointers` point into
  std::shared_ptr<const void> references = {};        ///< keeps everything else alive
  std::string identity = {};                          ///< the key in the code cache; empty: it is not cached
  std::shared_ptr<RecordedNames> names = {};          ///< the source of `identity`
};

/// A kernel loaded on a device and ready to be launched.
struct TREADLE_API Variant {
  Variant(std::shared_ptr<const Image> image, std::shared_ptr<Kernel> kernel)
      : image(std::move(image)), kernel(std::move(kernel)), pack(*this->image), factsKey(this->image->facts.key()) {}

  const std::shared_ptr<const Image> image;
  const std::shared_ptr<Kernel> kernel;
  const ArgPack pack;
  const FactsKey factsKey;
};

/// The variants of one overload on one device, until that is reset. Append-only; reading takes no lock.
class TREADLE_API DeviceVariants {
public:
  /// The maximum number of variants that assume facts; all further launches use one that assumes none.
  static constexpr unsigned maxSpecific = 4;
  /// Of these, the maximum that assume short rows, so that some remain for launches with other rows.
  static constexpr unsigned maxForRows = 2;

  DeviceVariants(const Device &device, uint64_t generation) : device(device), generation(generation) {}

  bool areFor(const Device &other) const { return &device == &other && generation == device.generation(); }
  const Variant *find(FactsKey factsKey) const {
    const unsigned published = count();
    const uint64_t ignored = ignoredFacts.load(std::memory_order_relaxed);
    for (unsigned i = 0; i < published; ++i)
      if (const FactsKey &own = variants[i]->factsKey;
          (own.launch | ignored) == (factsKey.launch | ignored) && own.rows == factsKey.rows)
        return variants[i].get();
    return nullptr;
  }
  /// The facts of the variant for a launch under `facts`: the same, or fewer once there are enough variants.
  Facts wanted(const Facts &facts) const;
  const Variant *first() const { return count() ? variants[0].get() : nullptr; }
  unsigned count() const { return published.load(std::memory_order_acquire); }
  const Variant &at(unsigned place) const { return *variants[place]; }
  /// Calls must not be concurrent.
  void add(std::unique_ptr<const Variant> variant) {
    const unsigned place = published.load(std::memory_order_relaxed);
    TREADLE_CHECK(place < variants.size());
    variants[place] = std::move(variant);
    ignoredFacts.fetch_or(variants[place]->image->ignoredFacts(), std::memory_order_relaxed);
    published.store(place + 1, std::memory_order_release);
  }

  const Device &device;
  const uint64_t generation; ///< of the device
  std::atomic<DeviceVariants *> next{nullptr};

private:
  std::array<std::unique_ptr<const Variant>, maxSpecific + 1> variants;
  std::atomic<unsigned> published{0};
  std::atomic<uint64_t> ignoredFacts{0}; ///< bits of FactsKey::launch
};

/// Reading takes no lock. The caller must serialise calls that change it under one lock.
class TREADLE_API Overload {
public:
  explicit Overload(Signature signature, InferredProgram inferred)
      : signature(std::move(signature)), result(inferred.result.result), wanted(std::move(inferred.result.wanted)),
        capturedPointers(std::move(inferred.result.capturedPointers)), captured(std::move(inferred.captured)),
        references(std::move(inferred.references)), identity(std::move(inferred.identity)),
        names(std::move(inferred.names)), typed(std::move(inferred.result.function)) {}
  Overload(const Overload &) = delete;
  Overload &operator=(const Overload &) = delete;
  ~Overload() {
    while (DeviceVariants *const list = lists.load()) {
      lists.store(list->next);
      delete list;
    }
  }

  const Signature signature;
  const Type *const result;
  const WantedFacts wanted;                            ///< of InferResult
  const std::vector<uint64_t> capturedPointers;        ///< of InferResult
  const std::vector<std::shared_ptr<Buffer>> captured; ///< used by every launch, like arguments
  const std::shared_ptr<const void> references;        ///< of InferredProgram, as the next two
  const std::string identity;
  const std::shared_ptr<RecordedNames> names;
  /// Null until needed if an earlier process inferred it. Guarded by the caller's lock.
  mutable TypedRef typed;

  /// The signature with the result that inference found.
  Signature inferredSignature() const { return {signature.arguments, result ? result : signature.result}; }
  /// The facts of a launch, except for those that do not affect the function.
  Facts factsOf(const ConfigFacts &config, std::span<const ArgumentLeaf> leaves, const Device &device) const;
  /// The most common ones, before any launch.
  Facts likelyFacts(const Device &device) const;
  /// Null if there is none for the device's present generation.
  const DeviceVariants *on(const Device &device) const {
    for (const DeviceVariants *list = lists.load(std::memory_order_acquire); list; list = list->next.load())
      if (list->areFor(device)) [[likely]]
        return list;
    return nullptr;
  }
  const Variant *find(const Device &device, FactsKey factsKey) const {
    const DeviceVariants *list = on(device);
    return list ? list->find(factsKey) : nullptr;
  }
  Facts wantedOn(const Device &device, const Facts &facts) const {
    const DeviceVariants *list = on(device);
    return list ? list->wanted(facts) : facts;
  }
  /// Any variant of any device; null if there is none.
  const Variant *first() const {
    const DeviceVariants *list = lists.load(std::memory_order_acquire);
    return list ? list->first() : nullptr;
  }
  unsigned variantCount() const {
    unsigned count = 0;
    for (const DeviceVariants *list = lists.load(std::memory_order_acquire); list; list = list->next.load())
      count += list->count();
    return count;
  }
  /// An image for that target and those facts from any device, even from before a reset; null if there is none.
  std::shared_ptr<const Image> imageFor(const Target &target, const Facts &facts) const {
    for (const DeviceVariants *list = lists.load(std::memory_order_acquire); list; list = list->next.load())
      if (const Variant *variant = list->find(facts.key()); variant && variant->image->target == target)
        return variant->image;
    return nullptr;
  }

  /// `generation`: the device's when the kernel was loaded. Returns the variants of an earlier generation, which
  /// launches may still use, or null.
  std::unique_ptr<DeviceVariants> add(const Device &device, uint64_t generation,
                                      std::unique_ptr<const Variant> variant) {
    std::unique_ptr<DeviceVariants> retired;
    for (std::atomic<DeviceVariants *> *link = &lists; DeviceVariants *const list = link->load(); link = &list->next) {
      if (&list->device != &device)
        continue;
      if (list->generation == generation) {
        list->add(std::move(variant));
        return nullptr;
      }
      link->store(list->next); // concurrent readers of it still reach the rest
      retired.reset(list);
      break;
    }
    auto made = std::make_unique<DeviceVariants>(device, generation);
    made->add(std::move(variant));
    made->next.store(lists.load());
    lists.store(made.release(), std::memory_order_release);
    return retired;
  }

private:
  std::atomic<DeviceVariants *> lists{nullptr}; ///< owned
};

} // namespace treadle
