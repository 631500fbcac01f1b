// A kernel's metadata before its launches, and its lifetime after them.
#include "capi/kernel_code.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle::capi {

namespace {

Parameter parameterOf(const Type *type, bool writes) {
  Parameter made{Parameter::Kind::Unknown, NumberCode::None, false, type, std::string(type->name()), {}};
  if (type->isNone())
    made.kind = Parameter::Kind::None;
  else if (type->isNumber())
    made = {Parameter::Kind::Number, numberCode(type), false, type, made.text, {}};
  else if (type->isOptional() && type->element()->isNumber())
    made = {Parameter::Kind::Optional, numberCode(type->element()), false, type, made.text, {}};
  else if (type->isArray() && !type->isRecordReference())
    made = {Parameter::Kind::Array, numberCode(type->element()), writes && !type->isReadOnly(), type, made.text, {}};
  if (made.kind == Parameter::Kind::Array && made.number == NumberCode::None)
    made.number = NumberCode::Other;
  return made;
}

/// In the order of `appendLeaves`.
void appendNames(const Type *type, const std::string &name, std::vector<std::string> &names) {
  if (!type->isTuple()) {
    names.push_back(name);
    return;
  }
  unsigned position = 0;
  for (const Type *item : type->items()) {
    appendNames(item, name.empty() ? name : fmt::format("{}[{}]", name, position), names);
    ++position;
  }
}

std::vector<Parameter> parametersOf(const Image &image, std::span<const std::string> given) {
  std::vector<const Type *> leaves;
  std::vector<std::string> names;
  for (size_t i = 0; i < image.signature.arguments.size(); ++i) {
    appendLeaves(image.signature.arguments[i], leaves);
    appendNames(image.signature.arguments[i], i < given.size() ? given[i] : "", names);
  }
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < leaves.size(); ++i) {
    parameters.push_back(parameterOf(leaves[i], image.writes.empty() || (i < image.writes.size() && image.writes[i])));
    parameters.back().name = std::move(names[i]);
  }
  return parameters;
}

/// As inference counts them: parameters of the function itself, not items of tuples.
RowArrays rowArraysOf(const Image &image) {
  RowArrays rows;
  rows.useful = image.facts.rows == 0 ? 0 : ~uint64_t(0);
  unsigned position = 0;
  for (const Type *argument : image.signature.arguments) {
    const bool hasRows = argument->isArray() && argument->layout() == Layout::C && argument->ndim() >= 2;
    if (hasRows && rows.positions.size() < Facts::rowArrays)
      rows.positions.push_back(position);
    position += argumentLeaves(argument);
  }
  return rows;
}

} // namespace

std::string factsText(const Facts &facts) {
  std::string text;
  const auto add = [&text](const std::string &name) { text += (text.empty() ? "" : ",") + name; };
  visitFacts([&](const auto &row) {
    if (row.isAssumed(facts))
      add(row.name + (row.isFlag ? "" : "=" + std::to_string(facts.*row.value)));
  });
  if (facts.laneAxis != 0)
    add(std::string("laneAxis=") + "xyz"[facts.laneAxis]);
  if (facts.rows != 0)
    add("rows");
  return text;
}

KernelCode::KernelCode(DeviceContext &context, Source source, std::shared_ptr<KernelCode> otherwise)
    : LaunchMaker(true), context(context), variant(std::move(source.image), std::move(source.kernel)),
      parameters(parametersOf(*variant.image, source.names)), rows(rowArraysOf(*variant.image)),
      otherwise(std::move(otherwise)) {}

UnfinishedKernels &UnfinishedKernels::instance() {
  static UnfinishedKernels *const all = new UnfinishedKernels; // never destroyed: threads may use it at exit
  return *all;
}

void UnfinishedKernels::add(std::shared_ptr<KernelCode> code) {
  {
    const std::lock_guard lock(mutex);
    for (; code; code = code->otherwise)
      kept.push_back(code);
  }
  drop();
}

void UnfinishedKernels::drop() noexcept {
  std::vector<std::shared_ptr<KernelCode>> looked, unused;
  {
    const std::lock_guard lock(mutex);
    looked.swap(kept);
  }
  // Under no lock, as polling calls the driver, and so does unloading.
  const auto hasRun = [](const std::shared_ptr<KernelCode> &code) {
    return std::ranges::all_of(code->uses.all(), [](const StreamPoint &use) { return use.hasRun(); });
  };
  std::erase_if(looked, hasRun);
  const std::lock_guard lock(mutex);
  std::ranges::move(looked, std::back_inserter(kept));
}

KernelObject::~KernelObject() {
  if (code)
    UnfinishedKernels::instance().add(std::move(code));
}

RawCode::~RawCode() {
  for (std::unique_ptr<Sized> one(sizes.load()); one; one.reset(one->next))
    UnfinishedKernels::instance().add(std::move(one->code));
}

KernelCode *RawCode::known(uint32_t bytes) const {
  for (const Sized *one = sizes.load(std::memory_order_acquire); one; one = one->next)
    if (one->code->variant.image->parameters.size == bytes)
      return one->code.get();
  return nullptr;
}

KernelCode &RawCode::withParameters(uint32_t bytes) {
  if (KernelCode *const loaded = known(bytes))
    return *loaded;
  const std::lock_guard lock(loading);
  if (KernelCode *const loaded = known(bytes))
    return *loaded;
  auto image = std::make_shared<Image>();
  image->target = context.device->target();
  image->entry = entry;
  image->code = *code;
  image->details = PtxCode{};
  image->parameters.size = bytes;
  std::shared_ptr<Kernel> kernel = context.device->code().load(image, {})->kernel();
  kernel->title = entry;
  auto made = std::make_unique<Sized>(
      Sized{std::make_shared<KernelCode>(context, KernelCode::Source{std::move(image), std::move(kernel), {}}),
            sizes.load()});
  sizes.store(made.get(), std::memory_order_release);
  return *made.release()->code;
}

} // namespace treadle::capi
