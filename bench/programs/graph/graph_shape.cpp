// SPDX-License-Identifier: Apache-2.0
#include "programs/graph/graph_shape.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "kernels/spin/lcg_chain.hpp"
#include "kernels/tiles/tile_program.hpp"

namespace fg::bench {
namespace {

using nodes = std::vector<std::uint32_t>;
using kind = graph_part::kind;

std::uint32_t add_node(graph_shape& shape, double weight, nodes predecessors) {
  shape.predecessors.push_back(std::move(predecessors));
  shape.weights.push_back(weight);
  return static_cast<std::uint32_t>(shape.weights.size() - 1);
}

// ---- graphs of series and branches

graph_part node(double weight = 1) { return {.weight = weight, .parts = {}}; }
graph_part series(std::vector<graph_part> parts) {
  return {.what = kind::series, .parts = std::move(parts)};
}
graph_part branches(std::vector<graph_part> parts) {
  return {.what = kind::branches, .parts = std::move(parts)};
}

// Adds the nodes of a part that begins after `before`, and returns those that it ends with.
nodes add_part(graph_shape& shape, graph_part& part, const nodes& before) {
  if (part.what == kind::node) {
    part.node = add_node(shape, part.weight, before);
    return {part.node};
  }
  nodes ends = before;
  nodes all_ends;
  for (graph_part& each : part.parts) {
    ends = add_part(shape, each, part.what == kind::series ? ends : before);
    all_ends.insert(all_ends.end(), ends.begin(), ends.end());
  }
  return part.what == kind::series ? ends : all_ends;
}

graph_shape nested(graph_part whole) {
  graph_shape shape;
  add_part(shape, whole, {});
  shape.nested = std::move(whole);
  return shape;
}

graph_shape chain() { return nested(series(std::vector(64, node()))); }

graph_shape diamond() { return nested(series({node(), branches({node(), node()}), node()})); }

// As in a network: eight times, seven nodes side by side and one that needs them all.
graph_shape inference() {
  const graph_part layer = series({branches(std::vector(7, node())), node()});
  return nested(series(std::vector(8, layer)));
}

// The tracks from `first` up to `last`, each a chain of seven effects, mixed in pairs. The effects
// take 0.1 to 5 lengths of a node, as cheap and dear ones do, in another order on each track.
graph_part mix(std::size_t first, std::size_t last) {
  if (last - first == 1) {
    constexpr std::array kLengths{0.1, 1.0, 0.2, 5.0, 0.5, 2.0};
    std::vector<graph_part> effects(7);
    for (std::size_t at = 0; at < effects.size(); ++at) {
      effects[at] = node(kLengths[(first + at) % kLengths.size()]);
    }
    return series(std::move(effects));
  }
  const std::size_t middle = (first + last) / 2;
  return series({branches({mix(first, middle), mix(middle, last)}), node(0.2)});
}

graph_shape audio() { return nested(series({mix(0, 8), node(0.5)})); }

// ---- others

graph_shape wavefront() {
  constexpr std::uint32_t kSide = 8;
  graph_shape shape;
  for (std::uint32_t at = 0; at < kSide * kSide; ++at) {
    nodes before;
    if (at >= kSide) {
      before.push_back(at - kSide);
    }
    if (at % kSide != 0) {
      before.push_back(at - 1);
    }
    add_node(shape, 1, std::move(before));
  }
  return shape;
}

// Each node needs up to three of the sixteen before it.
graph_shape random() {
  graph_shape shape;
  std::uint64_t state = 2024;
  const auto below = [&state](std::size_t limit) {
    state = kLcgFactor * state + kLcgTerm;
    return static_cast<std::uint32_t>((state >> 33U) % limit);
  };
  for (std::uint32_t at = 0; at < 64; ++at) {
    const std::uint32_t near = std::min(at, 16U);
    nodes before(at == 0 ? 0 : below(4));
    std::ranges::generate(before, [&] { return at - 1 - below(near); });
    std::ranges::sort(before);
    before.erase(std::ranges::unique(before).begin(), before.end());
    add_node(shape, 1, std::move(before));
  }
  return shape;
}

// The dependences of a Cholesky factorisation of six by six tiles, and its kernels' operations, in
// those of a trsm. No tile is written after another task has read it.
graph_shape cholesky() {
  constexpr std::uint32_t kSide = 6;
  graph_shape shape;
  std::vector<std::optional<std::uint32_t>> writers(tiles::lower_place(kSide, 0));
  for (const tiles::task& task : tiles::cholesky_tasks(kSide)) {
    nodes before;
    const auto after_writer_of = [&](std::uint32_t tile) {
      if (writers[tile]) {
        before.push_back(*writers[tile]);
      }
    };
    std::ranges::for_each(task.operands(), after_writer_of);
    after_writer_of(task.target);
    const double weight = task.what == tiles::kernel::potrf  ? 1.0 / 3
                          : task.what == tiles::kernel::gemm ? 2
                                                             : 1;
    writers[task.target] = add_node(shape, weight, std::move(before));
  }
  return shape;
}

struct named_shape {
  std::string_view name;
  graph_shape (*make)();
};
constexpr std::array kShapes{
    named_shape{"chain", chain},         named_shape{"diamond", diamond},
    named_shape{"wavefront", wavefront}, named_shape{"random", random},
    named_shape{"inference", inference}, named_shape{"cholesky", cholesky},
    named_shape{"audio", audio},
};

}  // namespace

std::vector<std::string> graph_shapes() {
  std::vector<std::string> names;
  std::ranges::transform(kShapes, std::back_inserter(names),
                         [](const named_shape& each) { return std::string{each.name}; });
  return names;
}

graph_shape graph_shape_of(std::string_view name) {
  return std::ranges::find(kShapes, name, &named_shape::name)->make();
}

}  // namespace fg::bench
