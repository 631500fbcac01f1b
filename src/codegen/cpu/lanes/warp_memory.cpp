// WarpLanes: loads and stores by the shape of their address. Uniform: one scalar; affine with adjacent elements: one
// vector per run; complex elements elsewhere: one by one; anything else: gather and scatter.
#include "codegen/cpu/lanes/lane_table.h"
#include "codegen/cpu/lanes/prefetch.h"
#include "codegen/cpu/lanes/strided_access.h"
#include "codegen/cpu/lanes/strided_elements.h"
#include "codegen/cpu/lanes/vector_pieces.h"
#include "codegen/cpu/lanes/warp_lanes.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// In 64 bits, as a run may have all 32 lanes and a shift of a word by 32 is undefined.
uint32_t bitsOfRun(unsigned run, unsigned length) { return uint32_t(((uint64_t(1) << length) - 1) << (run * length)); }

/// How often a version of a versioned access runs.
enum class Frequency : uint8_t { Usual, Rare };

/// One access of a warp: `parts` consecutive machine values (1, or 2 of a complex) at an address of some shape.
/// The order of the cases in `load` and `store` is that of their cost: one scalar, vectors, windows of vectors, single
/// elements, gathers. Under a mask inactive lanes access nothing, or what an active lane accesses: their addresses may
/// be anything.
class Access {
public:
  Access(Emitter &e, WarpLanes &model, const Type *element, unsigned alignment, Frequency frequency)
      : e(e), b(e.builder), model(model), runLength(model.settings().runLength), type(e.memoryType(element)),
        parts(element->isComplex() ? 2 : 1), alignment(alignment), size(type->getScalarSizeInBits() / 8),
        isRare(frequency == Frequency::Rare), isWide(model.settings().isa == VectorIsa::Avx512),
        complex(b, type, model.registerBytes()) {}

  SmallVector<Value *, 2> load(const Leaf &address) {
    if (isUniform(address))
      return each([&](unsigned part) -> Value * {
        return b.CreateAlignedLoad(type, partAddress(address.value, part), Align(alignment));
      });
    if (stride(address) == int64_t(size * parts))
      return loadRuns(address);
    if (stride(address) == 0)
      return loadRepeated(address);
    model.noteFallback("gather");
    if (isRare)
      return loadOneByOne(address);
    if (const std::optional<Strided> where = strided(address)) {
      model.noteElements();
      return {loadStrided(b, model.vectorOf(type), *where)};
    }
    if (std::optional<StridedElements> elements = inWindows(address, farthestLoad))
      return {elements->load(address.value, model.activeLanes(), Align(alignment))};
    if (parts == 2 && (size == 8 || !model.activeLanes()))
      return complex.load(lanePointers(address), Align(alignment));
    if (hasSteps(address) && !(hasGathers() && model.settings().hasFastGathers))
      return loadSteps(address);
    const bool isMasked = model.activeLanes() && hasGathers();
    Value *pointers = isMasked ? model.splat(address) : activePointers(address);
    return fromWords(b.CreateMaskedGather(model.vectorOf(wordType()), pointers, Align(alignment),
                                          isMasked ? model.activeLanes() : nullptr));
  }

  void store(const Leaf &address, ArrayRef<Value *> values) {
    if (isUniform(address))
      return storeOne(address, values);
    if (stride(address) == int64_t(size * parts))
      return storeRuns(address, values);
    model.noteFallback("scatter");
    // An inactive lane cannot store to the address of an active one, as it can load from it: the value would be wrong.
    if (isRare || (model.activeLanes() && !hasGathers()))
      return storeOneByOne(address, values);
    if (const std::optional<Strided> where = strided(address))
      return storeStrided(b, asVector(values[0]), *where);
    if (std::optional<StridedElements> elements = inWindows(address, farthestStore))
      return elements->store(address.value, asVector(values[0]), model.activeLanes(), Align(alignment));
    if (parts == 2 && !model.activeLanes())
      return complex.store(lanePointers(address), asVectors(values), Align(alignment));
    if (hasSteps(address) && !hasGathers())
      return storeSteps(address, values[0]);
    Value *pointers = model.splat(address);
    const auto scattered = parts * size <= 8 ? SmallVector<Value *, 2>{asWords(values)} : asVectors(values);
    for (unsigned i = 0; i < scattered.size(); ++i)
      noteStored(*b.CreateMaskedScatter(scattered[i], partAddress(pointers, i), Align(alignment), model.activeLanes()),
                 address);
  }

  /// Whether the access is one vector at one place; its size is then a multiple of 16 bytes.
  bool isWhole(const Leaf &address) const {
    return !model.activeLanes() && !isUniform(address) && stride(address) == int64_t(size * parts) &&
           runsOf(address) == 1 && parts == 1;
  }

private:
  template <typename Make> SmallVector<Value *, 2> each(Make make) {
    SmallVector<Value *, 2> result;
    for (unsigned part = 0; part < parts; ++part)
      result.push_back(make(part));
    return result;
  }

  std::optional<int64_t> stride(const Leaf &address) const {
    return address.isAffine() ? constantOf(address.s0) : std::nullopt;
  }

  Value *partAddress(Value *address, unsigned part) {
    return part == 0 ? address : b.CreateGEP(b.getInt8Ty(), address, e.int64(int64_t(size)));
  }

  Value *runAddress(const Leaf &address, unsigned run) {
    if (run == 0)
      return address.value;
    return b.CreateGEP(b.getInt8Ty(), address.value, b.CreateMul(address.s1, e.int64(run)));
  }

  Value *asVector(Value *value) { return model.splat(Leaf(value)); }
  SmallVector<Value *, 2> asVectors(ArrayRef<Value *> values) {
    return each([&](unsigned part) { return asVector(values[part]); });
  }

  /// The type that holds an element of at most 8 bytes: both parts of a complex64 are one word.
  llvm::Type *wordType() const { return parts == 1 ? type : b.getDoubleTy(); }
  SmallVector<Value *, 2> fromWords(Value *words) {
    if (parts == 1)
      return {words};
    return complex.unzipped(b.CreateBitCast(words, FixedVectorType::get(type, 2 * model.laneCount())));
  }
  Value *asWords(ArrayRef<Value *> values) {
    return parts == 1 ? asVector(values[0]) : b.CreateBitCast(zipped(values), model.vectorOf(wordType()));
  }
  Value *zipped(ArrayRef<Value *> values) { return complex.zipped(asVector(values[0]), asVector(values[1])); }

  /// LLVM expands others to a branch per lane if there is a mask.
  bool hasGathers() const { return isWide && size >= 4; }
  /// The same for loads and stores of adjacent elements.
  bool hasMasks() const { return isWide || (size >= 4 && model.settings().isa == VectorIsa::Avx2); }

  /// Under a mask a complex64 is accessed as a word, with the mask unchanged. (With AVX2, AMD's are faster by parts.)
  bool masksWords() const { return isWide && size == 4; }

  /// Pointers of all lanes; inactive ones have the address of an active one.
  Value *activePointers(const Leaf &address) {
    Value *pointers = model.splat(address), *active = model.activeLanes();
    if (!active)
      return pointers;
    Value *first = b.CreateBinaryIntrinsic(Intrinsic::cttz, bitsOf(b, active), b.getTrue());
    return b.CreateSelect(active, pointers,
                          b.CreateVectorSplat(model.laneCount(), b.CreateExtractElement(pointers, first)));
  }

  /// Pointers of all lanes, as scalars; inactive ones have the address of an active one.
  SmallVector<Value *, warpLanes> lanePointers(const Leaf &address) {
    if (hasSteps(address))
      return steps(address);
    SmallVector<Value *, warpLanes> result;
    Value *pointers = activePointers(address);
    // Offsets in one array: addressing modes add the base for free.
    auto *places = dyn_cast<GetElementPtrInst>(pointers);
    const bool isOfArray = places && places->getNumIndices() == 1 && !places->getPointerOperandType()->isVectorTy();
    for (unsigned lane = 0; lane < model.laneCount(); ++lane) {
      Value *place = b.CreateExtractElement(isOfArray ? places->getOperand(1) : pointers, lane);
      result.push_back(isOfArray ? b.CreateGEP(places->getSourceElementType(), places->getPointerOperand(), place)
                                 : place);
    }
    return result;
  }

  /// The maximum stride, in elements, for which that is faster than accessing lane by lane.
  static constexpr int64_t farthestLoad = 8, farthestStore = 4;

  /// The stride in bytes between lanes' elements, if it is the same constant across runs.
  /// Upwards only: windows are loaded from the first lane's element on.
  std::optional<int64_t> evenStep(const Leaf &address) const {
    const std::optional<int64_t> step = stride(address);
    if (!step || *step <= 0)
      return std::nullopt;
    return model.runCount() == 1 || constantOf(address.s1) == *step * runLength ? step : std::nullopt;
  }

  /// Of all lanes, as a call.
  std::optional<Strided> strided(const Leaf &address) const {
    const std::optional<int64_t> step = evenStep(address);
    if (!step || parts != 1 || model.activeLanes())
      return std::nullopt;
    return Strided{address.value, uint64_t(*step), Align(alignment)};
  }

  /// Under a mask: elements so close to each other that whole registers are accessed.
  std::optional<StridedElements> inWindows(const Leaf &address, int64_t farthest) {
    const std::optional<int64_t> step = evenStep(address);
    if (!step || *step % int64_t(size) != 0 || parts != 1)
      return std::nullopt;
    const int64_t elements = *step / int64_t(size);
    const unsigned inRegister = std::min(model.laneCount(), model.registerBytes() / unsigned(size));
    if (!hasGathers() || elements * inRegister > StridedElements::widestMask || elements > farthest ||
        elements >= inRegister)
      return std::nullopt;
    return StridedElements(b, type, {model.laneCount(), unsigned(elements), inRegister});
  }

  /// For loadWindowsEarly(): loads of elements that lie between these may move up past the store.
  void noteStored(Instruction &store, const Leaf &address) {
    if (const std::optional<int64_t> step = evenStep(address); step && parts == 1)
      markElements(store, uint64_t(*step), size);
  }

  bool hasSteps(const Leaf &address) const { return address.isAffine() && runLength >= 4 && !model.activeLanes(); }

  /// The lanes' addresses, if those of a run are one stride apart: four per computed base, as addressing modes add
  /// multiples of a register.
  SmallVector<Value *, warpLanes> steps(const Leaf &address) {
    SmallVector<Value *, warpLanes> result;
    Value *two = b.CreateShl(address.s0, 1), *three = b.CreateAdd(two, address.s0), *four = b.CreateShl(address.s0, 2);
    for (unsigned run = 0; run < model.runCount(); ++run) {
      Value *base = runAddress(address, run);
      for (unsigned lane = 0; lane < runLength; lane += 4) {
        base = lane == 0 ? base : b.CreateGEP(b.getInt8Ty(), base, four);
        result.push_back(base);
        for (Value *offset : {address.s0, two, three})
          result.push_back(b.CreateGEP(b.getInt8Ty(), base, offset));
      }
    }
    return result;
  }

  /// Lane by lane, without a gather instruction, where that is slower (WarpSettings::hasFastGathers).
  SmallVector<Value *, 2> loadSteps(const Leaf &address) {
    const SmallVector<Value *, warpLanes> pointers = steps(address);
    Value *all = PoisonValue::get(model.vectorOf(type));
    for (unsigned lane = 0; lane < model.laneCount(); ++lane)
      all = b.CreateInsertElement(all, b.CreateAlignedLoad(type, pointers[lane], Align(alignment)), lane);
    return {all};
  }

  /// Where there are no scatters, which take as long and are less code.
  void storeSteps(const Leaf &address, Value *value) {
    const SmallVector<Value *, warpLanes> pointers = steps(address);
    for (unsigned lane = 0; lane < model.laneCount(); ++lane)
      b.CreateAlignedStore(b.CreateExtractElement(asVector(value), lane), pointers[lane], Align(alignment));
  }

  /// A short loop over the active lanes: little code for a rarely executed path.
  SmallVector<Value *, 2> loadOneByOne(const Leaf &address) {
    const LaneTable pointers(b, model.splat(address));
    SmallVector<LaneTable, 2> results;
    for (unsigned part = 0; part < parts; ++part)
      results.emplace_back(b, Constant::getNullValue(model.vectorOf(type)));
    model.forEachLane(WarpLanes::LaneCode::Usual, [&](Value *lane) {
      Value *from = pointers.read(lane);
      for (unsigned part = 0; part < parts; ++part)
        results[part].write(lane, b.CreateAlignedLoad(type, partAddress(from, part), Align(alignment)));
    });
    return each([&](unsigned part) { return results[part].all(); });
  }

  void storeOneByOne(const Leaf &address, ArrayRef<Value *> values) {
    const LaneTable pointers(b, model.splat(address));
    SmallVector<LaneTable, 2> kept;
    for (Value *value : values)
      kept.emplace_back(b, asVector(value));
    model.forEachLane(WarpLanes::LaneCode::Usual, [&](Value *lane) {
      Value *to = pointers.read(lane);
      for (unsigned part = 0; part < parts; ++part)
        b.CreateAlignedStore(kept[part].read(lane), partAddress(to, part), Align(alignment));
    });
  }

  /// Lanes [first, first + count) of a vector, each repeated `repeat` times.
  Value *lanes(Value *vector, unsigned first, unsigned count, unsigned repeat) {
    SmallVector<int, 64> picked;
    for (unsigned lane = 0; lane < count * repeat; ++lane)
      picked.push_back(int(first + lane / repeat));
    return b.CreateShuffleVector(vector, picked);
  }

  /// Runs that are adjacent in memory count as one.
  unsigned runsOf(const Leaf &address) const {
    const std::optional<int64_t> s1 = constantOf(address.s1);
    return s1 == int64_t(runLength * size * parts) ? 1 : model.runCount();
  }

  SmallVector<Value *, 2> loadRuns(const Leaf &address) {
    return model.activeLanes() && !hasMasks() ? loadWholePages(address) : loadRuns(address, model.activeLanes());
  }

  /// Inactive elements can be read if they are in the same page as active ones.
  SmallVector<Value *, 2> loadWholePages(const Leaf &address) {
    constexpr uint64_t page = 4096;
    const unsigned runs = runsOf(address), length = model.laneCount() / runs;
    const uint64_t bytes = length * size * parts;
    Value *bits = bitsOf(b, model.activeLanes()), *isWhole = b.getTrue();
    for (unsigned run = 0; run < runs; ++run) {
      Value *offset = b.CreateAnd(b.CreatePtrToInt(runAddress(address, run), b.getInt64Ty()), b.getInt64(page - 1));
      isWhole = b.CreateAnd(isWhole, b.CreateICmpULE(offset, b.getInt64(page - bytes)));
      const uint32_t lanesOfRun = bitsOfRun(run, length);
      // One of several runs may have no active lane, and then begins anywhere, also where nothing is mapped.
      if (runs > 1)
        isWhole = b.CreateAnd(isWhole, b.CreateICmpNE(b.CreateAnd(bits, b.getInt32(lanesOfRun)), b.getInt32(0)));
    }
    BasicBlock *whole = e.newBlock("page"), *single = e.newBlock("pages"), *done = e.newBlock("loaded");
    b.CreateCondBr(isWhole, whole, single);
    b.SetInsertPoint(whole);
    SmallVector<std::pair<BasicBlock *, SmallVector<Value *, 2>>, 2> ends;
    ends.emplace_back(whole, loadRuns(address, nullptr));
    b.CreateBr(done);
    b.SetInsertPoint(single);
    SmallVector<Value *, 2> one = loadOneByOne(address);
    ends.emplace_back(b.GetInsertBlock(), one);
    b.CreateBr(done);
    b.SetInsertPoint(done);
    return each([&](unsigned part) {
      PHINode *value = b.CreatePHI(model.vectorOf(type), 2);
      for (const auto &[block, values] : ends)
        value->addIncoming(values[part], block);
      return value;
    });
  }

  /// A complex element that is not one word is its two parts, and a lane's bit of the mask counts for both.
  SmallVector<Value *, 2> loadRuns(const Leaf &address, Value *active) {
    const unsigned runs = runsOf(address), length = model.laneCount() / runs;
    const bool isByWord = parts == 1 || (active && masksWords());
    const unsigned perLane = isByWord ? 1 : 2;
    auto *runType = FixedVectorType::get(isByWord ? wordType() : type, length * perLane);
    SmallVector<Value *, 8> loaded;
    model.noteAdjacent();
    if (active && runs == 1 && model.isOncePerWarp())
      prefetchAhead(address.value);
    for (unsigned run = 0; run < runs; ++run) {
      Value *from = runAddress(address, run);
      if (active)
        loaded.push_back(b.CreateMaskedLoad(runType, from, Align(alignment),
                                            lanes(active, run * length, length, perLane),
                                            Constant::getNullValue(runType)));
      else
        loadUpwards(runType, from, loaded);
    }
    Value *all = concatenated(b, loaded);
    return isByWord ? fromWords(all) : complex.unzipped(all);
  }

  /// For later warps: masked loads do not trigger hardware prefetching, and take three times as long for streams from
  /// memory.
  void prefetchAhead(Value *from) {
    constexpr uint64_t bytesAhead = 2048;
    for (uint64_t offset = 0; offset < model.laneCount() * size * parts; offset += cacheLineBytes)
      prefetchLine(b, b.CreateConstGEP1_64(b.getInt8Ty(), from, bytesAhead + offset));
  }

  /// As storeUpwards; for streams from memory.
  void loadUpwards(FixedVectorType *all, Value *from, SmallVectorImpl<Value *> &loaded) {
    const unsigned count = all->getNumElements();
    const unsigned some = std::min<unsigned>(count, model.registerBytes() / unsigned(size));
    for (unsigned first = 0; first < count; first += some) {
      Value *place = first == 0 ? from : b.CreateConstGEP1_64(b.getInt8Ty(), from, first * size);
      loaded.push_back(b.CreateAlignedLoad(FixedVectorType::get(type, some), place, Align(alignment)));
    }
  }

  /// The lanes of a run share an address: one scalar per run. A run without active lanes may point anywhere.
  SmallVector<Value *, 2> loadRepeated(const Leaf &address) {
    const unsigned runs = model.runCount();
    SmallVector<Value *, 8> pointers;
    Value *somewhere = address.value;
    if (model.activeLanes()) {
      Value *bits = bitsOf(b, model.activeLanes());
      Value *firstLane = b.CreateBinaryIntrinsic(Intrinsic::cttz, bits, b.getTrue());
      Value *firstRun = b.CreateZExt(b.CreateUDiv(firstLane, b.getInt32(runLength)), b.getInt64Ty());
      somewhere = b.CreateGEP(b.getInt8Ty(), address.value, b.CreateMul(address.s1, firstRun));
      for (unsigned run = 0; run < runs; ++run) {
        const uint32_t lanesOfRun = bitsOfRun(run, runLength);
        Value *isActive = b.CreateICmpNE(b.CreateAnd(bits, b.getInt32(lanesOfRun)), b.getInt32(0));
        pointers.push_back(b.CreateSelect(isActive, runAddress(address, run), somewhere));
      }
    } else {
      for (unsigned run = 0; run < runs; ++run)
        pointers.push_back(runAddress(address, run));
    }
    return each([&](unsigned part) {
      SmallVector<Value *, 8> loaded;
      for (Value *pointer : pointers)
        loaded.push_back(
            b.CreateVectorSplat(runLength, b.CreateAlignedLoad(type, partAddress(pointer, part), Align(alignment))));
      return concatenated(b, loaded);
    });
  }

  void storeRuns(const Leaf &address, ArrayRef<Value *> values) {
    if (model.activeLanes() && !hasMasks())
      return storeOneByOne(address, values);
    if (parts == 2 && size == 8 && !isWide && hasSteps(address))
      return complex.store(lanePointers(address), asVectors(values), Align(alignment));
    Value *active = model.activeLanes();
    const bool isByWord = parts == 1 || (active && masksWords());
    const unsigned runs = runsOf(address), length = model.laneCount() / runs, perLane = isByWord ? 1 : 2;
    Value *all = isByWord ? asWords(values) : zipped(values);
    for (unsigned run = 0; run < runs; ++run) {
      Value *piece = runs == 1 ? all : lanes(all, run * length * perLane, length * perLane, 1);
      Value *to = runAddress(address, run);
      if (active)
        b.CreateMaskedStore(piece, to, Align(alignment), lanes(active, run * length, length, perLane));
      else
        storeUpwards(piece, to);
    }
  }

  /// One register at a time: LLVM would store the halves of a longer vector in any order, and descending writes, even
  /// if only within pairs, take half as long again.
  void storeUpwards(Value *values, Value *to) {
    const unsigned all = cast<FixedVectorType>(values->getType())->getNumElements();
    const unsigned some = std::min<unsigned>(all, model.registerBytes() / unsigned(size));
    for (unsigned first = 0; first < all; first += some) {
      Value *place = first == 0 ? to : b.CreateConstGEP1_64(b.getInt8Ty(), to, first * size);
      b.CreateAlignedStore(some == all ? values : lanes(values, first, some, 1), place, Align(alignment));
    }
  }

  /// All active lanes write to one place: the last of them wins, as in ascending order.
  void storeOne(const Leaf &address, ArrayRef<Value *> values) {
    Value *bits = bitsOf(b, model.maskOrAll());
    Value *last = b.CreateSub(b.getInt32(31), b.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, b.getTrue()));
    for (unsigned part = 0; part < parts; ++part) {
      Value *value = values[part];
      if (value->getType()->isVectorTy())
        value = b.CreateExtractElement(value, last);
      b.CreateAlignedStore(value, partAddress(address.value, part), Align(alignment));
    }
  }

  Emitter &e;
  IRBuilder<> &b;
  WarpLanes &model;
  unsigned runLength;
  llvm::Type *type;
  unsigned parts, alignment;
  uint64_t size; ///< bytes of one part
  bool isRare, isWide;
  ComplexElements complex;
};

/// `make` emits the access by one version of its address.
void inVersions(Emitter &e, const Place::Versions &versions, function_ref<void(const Leaf &, Frequency)> make) {
  BasicBlock *slow = e.newBlock("wrapped"), *fast = e.newBlock("plain"), *done = e.newBlock("accessed");
  e.builder.CreateCondBr(versions.slowIf, slow, fast);
  for (BasicBlock *block : {slow, fast}) {
    e.builder.SetInsertPoint(block);
    block == slow ? make(versions.slow(), Frequency::Rare) : make(versions.fast, Frequency::Usual);
    e.builder.CreateBr(done);
  }
  e.builder.SetInsertPoint(done);
}

} // namespace

/// Of an address with two versions, the slow one, for indices that wrap in some lanes only, is short code.
Lanes WarpLanes::load(const Type *element, const Address &address) {
  auto loadFrom = [&](const Leaf &leaf, Frequency frequency) {
    Lanes result;
    for (Value *part : Access(*e, *this, element, address.alignment, frequency).load(leaf))
      result.push_back(e->fromMemory(element, part));
    return result;
  };
  const Place::Versions *versions = address.place.versions();
  if (!versions)
    return loadFrom(address.place.everywhere(), Frequency::Usual);
  SmallVector<std::pair<BasicBlock *, Lanes>, 2> ends;
  inVersions(*e, *versions, [&](const Leaf &leaf, Frequency frequency) {
    Lanes lanes = loadFrom(leaf, frequency);
    ends.push_back({e->builder.GetInsertBlock(), lanes});
  });
  return mergeLanes(ends);
}

void WarpLanes::store(const Type *element, const Address &address, const Lanes &value) {
  auto storeTo = [&](const Leaf &leaf, Frequency frequency) {
    SmallVector<Value *, 2> parts;
    for (const Leaf &part : value)
      parts.push_back(e->toMemory(element, splatIfAffine(part)));
    Access access(*e, *this, element, address.alignment, frequency);
    const unsigned alignment = streamAlignment(element, address);
    if (alignment == 0 || !access.isWhole(leaf))
      return access.store(leaf, parts);
    BasicBlock *past = e->newBlock("past.caches"), *plain = e->newBlock("to.caches"), *done = e->newBlock("stored");
    e->builder.CreateCondBr(streamsTo(address, leaf, alignment), past, plain);
    e->builder.SetInsertPoint(past);
    storePastCaches(splat(Leaf(parts[0])), leaf.value, alignment);
    e->builder.CreateBr(done);
    e->builder.SetInsertPoint(plain);
    access.store(leaf, parts);
    e->builder.CreateBr(done);
    e->builder.SetInsertPoint(done);
  };
  const Place::Versions *versions = address.place.versions();
  if (!versions)
    return storeTo(address.place.everywhere(), Frequency::Usual);
  inVersions(*e, *versions, storeTo);
}

} // namespace treadle::codegen
