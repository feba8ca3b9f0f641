// Shapes in a small directed graph: cycles, shared nodes, and how deep a node lies.
//
//   Digraph graph{.nodes = 2, .edges = {{0, 1}, {1, 0}}, .roots = {0}};
//   ShapesOf(graph)[1];                        // {.cycle = 2, .parents = 1, .depth = 1}
//
// Contract: nodes count from 0; edges and roots name nodes below `nodes`. An edge that stands twice counts twice.
// Linear in nodes and edges, without recursion.
#ifndef REFQUAKE_CORE_DIGRAPH_H_
#define REFQUAKE_CORE_DIGRAPH_H_

#include <utility>
#include <vector>

namespace refquake {

struct Digraph {
  int nodes = 0;
  std::vector<std::pair<int, int>> edges;
  std::vector<int> roots;
};

inline constexpr int kUnreached = -1;

struct NodeShape {
  int cycle = 0;           // nodes of the strongly connected component it is in; 1: it points to itself; 0: in none
  int parents = 0;         // edges that end in it
  int depth = kUnreached;  // edges from the nearest root
};

std::vector<NodeShape> ShapesOf(const Digraph& graph);

}  // namespace refquake

#endif  // REFQUAKE_CORE_DIGRAPH_H_
