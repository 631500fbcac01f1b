// What generated code lays out as LLVM does is what the runtime reads as C++ does, and symbols keep their meaning.
#include "border/error_record.h"
#include "border/image.h"
#include "border/kernel_abi.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

#include <vector>

using namespace treadle;
using namespace treadle::cpu;

namespace {

/// Members by their bits; 0: a pointer. As WarpModel::inMemory makes structures of its operands.
std::vector<uint64_t> offsetsOf(const std::vector<unsigned> &members) {
  llvm::LLVMContext context;
  std::vector<llvm::Type *> types;
  for (const unsigned bits : members)
    types.push_back(bits ? static_cast<llvm::Type *>(llvm::Type::getIntNTy(context, bits))
                         : llvm::PointerType::get(context, 0));
  const llvm::DataLayout layout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128");
  auto *type = llvm::StructType::get(context, types);
  std::vector<uint64_t> offsets;
  for (unsigned i = 0; i < members.size(); ++i)
    offsets.push_back(layout.getStructLayout(type)->getElementOffset(i));
  offsets.push_back(layout.getTypeAllocSize(type));
  return offsets;
}

using Offsets = std::vector<uint64_t>;

} // namespace

TEST(AbiLayout, StructuresThatGeneratedCodeBuilds) {
  EXPECT_EQ(
      offsetsOf({32, 32, 32, 32, 32, 64, 64, 64}),
      (Offsets{offsetof(FailureCall, fault), offsetof(FailureCall, place.source), offsetof(FailureCall, place.line),
               offsetof(FailureCall, place.column), offsetof(FailureCall, hasThread), offsetof(FailureCall, thread),
               offsetof(FailureCall, thread) + 8, offsetof(FailureCall, thread) + 16, sizeof(FailureCall)}));
  EXPECT_EQ(offsetsOf({0, 0, 0, 0, 0}),
            (Offsets{offsetof(BlockCall, function), offsetof(BlockCall, parameters), offsetof(BlockCall, geometry),
                     offsetof(BlockCall, block), offsetof(BlockCall, arena), sizeof(BlockCall)}));
  EXPECT_EQ(offsetsOf({32, 32}),
            (Offsets{offsetof(BarrierCall, kind), offsetof(BarrierCall, votes), sizeof(BarrierCall)}));
  EXPECT_EQ(offsetsOf({32, 32, 0, 32, 32, 32}),
            (Offsets{offsetof(GatherCall, members), offsetof(GatherCall, bytes), offsetof(GatherCall, values),
                     offsetof(GatherCall, place.source), offsetof(GatherCall, place.line),
                     offsetof(GatherCall, place.column), sizeof(GatherCall)}));
  EXPECT_EQ(offsetsOf({64, 0, 0}), (Offsets{offsetof(PrintItem, kind), offsetof(PrintItem, data),
                                            offsetof(PrintItem, directive), sizeof(PrintItem)}));
  EXPECT_EQ(offsetsOf({32, 32, 0, 64}),
            (Offsets{offsetof(PrintCall, lanes), offsetof(PrintCall, count), offsetof(PrintCall, items),
                     offsetof(PrintCall, block), sizeof(PrintCall)}));
  EXPECT_EQ(offsetsOf({32, 32, 0, 0, 64, 64, 0}),
            (Offsets{offsetof(HeapCall, lanes), offsetof(HeapCall, place), offsetof(HeapCall, bytes),
                     offsetof(HeapCall, addresses), offsetof(HeapCall, block), offsetof(HeapCall, warp),
                     offsetof(HeapCall, failure), sizeof(HeapCall)}));
}

TEST(AbiLayout, StructuresThatGeneratedCodeReads) {
  EXPECT_EQ(offsetof(LaunchGeometry, gridDim), 4 * gridDimWord);
  EXPECT_EQ(offsetof(LaunchGeometry, blockDim), 4 * blockDimWord);
  EXPECT_EQ(offsetof(LaunchGeometry, dynamicSharedBytes), 4 * dynamicSharedWord);
  EXPECT_EQ(offsetof(WorkerArena, shared), 8 * unsigned(ArenaPointer::Shared));
  EXPECT_EQ(offsetof(WorkerArena, context), 8 * unsigned(ArenaPointer::Context));
  EXPECT_EQ(offsetof(WorkerArena, stackLimit), 8 * unsigned(ArenaPointer::StackLimit));
}

TEST(AbiLayout, NumbersThatStandInImages) {
  EXPECT_EQ(uint32_t(Fault::IndexOutOfBounds), 1u);
  EXPECT_EQ(uint32_t(Fault::DivisionByZero), 2u);
  EXPECT_EQ(uint32_t(raisedFault(0)), 16u);
  EXPECT_EQ(raisedPosition(raisedFault(3)), 3u);
  EXPECT_FALSE(isRaised(Fault::TooDeep));
  EXPECT_EQ(sizeof(ErrorRecord), 40u);
  EXPECT_EQ(offsetof(ErrorRecord, place.source), 4u);
  EXPECT_EQ(offsetof(ErrorRecord, thread), 16u);
  EXPECT_EQ(CapturedDeviceArray::symbol(2), "treadle_captured_2");
}
