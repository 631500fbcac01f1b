// Arrays: addresses of elements, loads and stores, views, attributes.
#include "codegen/emitter.h"
#include "support/error.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

bool isConstantLeaf(const Leaf &leaf) { return !leaf.isAffine() && isa<Constant>(leaf.value); }

/// The stride in bytes along the fastest axis of a packed array.
/// Local arrays of the lanes may be interleaved, so that equal indices are adjacent in memory.
unsigned elementStride(Emitter &e, const Type *array) {
  return array->space() == Space::Local ? e.model.localElementStride(array->element()) : array->element()->bytes();
}

/// Strides of a packed array follow from its extents.
void packedStrides(Emitter &e, ArrayParts &parts) {
  const unsigned ndim = parts.type->ndim();
  parts.strides.assign(ndim, Leaf());
  Leaf stride(e.int64(elementStride(e, parts.type)));
  for (unsigned step = 0; step < ndim; ++step) {
    const unsigned axis = parts.type->layout() == Layout::F ? step : ndim - 1 - step;
    parts.strides[axis] = stride;
    if (step + 1 < ndim)
      stride = e.mulLeaves(stride, parts.extents[axis]);
  }
}

} // namespace

/// Strides are computed wherever an array is used; LLVM drops those that nothing reads.
ArrayParts Emitter::arrayParts(const Type *type, const Lanes &leaves) {
  ArrayParts parts;
  parts.type = type;
  parts.isReadOnly = type->isReadOnly();
  parts.pointer = leaves[0];
  const unsigned ndim = type->ndim();
  parts.extents.assign(leaves.begin() + 1, leaves.begin() + 1 + ndim);
  if (type->layout() == Layout::Any)
    parts.strides.assign(leaves.begin() + 1 + ndim, leaves.end());
  else
    packedStrides(*this, parts);
  return parts;
}

/// The inverse of arrayParts(): strides are leaves only where they do not follow from the extents.
Lanes Emitter::arrayLeaves(const ArrayParts &parts) {
  Lanes leaves{parts.pointer};
  leaves.append(parts.extents.begin(), parts.extents.end());
  if (parts.type->layout() == Layout::Any)
    leaves.append(parts.strides.begin(), parts.strides.end());
  return leaves;
}

/// An index as int64, negative ones counted from the end. For an affine index that may be negative in some lanes, the
/// result is right if none or all of the active ones are; `mixed` flags the other case.
struct WrappedIndex {
  Leaf index;
  Leaf slow;              ///< correct for every lane; set with `mixed`
  Value *mixed = nullptr; ///< i1
};

namespace {

/// Whether every accessible element is at an offset of 32 bits. Indices into shared and local arrays are within bounds
/// only if every lane performs the access.
bool hasNarrowOffsets(Emitter &e, const ArrayParts &parts) {
  const Space space = parts.type->space();
  return e.options.facts.offsetsFitInt32 ||
         (e.model.accessesEveryAddress() && (space == Space::Shared || space == Space::Local));
}

/// Not with checks, which also read out-of-bounds indices.
Leaf emitIndex(Emitter &e, const ArrayParts &parts, const typed::Expr &expression) {
  if (hasNarrowOffsets(e, parts) && !e.options.debug)
    if (const std::optional<Leaf> found = e.model.index(expression))
      return *found;
  return e.convertLeaf(e.emitLeaf(expression), expression.type, types::int64(), e.range(expression));
}

/// An affine leaf becomes a vector: what is affine in 32 bits need not be when it is widened again.
Leaf truncated(Emitter &e, const Leaf &leaf) {
  return e.apply(
      leaf, [&](ArrayRef<Value *> v) { return e.builder.CreateTrunc(v[0], v[0]->getType()->getWithNewBitWidth(32)); });
}

Leaf widened(Emitter &e, const Leaf &leaf) {
  return e.apply(
      leaf, [&](ArrayRef<Value *> v) { return e.builder.CreateSExt(v[0], v[0]->getType()->getWithNewBitWidth(64)); });
}

/// In 32 bits if these hold all indices within bounds: the index computation can then be as narrow.
Leaf wrapEach(Emitter &e, const ArrayParts &parts, const Leaf &index, const Leaf &extent) {
  auto wrap = [&](ArrayRef<Value *> v) {
    Value *isNegative = e.builder.CreateICmpSLT(v[0], Constant::getNullValue(v[0]->getType()));
    return e.builder.CreateSelect(isNegative, e.builder.CreateAdd(v[0], v[1]), v[0]);
  };
  if (!hasNarrowOffsets(e, parts) || e.options.debug || isConstantLeaf(index))
    return e.apply({index, extent}, wrap);
  return widened(e, e.apply({truncated(e, index), truncated(e, extent)}, wrap));
}

/// An index that is never negative, or always, needs no comparison. An affine one stays affine where all active lanes
/// agree: the extent is added to all, or to none.
WrappedIndex wrapIndex(Emitter &e, const ArrayParts &parts, const typed::Expr &expression, unsigned axis) {
  WrappedIndex result;
  const typed::Interval range = e.range(expression);
  const Leaf &extent = parts.extents[axis];
  result.index = emitIndex(e, parts, expression);
  if (!expression.type->isSigned() || range.isNonNegative())
    return result;
  if (range.high < 0) {
    result.index = e.addLeaves(result.index, extent);
    return result;
  }
  const bool extentIsUniform = isUniform(extent);
  if (!result.index.isAffine() || !extentIsUniform) {
    result.index = wrapEach(e, parts, result.index, extent);
    return result;
  }
  const Leaf plain = result.index;
  const LaneModel::Signs signs = e.model.signsOf(plain);
  result.slow = wrapEach(e, parts, plain, extent);
  Value *offset = e.builder.CreateSelect(signs.someNegative, extent.value, e.int64(0));
  result.index = Leaf(e.builder.CreateAdd(plain.value, offset), plain.s0, plain.s1);
  result.mixed = signs.mixed;
  return result;
}

/// Compared without a sign: an index that is still negative after wrapping is larger than any extent.
void checkBounds(Emitter &e, const typed::Expr &expression, const Leaf &index, const Leaf &extent) {
  Leaf outside = e.apply({index, extent}, [&](ArrayRef<Value *> v) { return e.builder.CreateICmpUGE(v[0], v[1]); });
  e.model.emitCheck(outside, Fault::IndexOutOfBounds, e.placeOf(expression.span));
}

/// Index arithmetic in 32 bits if every element offset of every array is known to fit: only the final result has to be
/// right, so that the operands may be truncated first. An affine index would lose its shape.
bool isNarrow(Emitter &e, const ArrayParts &parts, ArrayRef<Leaf> indices) {
  auto isAffine = [](const Leaf &leaf) { return leaf.isAffine(); };
  return hasNarrowOffsets(e, parts) && !any_of(indices, isAffine) && !any_of(parts.extents, isAffine) &&
         !all_of(indices, isConstantLeaf);
}

/// Element offset of packed arrays.
Leaf packedOffset(Emitter &e, const ArrayParts &parts, ArrayRef<Leaf> indices) {
  const unsigned ndim = parts.type->ndim();
  const bool narrow = isNarrow(e, parts, indices);
  auto word = [&](const Leaf &leaf) { return narrow ? truncated(e, leaf) : leaf; };
  // An offset within bounds never overflows, and neither do its terms: indices are not negative here.
  const bool isExact = narrow && e.model.accessesEveryAddress();
  auto next = [&](const Leaf &offset, const Leaf &extent, const Leaf &index) -> Leaf {
    if (isExact)
      return e.builder.CreateNSWAdd(e.builder.CreateNSWMul(offset.value, extent.value), index.value);
    return e.addLeaves(e.mulLeaves(offset, extent), index);
  };
  Leaf elements;
  for (unsigned step = 0; step < ndim; ++step) {
    const unsigned axis = parts.type->layout() == Layout::F ? ndim - 1 - step : step;
    const Leaf index = word(indices[axis]);
    elements = step == 0 ? index : next(elements, word(parts.extents[axis]), index);
  }
  // If an affine index met a varying one, at least the result is narrow.
  const bool cuts = !narrow && e.options.facts.offsetsFitInt32 && !elements.isAffine() && !isConstantLeaf(elements);
  if (narrow || cuts)
    elements = widened(e, narrow ? elements : truncated(e, elements));
  return elements;
}

/// Packed arrays are indexed by elements, in one product for each axis; others by the strides in bytes.
Leaf elementPointer(Emitter &e, const ArrayParts &parts, ArrayRef<Leaf> indices) {
  if (indices.size() == parts.type->ndim() && parts.type->layout() != Layout::Any && parts.type->ndim() > 0) {
    const unsigned stride = elementStride(e, parts.type);
    const Leaf elements = packedOffset(e, parts, indices);
    // LLVM folds constants out of an index that counts elements, and sees that one has 32 bits, but not once it has
    // been multiplied.
    const bool isVector = !elements.isAffine() && elements.value->getType()->isVectorTy() && stride <= 8;
    if (!parts.pointer.isAffine() && hasNarrowOffsets(e, parts) && (e.model.accessesEveryAddress() || isVector))
      return e.builder.CreateGEP(e.builder.getIntNTy(stride * 8), parts.pointer.value, elements.value);
    return e.offsetPointer(parts.pointer, e.mulLeaves(elements, e.int64(stride)));
  }
  Leaf offset(e.int64(0));
  for (unsigned axis = 0; axis < indices.size(); ++axis)
    offset = e.addLeaves(offset, e.mulLeaves(indices[axis], parts.strides[axis]));
  return e.offsetPointer(parts.pointer, offset);
}

} // namespace

/// The array is evaluated before the indices. `slowAddress` and `arrayBytes` refer to variables of this call, hence the
/// callback in place of a result: most accesses need neither, and no code is emitted for them then.
void Emitter::withAddress(const typed::Indexed &at, function_ref<void(const ArrayParts &, const Address &)> use) {
  ArrayParts parts = arrayParts(at.array->type, emit(*at.array));
  SmallVector<Leaf, 4> fast, slow;
  Value *slowIf = nullptr;
  for (size_t axis = 0; axis < at.indices.size(); ++axis) {
    WrappedIndex wrapped = wrapIndex(*this, parts, *at.indices[axis], unsigned(axis));
    fast.push_back(wrapped.index);
    slow.push_back(wrapped.mixed ? wrapped.slow : wrapped.index);
    if (wrapped.mixed)
      slowIf = slowIf ? builder.CreateOr(slowIf, wrapped.mixed) : wrapped.mixed;
    // The index that is right in every lane is checked: the fast one may be wrong where lanes differ in sign.
    if (options.debug)
      checkBounds(*this, *at.indices[axis], slow.back(), parts.extents[axis]);
  }
  auto slowAddress = [&] { return elementPointer(*this, parts, slow); };
  auto arrayBytes = [&] {
    Leaf bytes(int64(parts.type->element()->bytes()));
    for (const Leaf &extent : parts.extents)
      bytes = mulLeaves(bytes, extent);
    return bytes;
  };
  Address address;
  address.place = Place(Place::Versions{elementPointer(*this, parts, fast), slowIf, slowAddress});
  address.arrayBytes = arrayBytes;
  if (at.array->kind == typed::ExprKind::Slot)
    address.slot = at.array->as<typed::SlotRead>().slot;
  address.space = parts.type->space();
  address.isReadOnly = parts.isReadOnly;
  address.alignment = parts.type->isUnaligned() ? 1 : parts.type->element()->alignment();
  use(parts, address);
}

Lanes Emitter::emitLoad(const typed::Load &load) {
  Lanes result;
  withAddress(load.at, [&](const ArrayParts &parts, Address address) {
    // A loop that waits for the element must load it again in each iteration.
    address.isPolled = options.waiting->isPolled(load);
    result = model.load(parts.type->element(), address);
  });
  return result;
}

// Python evaluates the value before the target's array and indices.
void Emitter::emitStore(const typed::Store &store) {
  Lanes value = emit(*store.value);
  withAddress(store.at, [&](const ArrayParts &parts, const Address &address) {
    model.store(parts.type->element(), address, value);
  });
}

Lanes Emitter::emitAtomic(const typed::Atomic &atomic, bool isUsed) {
  Lanes result;
  withAddress(atomic.at, [&](const ArrayParts &parts, const Address &address) {
    // In the order of the call's arguments.
    const Leaf compare = atomic.compare ? emitLeaf(*atomic.compare) : Leaf();
    const Leaf value = emitLeaf(*atomic.value);
    result = model.atomic({atomic.op, parts.type->element(), address, value, compare, isUsed});
  });
  return result;
}

namespace {

/// An array field adds its axes, in C order.
void selectField(Emitter &e, const ArrayParts &below, const RecordField &field, ArrayParts &parts) {
  parts.pointer = e.offsetPointer(below.pointer, e.int64(field.offset));
  parts.extents = below.extents;
  parts.strides = below.strides;
  int64_t stride = field.type->bytes();
  SmallVector<Leaf, 4> inner(field.shape.size());
  for (size_t axis = field.shape.size(); axis-- > 0; stride *= field.shape[axis])
    inner[axis] = e.int64(stride);
  for (const int64_t extent : field.shape)
    parts.extents.push_back(e.int64(extent));
  parts.strides.append(inner);
}

} // namespace

/// Views move no elements: most keep the strides of the array below, between whose elements there may then be gaps.
Lanes Emitter::emitView(const typed::View &view) {
  ArrayParts below = arrayParts(view.array->type, emit(*view.array));
  ArrayParts parts;
  parts.type = view.type;
  parts.pointer = below.pointer;
  switch (view.view) {
  case typed::ViewKind::Transpose:
    for (unsigned axis = 0; axis < view.type->ndim(); ++axis) {
      const unsigned from = view.axes.empty() ? view.type->ndim() - 1 - axis
                                              : unsigned(view.axes[axis].start->as<typed::Const>().integer);
      parts.extents.push_back(below.extents[from]);
      parts.strides.push_back(below.strides[from]);
    }
    break;
  case typed::ViewKind::Retype:
    parts.extents = below.extents;
    parts.strides = below.strides;
    parts.extents.back() = emitLeaf(*view.axes[0].start);
    parts.strides.back() = int64(view.type->element()->bytes());
    break;
  case typed::ViewKind::Real:
  case typed::ViewKind::Imag:
    parts.extents = below.extents;
    parts.strides = below.strides;
    // By one part: the elements of the view are the complex elements' halves.
    if (view.view == typed::ViewKind::Imag)
      parts.pointer = offsetPointer(below.pointer, int64(view.type->element()->bytes()));
    break;
  case typed::ViewKind::Peer:
    // Shared memory of all blocks of a cluster has one layout, so the shape is that of the own array.
    parts.pointer = model.peerPointer(below.pointer, emitLeaf(*view.axes[0].start));
    parts.extents = below.extents;
    parts.strides = below.strides;
    break;
  case typed::ViewKind::Field:
    selectField(*this, below, below.type->element()->fields()[view.field], parts);
    break;
  case typed::ViewKind::Reshape:
    for (const typed::ViewAxis &axis : view.axes)
      parts.extents.push_back(emitLeaf(*axis.start));
    packedStrides(*this, parts);
    break;
  case typed::ViewKind::Axes:
    return emitAxes(view, below);
  }
  return arrayLeaves(parts);
}

/// A pointer has one version only, so an index that wraps in some lanes takes the slow form here.
Lanes Emitter::emitAxes(const typed::View &view, const ArrayParts &below) {
  ArrayParts parts;
  parts.type = view.type;
  parts.pointer = below.pointer;
  unsigned axis = 0;
  for (const typed::ViewAxis &item : view.axes) {
    if (item.kind == typed::ViewAxis::Kind::NewAxis) {
      parts.extents.push_back(int64(1));
      parts.strides.push_back(int64(0));
      continue;
    }
    if (item.kind == typed::ViewAxis::Kind::Index) {
      WrappedIndex wrapped = wrapIndex(*this, below, *item.start, axis);
      Leaf index = wrapped.mixed ? wrapped.slow : wrapped.index;
      if (options.debug)
        checkBounds(*this, *item.start, index, below.extents[axis]);
      parts.pointer = offsetPointer(parts.pointer, mulLeaves(index, below.strides[axis]));
    } else if (item.kind == typed::ViewAxis::Kind::Whole) {
      parts.extents.push_back(below.extents[axis]);
      parts.strides.push_back(below.strides[axis]);
    } else {
      emitSlice(item, axis, below, parts);
    }
    ++axis;
  }
  for (; axis < below.extents.size(); ++axis) {
    parts.extents.push_back(below.extents[axis]);
    parts.strides.push_back(below.strides[axis]);
  }
  return arrayLeaves(parts);
}

// NumPy's clamping: for a positive step bounds lie in [0, n], for a negative one in [-1, n - 1].
void Emitter::emitSlice(const typed::ViewAxis &slice, unsigned axis, const ArrayParts &below, ArrayParts &parts) {
  const Leaf &extent = below.extents[axis];
  auto bound = [&](const typed::Expr *expression) -> Leaf {
    return expression ? convertLeaf(emitLeaf(*expression), expression->type, types::int64(), range(*expression))
                      : Leaf();
  };
  Leaf start = bound(slice.start), stop = bound(slice.stop);
  Leaf step = slice.step ? bound(slice.step) : Leaf(int64(1));
  SmallVector<Leaf, 4> leaves{extent, step};
  leaves.push_back(slice.start ? start : Leaf(int64(0)));
  leaves.push_back(slice.stop ? stop : Leaf(int64(0)));
  Leaf first, count;
  count = apply(leaves, [&](ArrayRef<Value *> v) {
    Value *zero = Constant::getNullValue(v[0]->getType()), *one = ConstantInt::get(v[0]->getType(), 1);
    Value *isDown = builder.CreateICmpSLT(v[1], zero);
    Value *low = builder.CreateSelect(isDown, Constant::getAllOnesValue(v[0]->getType()), zero);
    Value *high = builder.CreateSelect(isDown, builder.CreateSub(v[0], one), v[0]);
    auto clamp = [&](Value *value) {
      value = builder.CreateSelect(builder.CreateICmpSLT(value, zero), builder.CreateAdd(value, v[0]), value);
      value = builder.CreateBinaryIntrinsic(Intrinsic::smax, value, low);
      return builder.CreateBinaryIntrinsic(Intrinsic::smin, value, high);
    };
    Value *begin = slice.start ? clamp(v[2]) : builder.CreateSelect(isDown, high, low);
    Value *end = slice.stop ? clamp(v[3]) : builder.CreateSelect(isDown, low, high);
    first = begin;
    Value *distance = builder.CreateSelect(isDown, builder.CreateSub(begin, end), builder.CreateSub(end, begin));
    Value *stride = builder.CreateSelect(isDown, builder.CreateNeg(v[1]), v[1]);
    Value *rounded = builder.CreateAdd(distance, builder.CreateSub(stride, one));
    Value *isEmpty = builder.CreateOr(builder.CreateICmpSLE(distance, zero), builder.CreateICmpEQ(stride, zero));
    Value *divisor = builder.CreateSelect(builder.CreateICmpEQ(stride, zero), one, stride);
    return builder.CreateSelect(isEmpty, zero, model.divide(rounded, divisor, false, false));
  });
  parts.pointer = offsetPointer(parts.pointer, mulLeaves(first, below.strides[axis]));
  parts.extents.push_back(count);
  parts.strides.push_back(mulLeaves(below.strides[axis], step));
}

namespace {

/// The strides as if the thread's elements were adjacent; in memory, elements of the warp's other threads may be in
/// between. Only an array inside a record is contiguous, so its strides are less than the record's size, by which the
/// pointer advances from thread to thread.
void makeStridesOwn(Emitter &e, ArrayParts &parts) {
  IRBuilder<> &b = e.builder;
  const unsigned bytes = parts.type->element()->bytes(), threads = elementStride(e, parts.type) / bytes;
  if (threads == 1)
    return;
  const auto *step = parts.pointer.isAffine() ? dyn_cast<ConstantInt>(parts.pointer.s0) : nullptr;
  for (Leaf &stride : parts.strides)
    stride = e.apply(stride, [&](ArrayRef<Value *> v) -> Value * {
      auto number = [&](uint64_t value) { return ConstantInt::get(v[0]->getType(), value); };
      Value *own = b.CreateSDiv(v[0], number(threads));
      if (parts.type->layout() != Layout::Any || (step && step->equalsInt(bytes)))
        return own;
      Value *isApart = step ? b.CreateICmpUGE(b.CreateBinaryIntrinsic(Intrinsic::abs, v[0], b.getFalse()),
                                              number(threads * step->getZExtValue()))
                            : b.CreateICmpEQ(b.CreateSRem(v[0], number(threads)), number(0));
      return b.CreateSelect(isApart, own, v[0]);
    });
}

/// An affine pointer's strides are in bytes, as an address counts.
Leaf addressOf(Emitter &e, const Leaf &pointer) {
  if (pointer.isAffine())
    return Leaf(e.builder.CreatePtrToInt(pointer.value, e.builder.getInt64Ty()), pointer.s0, pointer.s1);
  return e.apply(pointer, [&](ArrayRef<Value *> v) {
    return e.builder.CreatePtrToInt(v[0], v[0]->getType()->getWithNewType(e.builder.getInt64Ty()));
  });
}

} // namespace

Lanes Emitter::emitAttribute(const typed::Attribute &attribute) {
  ArrayParts parts = arrayParts(attribute.array->type, emit(*attribute.array));
  auto product = [&](Leaf value) {
    for (const Leaf &extent : parts.extents)
      value = mulLeaves(value, extent);
    return value;
  };
  switch (attribute.attribute) {
  case typed::ArrayAttribute::Size:
    return {product(int64(1))};
  case typed::ArrayAttribute::NumBytes:
    return {product(int64(parts.type->element()->bytes()))};
  case typed::ArrayAttribute::Address:
    return {addressOf(*this, parts.pointer)};
  case typed::ArrayAttribute::Strides:
    makeStridesOwn(*this, parts);
    break;
  case typed::ArrayAttribute::Shape:
    break;
  }
  const auto &words = attribute.attribute == typed::ArrayAttribute::Shape ? parts.extents : parts.strides;
  if (attribute.axis >= 0)
    return {words[unsigned(attribute.axis)]};
  return Lanes(words.begin(), words.end());
}

/// All dynamic arrays begin at the same address, each with as many of its elements as the launch gives bytes for.
Lanes Emitter::emitAllocation(const typed::Allocation &allocation) {
  if (allocation.shape.size() == 1 && allocation.shape[0] == 0) {
    const unsigned bytes = allocation.type->element()->bytes();
    Value *extent = builder.CreateUDiv(model.dynamicSharedBytes().value, int64(bytes));
    return {model.dynamicShared(std::max(allocation.alignment, allocation.type->element()->alignment())), Leaf(extent)};
  }
  Lanes leaves{model.allocate(*frame, allocation)};
  for (int64_t extent : allocation.shape)
    leaves.push_back(int64(extent));
  return leaves;
}

Lanes Emitter::emitHeapArray(const typed::HeapArray &array) {
  Leaf count = emitLeaf(*array.count);
  const Leaf bytes = mulLeaves(count, int64(array.type->element()->bytes()));
  return {model.heapMemory(array, bytes), count};
}

/// Extents and strides are constants, as the image is compiled for this very array.
Lanes Emitter::emitCaptured(const typed::Captured &captured) {
  const CapturedArray &array = frame->function->captured[captured.id];
  ArrayParts parts;
  parts.type = captured.type;
  parts.pointer = model.capturedPointer(*frame->function, captured.id);
  for (int64_t extent : array.shape)
    parts.extents.push_back(int64(extent));
  for (int64_t stride : array.strides)
    parts.strides.push_back(int64(stride));
  return arrayLeaves(parts);
}

} // namespace treadle::codegen
