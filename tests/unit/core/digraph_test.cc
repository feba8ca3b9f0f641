// Shapes of small graphs that can be counted by hand.
#include "core/digraph.h"

#include <gtest/gtest.h>

namespace refquake {
namespace {

TEST(DigraphTest, ANodeAloneHasNoShape) {
  const NodeShape shape = ShapesOf({.nodes = 1}).front();
  EXPECT_EQ(shape.cycle, 0);
  EXPECT_EQ(shape.parents, 0);
  EXPECT_EQ(shape.depth, kUnreached);
}

TEST(DigraphTest, ASelfLoopIsACycleOfOne) { EXPECT_EQ(ShapesOf({.nodes = 1, .edges = {{0, 0}}})[0].cycle, 1); }

TEST(DigraphTest, ASelfLoopInALargerCycleCountsAsTheLarger) {
  EXPECT_EQ(ShapesOf({.nodes = 2, .edges = {{0, 0}, {0, 1}, {1, 0}}})[0].cycle, 2);
}

TEST(DigraphTest, TellsACycleFromWhatHangsOnIt) {
  // 3 -> (0 -> 1 -> 2 -> 0) -> 4
  const auto shapes = ShapesOf({.nodes = 5, .edges = {{3, 0}, {0, 1}, {1, 2}, {2, 0}, {2, 4}}});
  for (size_t node : {0, 1, 2}) EXPECT_EQ(shapes[node].cycle, 3);
  EXPECT_EQ(shapes[3].cycle, 0);
  EXPECT_EQ(shapes[4].cycle, 0);
}

TEST(DigraphTest, TwoCyclesThatTouchByOneEdgeStayTwo) {
  const auto shapes = ShapesOf({.nodes = 5, .edges = {{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 2}}});
  EXPECT_EQ(shapes[0].cycle, 2);
  EXPECT_EQ(shapes[4].cycle, 3);
}

TEST(DigraphTest, AChildHeldTwiceHasTwoParents) {
  EXPECT_EQ(ShapesOf({.nodes = 2, .edges = {{0, 1}, {0, 1}}})[1].parents, 2);
}

TEST(DigraphTest, DepthIsFromTheNearestRoot) {
  const auto shapes = ShapesOf({.nodes = 4, .edges = {{0, 1}, {1, 2}, {3, 2}}, .roots = {0}});
  EXPECT_EQ(shapes[2].depth, 2);
  EXPECT_EQ(shapes[3].depth, kUnreached);
  EXPECT_EQ(ShapesOf({.nodes = 4, .edges = {{0, 1}, {1, 2}, {3, 2}}, .roots = {0, 3}})[2].depth, 1);
}

TEST(DigraphTest, ALongChainIsNoDeepRecursion) {
  Digraph graph{.nodes = 1'000'000, .edges = {}, .roots = {0}};
  for (int i = 1; i < graph.nodes; ++i) graph.edges.emplace_back(i - 1, i);
  EXPECT_EQ(ShapesOf(graph).back().depth, graph.nodes - 1);
}

}  // namespace
}  // namespace refquake
