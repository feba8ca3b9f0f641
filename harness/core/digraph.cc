#include "core/digraph.h"

#include <algorithm>
#include <cstddef>

namespace refquake {
namespace {

// The edges of each node side by side.
class Successors {
 public:
  explicit Successors(const Digraph& graph) : first_(static_cast<size_t>(graph.nodes) + 1), to_(graph.edges.size()) {
    for (const auto& [from, to] : graph.edges) ++first_[static_cast<size_t>(from) + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [from, to] : graph.edges) to_[next[static_cast<size_t>(from)]++] = to;
  }
  size_t Begin(int node) const { return first_[static_cast<size_t>(node)]; }
  size_t End(int node) const { return first_[static_cast<size_t>(node) + 1]; }
  int At(size_t edge) const { return to_[edge]; }

 private:
  std::vector<size_t> first_;
  std::vector<int> to_;
};

// Tarjan, "Depth-first search and linear graph algorithms" (1972), with a stack of its own.
class Components {
 public:
  Components(const Successors& edges, std::vector<NodeShape>& shapes)
      : edges_(edges), shapes_(shapes), order_(shapes.size(), 0), low_(shapes.size(), 0), open_(shapes.size(), false) {}

  void Search() {
    for (size_t node = 0; node < shapes_.size(); ++node) {
      if (order_[node] == 0) From(static_cast<int>(node));
    }
  }

 private:
  struct Frame {
    int node;
    size_t edge;
  };

  void Enter(int node) {
    const auto i = static_cast<size_t>(node);
    order_[i] = low_[i] = ++entered_;
    open_[i] = true;
    stack_.push_back(node);
    frames_.push_back({node, edges_.Begin(node)});
  }

  void From(int start) {
    Enter(start);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const auto i = static_cast<size_t>(frame.node);
      if (frame.edge == edges_.End(frame.node)) {
        Leave(frame.node);
        continue;
      }
      const int to = edges_.At(frame.edge++);
      const auto j = static_cast<size_t>(to);
      if (order_[j] == 0) {
        Enter(to);  // `frame` is stale from here on
      } else if (open_[j]) {
        low_[i] = std::min(low_[i], order_[j]);
      }
    }
  }

  void Leave(int node) {
    const auto i = static_cast<size_t>(node);
    frames_.pop_back();
    if (!frames_.empty()) {
      int& low = low_[static_cast<size_t>(frames_.back().node)];
      low = std::min(low, low_[i]);
    }
    if (low_[i] != order_[i]) return;
    const auto first = std::find(stack_.rbegin(), stack_.rend(), node).base() - 1;
    const auto size = static_cast<int>(stack_.end() - first);
    for (auto member = first; member != stack_.end(); ++member) {
      open_[static_cast<size_t>(*member)] = false;
      if (size > 1) shapes_[static_cast<size_t>(*member)].cycle = size;
    }
    stack_.erase(first, stack_.end());
  }

  const Successors& edges_;
  std::vector<NodeShape>& shapes_;
  std::vector<int> order_;  // in which a node was entered, from 1; 0: not yet
  std::vector<int> low_;
  std::vector<bool> open_;  // on `stack_`
  std::vector<int> stack_;
  std::vector<Frame> frames_;
  int entered_ = 0;
};

void MeasureDepths(const Digraph& graph, const Successors& edges, std::vector<NodeShape>& shapes) {
  std::vector<int> queue;
  const auto reach = [&](int node, int depth) {
    int& known = shapes[static_cast<size_t>(node)].depth;
    if (known != kUnreached) return;
    known = depth;
    queue.push_back(node);
  };
  for (const int root : graph.roots) reach(root, 0);
  for (size_t i = 0; i < queue.size(); ++i) {
    const int node = queue[i];
    const int depth = shapes[static_cast<size_t>(node)].depth + 1;
    for (size_t edge = edges.Begin(node); edge < edges.End(node); ++edge) reach(edges.At(edge), depth);
  }
}

}  // namespace

std::vector<NodeShape> ShapesOf(const Digraph& graph) {
  std::vector<NodeShape> shapes(static_cast<size_t>(graph.nodes));
  for (const auto& [from, to] : graph.edges) {
    NodeShape& shape = shapes[static_cast<size_t>(to)];
    ++shape.parents;
    if (from == to) shape.cycle = 1;
  }
  const Successors edges(graph);
  Components(edges, shapes).Search();
  MeasureDepths(graph, edges, shapes);
  return shapes;
}

}  // namespace refquake
