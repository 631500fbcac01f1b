// Matches targets against a device.
#include "runtime/chosen_images.h"

#include "runtime/open_devices.h"
#include "support/error.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace treadle {

std::string targetText(const Target &target) {
  return target.kind == Target::Kind::Ptx ? fmt::format("sm_{}", target.computeCapability) : "cpu " + target.features;
}

namespace {

/// A measure of how much of the device it uses; nothing: it cannot run there.
std::optional<uint64_t> useOf(const Target &made, const Target &own) {
  if (made.kind != own.kind)
    return std::nullopt;
  if (made.kind == Target::Kind::Ptx)
    return made.computeCapability <= own.computeCapability ? std::optional<uint64_t>(made.computeCapability)
                                                           : std::nullopt;
  if (!missingFeatures(made, own).empty())
    return std::nullopt;
  return uint64_t(std::ranges::count(made.features, '+'));
}

/// Why the device cannot run an image.
std::string lackOf(const Target &made, const Target &own) {
  if (made.kind != own.kind)
    return std::string("it is for ") + (made.kind == Target::Kind::Ptx ? "CUDA" : "the CPU") +
           ", and the device is no such one";
  if (made.kind == Target::Kind::Ptx)
    return fmt::format("it is for compute capability {}, and the device's is {} (times ten)", made.computeCapability,
                       own.computeCapability);
  std::string lacking;
  for (const std::string &feature : missingFeatures(made, own))
    lacking += (lacking.empty() ? "" : ", ") + feature;
  return "it uses CPU features that this machine lacks: " + lacking;
}

/// A measure of what the device lacks to run it.
std::tuple<bool, unsigned, size_t> distance(const Target &made, const Target &own) {
  return {made.kind != own.kind, made.computeCapability, missingFeatures(made, own).size()};
}

[[noreturn]] void failTargets(const std::string &kernel, const std::vector<FiledImage *> &images, const Target &own) {
  const FiledImage *nearest =
      *std::ranges::min_element(images, {}, [&](const FiledImage *one) { return distance(one->image.target, own); });
  throw UsageError(UsageError::Kind::Value,
                   "no image of " + kernel + " runs on this device: " + lackOf(nearest->image.target, own));
}

unsigned assumed(const Facts &facts) {
  unsigned count = facts.rows != 0;
  visitFacts([&](const auto &row) { count += row.isAssumed(facts); });
  return count;
}

ChosenKernel chosen(const std::string &kernel, const std::vector<FiledImage *> &images, const Target &own) {
  const FiledImage *best = nullptr;
  for (const FiledImage *one : images)
    if (const auto use = useOf(one->image.target, own))
      if (!best || *use > *useOf(best->image.target, own))
        best = one;
  if (!best)
    failTargets(kernel, images, own);
  ChosenKernel found{kernel, best->parameters, {}};
  const Target target = best->image.target;
  for (FiledImage *one : images)
    if (one->image.target == target)
      found.images.push_back(std::make_shared<const Image>(std::move(one->image)));
  std::ranges::stable_sort(found.images, std::greater(), [](const auto &image) { return assumed(image->facts); });
  return found;
}

} // namespace

std::vector<ChosenKernel> chosenKernels(std::vector<FiledImage> images, const Target &own) {
  std::map<std::string, std::vector<FiledImage *>> byName;
  for (FiledImage &one : images)
    byName[one.kernel].push_back(&one);
  std::vector<ChosenKernel> kernels;
  for (const auto &[name, its] : byName)
    kernels.push_back(chosen(name, its, own));
  return kernels;
}

} // namespace treadle
