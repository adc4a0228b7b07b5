// The C interface's arguments: a status for each, and one line with the reason.
// SPDX-License-Identifier: Apache-2.0
#include <FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "finegrain/finegrain.h"
#include "fuzz/oracle.hpp"

namespace {

using fg::test::require;

void check(fg_status status) {
  require(status >= FG_OK && status <= FG_CANCELLED, "one of the statuses");
  require(status != FG_INTERNAL_ERROR, "no exception is unknown");
  if (status != FG_OK) {
    fg::test::require_one_line(fg_last_error());
  }
}

void add_one(void* number) { ++*static_cast<int*>(number); }
void add_length(void* number, std::size_t begin, std::size_t end) {
  *static_cast<std::size_t*>(number) += end - begin;
}

template <class T>
T* perhaps(FuzzedDataProvider& input, T* pointer) {
  return input.ConsumeIntegralInRange(0, 7) == 0 ? nullptr : pointer;
}
fg_routine routine(FuzzedDataProvider& input) {
  return input.ConsumeIntegralInRange(0, 7) == 0 ? nullptr : add_one;
}

void use_relic(FuzzedDataProvider& input) {
  fg_relic_options options = FG_RELIC_OPTIONS_INIT;
  if (input.ConsumeBool()) {
    options.size = input.ConsumeIntegralInRange<std::size_t>(0, sizeof options + 8);
    options.assistant_cpu = input.ConsumeIntegral<int>();
    options.main_helps = input.ConsumeIntegral<int>();
  }
  options.spin_budget_us = input.ConsumeIntegral<std::int64_t>();
  options.hinted_budget_us = input.ConsumeIntegral<std::int64_t>();
  fg_relic* relic = nullptr;
  const fg_status created = fg_relic_create(perhaps(input, &options), &relic);
  check(created);
  require((created == FG_OK) == (relic != nullptr), "a relic, or why not");
  int ran = 0;
  int expected = 0;
  fg_site site{};
  for (int i = 0; i < 16 && relic != nullptr; ++i) {
    fg_relic* const given = perhaps(input, relic);
    switch (input.ConsumeIntegralInRange(0, 5)) {
      case 0: {
        const fg_status status = fg_relic_submit(given, routine(input), &ran);
        check(status);
        expected += status == FG_OK ? 1 : 0;
        break;
      }
      case 1: {
        check(fg_relic_wait(relic));  // only one thread at a time counts the tasks
        const fg_status status = fg_relic_fork_join(
            given, perhaps(input, &site), routine(input), &ran, +[](void*) {}, nullptr);
        check(status);
        expected += status == FG_OK ? 1 : 0;
        break;
      }
      case 2: {
        std::size_t iterations = 0;
        // One chunk, so on one thread.
        check(
            fg_relic_parallel_for(given, nullptr, 0, 100, add_length, &iterations,
                                  input.ConsumeIntegralInRange<std::size_t>(100, ~std::size_t{0})));
        require(iterations == 0 || iterations == 100, "all or none");
        break;
      }
      case 3: {
        fg_placement placement = FG_PLACEMENT_INIT;
        placement.size = input.ConsumeIntegralInRange<std::size_t>(0, sizeof placement);
        check(fg_relic_get_placement(given, perhaps(input, &placement)));
        break;
      }
      case 4: {
        const std::array<unsigned char, FG_VALUE_BYTES> arguments{};
        std::array<unsigned char, FG_VALUE_BYTES> result{};
        const auto size = input.ConsumeIntegralInRange<std::size_t>(0, FG_VALUE_BYTES + 2);
        const fg_status status = fg_relic_submit_values(
            given, +[](const void*, void* there) { std::memset(there, 1, FG_VALUE_BYTES); },
            perhaps(input, arguments.data()), size, perhaps(input, result.data()), size);
        check(status);
        check(fg_relic_wait(relic));
        const auto written = static_cast<std::size_t>(std::ranges::count(result, 1));
        require(written == (status == FG_OK ? size : 0), "as many bytes as were asked for");
        break;
      }
      default:
        check(fg_relic_wake_up_hint(given));
        check(fg_relic_sleep_hint(given));
    }
  }
  check(fg_relic_wait(relic));
  require(ran == expected, "each task runs once");
  fg_relic_destroy(relic);
}

void use_pool(FuzzedDataProvider& input) {
  // Few, or more than any machine has.
  constexpr std::size_t kTooMany = (std::size_t{1} << 16U) + 1;
  const std::string policy = input.ConsumeRandomLengthString(20);
  const std::string wait = input.ConsumeRandomLengthString(20);
  fg_pool_options options = FG_POOL_OPTIONS_INIT;
  options.workers = input.ConsumeBool() ? input.ConsumeIntegralInRange<std::size_t>(0, 3)
                                        : input.ConsumeIntegralInRange(kTooMany, ~std::size_t{0});
  options.policy = perhaps(input, policy.c_str());
  options.wait = perhaps(input, wait.c_str());
  options.queue_capacity = input.ConsumeIntegral<std::size_t>();
  options.help_stack_bytes = input.ConsumeIntegral<std::size_t>();
  options.spin_budget_us = input.ConsumeIntegral<std::int64_t>();
  options.placement = input.ConsumeIntegral<int>();
  options.pinning = input.ConsumeIntegral<int>();
  options.assistants = input.ConsumeIntegralInRange(0, 1);
  fg_pool* pool = nullptr;
  const fg_status created = fg_pool_create(perhaps(input, &options), &pool);
  check(created);
  require((created == FG_OK) == (pool != nullptr), "a pool, or why not");
  int ran = 0;
  const fg_status status = fg_pool_run(pool, routine(input), &ran);
  check(status);
  require(ran == (status == FG_OK ? 1 : 0), "it runs once, or not at all");
  int cpu = 0;
  check(fg_pool_get_cpu(pool, input.ConsumeIntegral<std::size_t>(), &cpu));
  fg_pool_destroy(pool);
}

// What a graph was given, to compute what a run has to do.
class modelled_graph {
 public:
  enum class kind { removed, routine, graph, choice, loop, growing };
  struct node {
    kind is = kind::removed;
    modelled_graph* part = nullptr;  // of a graph or a loop
    std::vector<modelled_graph*> parts;
    std::size_t number = 0;  // the part that is chosen, of rounds, of nodes that it adds
    std::size_t left = 0;    // rounds
    std::size_t anew = 0;    // rounds, when the loop begins once more
    std::size_t reserved = 0;
    std::size_t* calls = nullptr;  // of all graphs in this run
    std::size_t place = 0;         // the last one among them
  };
  // What a run does, by the calling thread alone.
  struct outcome {
    std::size_t calls = 0;
    bool begins = false;  // calls something of the program's
    bool fails = false;
  };

  modelled_graph() { check(fg_graph_create(&graph)); }
  ~modelled_graph() { fg_graph_destroy(graph); }
  modelled_graph(const modelled_graph&) = delete;
  modelled_graph& operator=(const modelled_graph&) = delete;

  [[nodiscard]] bool has(std::size_t number) const {
    return number < added && nodes[number].is != kind::removed;
  }

  // Whether it has no nodes that wait for each other, and is not within itself but by a loop.
  bool can_run() {
    if (is_in_part || has_cycle()) {
      return false;
    }
    is_in_part = true;
    const bool parts_can = std::ranges::all_of(nodes, [](node& each) {
      return each.is == kind::graph ? each.part->can_run()
                                    : std::ranges::all_of(each.parts, &modelled_graph::can_run);
    });
    is_in_part = false;
    return parts_can;
  }
  // The same of it and of all graphs that its loops run.
  bool can_run_with_loops() {
    if (is_looked_at) {
      return true;
    }
    is_looked_at = true;
    const bool can = can_run() && std::ranges::all_of(nodes, [](node& each) {
                       return (each.part == nullptr || each.part->can_run_with_loops()) &&
                              std::ranges::all_of(each.parts, &modelled_graph::can_run_with_loops);
                     });
    is_looked_at = false;
    return can;
  }

  // Requires: can_run().
  outcome expected() {
    outcome all;
    is_running = true;
    add_to(all);
    is_running = false;
    return all;
  }

  static constexpr std::size_t kMostNodes = 6;
  fg_graph* graph = nullptr;
  std::array<node, kMostNodes> nodes;
  std::size_t added = 0;
  std::size_t reserved_nodes = ~std::size_t{0};
  std::size_t reserved_edges = ~std::size_t{0};
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // also what was said twice
  bool is_cancelled = false;

 private:
  void add_to(outcome& all) {
    for (std::size_t number = 0; number != added; ++number) {
      const node& each = nodes[number];
      all.begins = all.begins || (each.is != kind::removed && each.is != kind::graph);
      if (each.is == kind::routine) {
        ++all.calls;
      } else if (each.is == kind::graph) {
        each.part->add_to(all);
      } else if (each.is == kind::choice && each.number < each.parts.size()) {
        each.parts[each.number]->add_to(all);
      } else if (each.is == kind::loop && each.number != 0) {
        add_rounds(each, all);
      } else if (each.is == kind::growing) {
        all.calls += each.number;
        all.fails = all.fails || each.number > each.reserved;
      }
    }
  }
  static void add_rounds(const node& loop, outcome& all) {
    modelled_graph& part = *loop.part;
    if (part.is_running || !part.can_run()) {
      all.fails = true;
      return;
    }
    part.is_running = true;
    outcome once;
    part.add_to(once);
    part.is_running = false;
    all.calls += loop.number * once.calls;
    all.fails = all.fails || once.fails;
  }

  // Of some nodes each waits for another one of them.
  [[nodiscard]] bool has_cycle() const {
    std::array<bool, kMostNodes> waits{};
    for (std::size_t round = 0; round != kMostNodes + 1; ++round) {
      std::array<bool, kMostNodes> still{};
      for (const auto& [before, after] : edges) {
        still.at(after) = still.at(after) || round == 0 || waits.at(before);
      }
      waits = still;
    }
    return std::ranges::find(waits, true) != waits.end();
  }

  bool is_running = false;  // not only as a part
  bool is_in_part = false;
  bool is_looked_at = false;
};

using model_node = modelled_graph::node;
using model_kind = modelled_graph::kind;

void note_place(void* arguments) {
  auto& self = *static_cast<model_node*>(arguments);
  self.place = ++*self.calls;
}
std::size_t choose_number(void* arguments) { return static_cast<model_node*>(arguments)->number; }
int next_round(void* arguments) {
  auto& self = *static_cast<model_node*>(arguments);
  if (self.left == 0) {
    self.left = self.anew;
    return 0;
  }
  --self.left;
  return 1;
}
fg_status grow_nodes(void* arguments, fg_graph* more) {
  auto& self = *static_cast<model_node*>(arguments);
  for (std::size_t node = 0; node != self.number; ++node) {
    const fg_status status = fg_graph_add(more, nullptr, note_place, arguments, nullptr);
    check(status);
    require((status == FG_OK) == (node < self.reserved), "as many nodes as are reserved");
    if (status != FG_OK) {
      return status;
    }
    if (node != 0) {
      require(fg_graph_add_edge(more, node - 1, node) == FG_OK, "an edge is reserved for each");
    }
  }
  return FG_OK;
}

// Some graphs that may have each other as parts.
class modelled_graphs {
 public:
  void use(FuzzedDataProvider& input) {
    while (input.remaining_bytes() != 0) {
      modelled_graph& graph = any(input);
      fg_graph* const given = perhaps(input, graph.graph);
      switch (input.ConsumeIntegralInRange(0, 8)) {
        case 0:
        case 1:
          add(input, graph, given);
          break;
        case 2:
          change_edge(input, graph, given);
          break;
        case 3:
          remove(input, graph, given);
          break;
        case 4:
          reserve(input, graph, given);
          break;
        case 5: {
          const char* text = nullptr;
          const fg_status status =
              input.ConsumeBool() ? fg_graph_explain(given, &text) : fg_graph_dot(given, &text);
          check(status);
          require((status == FG_OK) == (text != nullptr), "a text, or why not");
          break;
        }
        case 6:
          check(fg_graph_cancel(graph.graph));
          graph.is_cancelled = true;
          break;
        default:
          run(graph, given);
      }
    }
  }

 private:
  modelled_graph& any(FuzzedDataProvider& input) {
    return graphs_[input.ConsumeIntegralInRange<std::size_t>(0, graphs_.size() - 1)];
  }
  static std::size_t any_number(FuzzedDataProvider& input) {
    return input.ConsumeBool()
               ? input.ConsumeIntegral<std::size_t>()
               : input.ConsumeIntegralInRange<std::size_t>(0, modelled_graph::kMostNodes);
  }

  void add(FuzzedDataProvider& input, modelled_graph& graph, fg_graph* given) {
    if (graph.added == modelled_graph::kMostNodes) {
      return;
    }
    model_node& added = graph.nodes[graph.added];
    added = {};
    added.number = input.ConsumeIntegralInRange<std::size_t>(0, 3);
    added.calls = &calls_;
    const std::string named = input.ConsumeRandomLengthString(40);
    const char* const name = perhaps(input, named.c_str());
    const bool has_routine = input.ConsumeIntegralInRange(0, 7) != 0;
    modelled_graph& part = any(input);
    fg_graph* const given_part = perhaps(input, part.graph);
    std::size_t node = ~std::size_t{0};
    fg_status status = FG_OK;
    bool has_all = given != nullptr && has_routine;
    const auto kind = static_cast<model_kind>(input.ConsumeIntegralInRange(1, 5));
    switch (kind) {
      case model_kind::graph:
        added.part = &part;
        has_all = given != nullptr && given_part != nullptr;
        status = fg_graph_add_graph(given, name, given_part, &node);
        break;
      case model_kind::choice: {
        added.parts.assign({&part, &any(input)});
        const std::array<fg_graph*, 2> parts{given_part, added.parts[1]->graph};
        added.parts.resize(input.ConsumeIntegralInRange<std::size_t>(0, 2));
        has_all = has_all && (given_part != nullptr || added.parts.empty());
        status = fg_graph_add_choice(given, name, has_routine ? choose_number : nullptr, &added,
                                     parts.data(), added.parts.size(), &node);
        break;
      }
      case model_kind::loop:
        added.part = &part;
        has_all = has_all && given_part != nullptr;
        status = fg_graph_add_loop(given, name, has_routine ? next_round : nullptr, &added,
                                   given_part, &node);
        break;
      case model_kind::growing:
        added.reserved = input.ConsumeIntegralInRange<std::size_t>(0, 3);
        status = fg_graph_add_growing(given, name, has_routine ? grow_nodes : nullptr, &added,
                                      added.reserved, added.reserved, 0, &node);
        break;
      default:
        status = fg_graph_add(given, name, has_routine ? note_place : nullptr, &added, &node);
    }
    check(status);
    const bool fits = graph.added < graph.reserved_nodes;
    require(status != FG_OK || (has_all && fits), "nothing is missing");
    // The bytes of a reserve count names that were refused, too.
    require(status == FG_OK || !has_all || graph.reserved_nodes != ~std::size_t{0},
            "otherwise it is added");
    require(node == (status == FG_OK ? graph.added : ~std::size_t{0}), "nodes are numbered");
    if (status == FG_OK) {
      added.is = kind;
      ++graph.added;
    } else {
      added = {};
    }
  }

  static void change_edge(FuzzedDataProvider& input, modelled_graph& graph, fg_graph* given) {
    const std::pair edge{any_number(input), any_number(input)};
    const bool is_between_nodes =
        given != nullptr && graph.has(edge.first) && graph.has(edge.second);
    if (input.ConsumeBool()) {
      const fg_status status = fg_graph_add_edge(given, edge.first, edge.second);
      check(status);
      require((status == FG_OK) == (is_between_nodes && graph.edges.size() < graph.reserved_edges),
              "edges between nodes, as many as are reserved");
      if (status == FG_OK) {
        graph.edges.push_back(edge);
      }
    } else {
      const fg_status status = fg_graph_remove_edge(given, edge.first, edge.second);
      check(status);
      const bool was_there = is_between_nodes && std::erase(graph.edges, edge) != 0;
      require((status == FG_OK) == was_there, "edges that are there are taken out");
    }
  }

  static void remove(FuzzedDataProvider& input, modelled_graph& graph, fg_graph* given) {
    if (input.ConsumeIntegralInRange(0, 3) == 0) {
      const fg_status status = fg_graph_clear(given);
      check(status);
      require((status == FG_OK) == (given != nullptr), "any graph can be cleared");
      if (status == FG_OK) {
        graph.nodes.fill({});
        graph.added = 0;
        graph.edges.clear();
      }
      return;
    }
    const std::size_t number = any_number(input);
    const fg_status status = fg_graph_remove(given, number);
    check(status);
    require((status == FG_OK) == (given != nullptr && graph.has(number)), "nodes are taken out");
    if (status == FG_OK) {
      graph.nodes.at(number) = {};
      std::erase_if(graph.edges, [number](const auto& each) {
        return each.first == number || each.second == number;
      });
    }
  }

  static void reserve(FuzzedDataProvider& input, modelled_graph& graph, fg_graph* given) {
    // Few, or too many.
    const auto many = [&input] {
      constexpr std::size_t kTooMany = std::size_t{1} << 32U;
      return input.ConsumeIntegralInRange(0, 7) == 0
                 ? input.ConsumeIntegralInRange(kTooMany, ~std::size_t{0})
                 : input.ConsumeIntegralInRange<std::size_t>(0, 10);
    };
    const std::size_t nodes = many();
    const std::size_t edges = many();
    const std::size_t name_bytes = many();
    const fg_status status = fg_graph_reserve(given, nodes, edges, name_bytes);
    check(status);
    require((status == FG_OK) == (given != nullptr && graph.added == 0 &&
                                  std::max({nodes, edges, name_bytes}) <= 10),
            "graphs without nodes have a reserve");
    if (status == FG_OK) {
      graph.reserved_nodes = nodes;
      graph.reserved_edges = edges;
    }
  }

  void run(modelled_graph& graph, fg_graph* given) {
    const fg_status can_run = fg_graph_prepare(given);
    check(can_run);
    // The part of a loop may have changed since, and is looked at when it runs.
    require((given != nullptr && graph.can_run()) || can_run == FG_INVALID_ARGUMENT,
            "nodes that wait for each other are found");
    require(given == nullptr || !graph.can_run_with_loops() || can_run == FG_OK,
            "otherwise it can be run");
    const modelled_graph::outcome expected =
        can_run == FG_OK ? graph.expected() : modelled_graph::outcome{};
    calls_ = 0;
    for (modelled_graph& each : graphs_) {
      for (model_node& node : each.nodes) {
        node.place = 0;
        // A loop within itself counts the rounds of both: it begins once, with a few.
        node.left = expected.fails && node.number != 0 ? 4 : node.number;
        node.anew = expected.fails ? 0 : node.number;
      }
    }
    const fg_status status = fg_graph_run(given);
    check(status);
    if (can_run != FG_OK) {
      require(status == can_run && calls_ == 0, "a run fails as preparing it does");
      return;
    }
    if (graph.is_cancelled && expected.begins) {
      require(status == FG_CANCELLED && calls_ == 0, "cancelled if asked");
      graph.is_cancelled = false;
    } else if (expected.fails) {
      require(status == FG_INVALID_ARGUMENT, "a part that cannot run ends the run");
    } else {
      require(status == FG_OK && calls_ == expected.calls, "each node is called");
      expect_order();
    }
  }

  void expect_order() const {
    for (const modelled_graph& each : graphs_) {
      for (const auto& [before, after] : each.edges) {
        const model_node& first = each.nodes.at(before);
        const model_node& second = each.nodes.at(after);
        if (first.is == model_kind::routine && second.is == model_kind::routine) {
          require(first.place < second.place || (first.place == 0 && second.place == 0),
                  "nodes are called in order");
        }
      }
    }
  }

  std::array<modelled_graph, 3> graphs_;
  std::size_t calls_ = 0;
};

void use_graph(FuzzedDataProvider& input) { modelled_graphs{}.use(input); }

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const std::array uses{use_pool, use_relic, use_graph};
  input.PickValueInArray(uses)(input);
  require(*fg_strerror(input.ConsumeIntegral<int>()) != '\0', "each number has a text");
  return 0;
}
