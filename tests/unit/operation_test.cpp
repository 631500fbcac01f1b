// The table of operations: its rows are consistent.
#include "builtins/operation.h"

#include <gtest/gtest.h>
#include <set>
#include <string_view>

using namespace treadle;

TEST(OperationTest, EachOperationHasATextOfItsOwn) {
  std::set<std::string_view> texts;
  for (const OperationRow &row : operationRows)
    EXPECT_TRUE(!row.text.empty() && texts.insert(row.text).second) << row.text;
}

TEST(OperationTest, OnlyIdentitiesDifferBetweenThreadsWhoseOperandsAreEqual) {
  for (const OperationRow &row : operationRows) {
    const bool isIdentity = row.kind == OperationClass::Identity;
    EXPECT_EQ(row.uniformity != Uniformity::Operands, isIdentity) << row.text;
    EXPECT_EQ(row.operands == 0, isIdentity || row.text == "none") << row.text;
  }
}

TEST(OperationTest, PositionsAndOperationsNameEachOther) {
  unsigned found = 0;
  for (unsigned op = 0; op < std::size(operationRows); ++op)
    if (const auto at = positionOf(Operation(op))) {
      ++found;
      EXPECT_EQ(operationOf(*at), Operation(op));
      EXPECT_EQ(operationText(Operation(op)).back(), "xyz"[at->axis]);
    }
  EXPECT_EQ(found, 30u);
  EXPECT_EQ(positionOf(Operation::BlockDimY), (PositionOnAxis{Position::BlockDim, 1}));
  EXPECT_FALSE(positionOf(Operation::LaneId) || positionOf(Operation::Add));
}

TEST(OperationTest, WhatIsAboutClusters) {
  EXPECT_TRUE(isOfCluster(Operation::ClusterRank) && isOfCluster(Operation::ClusterBlocks));
  EXPECT_TRUE(isOfCluster(Operation::BlockInClusterX) && isOfCluster(Operation::GridClustersZ));
  EXPECT_FALSE(isOfCluster(Operation::GridDimX) || isOfCluster(Operation::GridX) || isOfCluster(Operation::Add));
  EXPECT_TRUE(isOfCluster(BarrierKind::ClusterWait) && !isOfCluster(BarrierKind::Grid));
}

TEST(OperationTest, UniformityFollowsThePosition) {
  EXPECT_TRUE(isOneForGrid(Operation::GridSizeX) && isOneForGrid(Operation::BlockDimZ) && isOneForGrid(Operation::Add));
  EXPECT_TRUE(isOneForBlock(Operation::BlockIdxX) && !isOneForGrid(Operation::BlockIdxX));
  EXPECT_TRUE(isOneForBlock(Operation::ClusterRank) && !isOneForGrid(Operation::ClusterIdxY));
  EXPECT_TRUE(isOneForGrid(Operation::ClusterDimX) && isOneForGrid(Operation::ClusterBlocks));
  EXPECT_FALSE(isOneForBlock(Operation::GridX) || isOneForBlock(Operation::LaneMaskLt));
}

TEST(OperationTest, WarpOperationsThatWaitForLanesNameThem) {
  for (unsigned op = 0; op < std::size(warpOperationRows); ++op)
    EXPECT_TRUE(!isSynchronizing(WarpOperation(op)) || warpOperationRows[op].operands > 0)
        << warpOperationRows[op].text;
  EXPECT_TRUE(isSynchronizing(WarpOperation::SyncWarp) && isSynchronizing(WarpOperation::MatchAll));
  EXPECT_FALSE(isSynchronizing(WarpOperation::FenceBlock) || isSynchronizing(WarpOperation::ActiveMask));
}

TEST(OperationTest, SomeOperationsShowWhichThreadsAreAWarp) {
  EXPECT_TRUE(showsWarps(WarpOperation::ActiveMask) && showsWarps(WarpOperation::SyncWarp));
  EXPECT_FALSE(showsWarps(WarpOperation::Clock) || showsWarps(WarpOperation::BarrierResult));
  EXPECT_TRUE(showsWarps(Operation::LaneId) && showsWarps(Operation::LaneMaskLt));
  EXPECT_FALSE(showsWarps(Operation::ThreadIdxX) || showsWarps(Operation::Add));
}
