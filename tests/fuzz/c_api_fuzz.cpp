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

struct counted_node {
  std::size_t* calls;  // of all nodes in this run
  std::size_t place;   // among them
};
void note_place(void* arguments) {
  auto& self = *static_cast<counted_node*>(arguments);
  self.place = ++*self.calls;
}

// One thread, so that what is expected of each run is known.
void use_graph(FuzzedDataProvider& input) {
  constexpr std::size_t kMostNodes = 8;
  fg_graph* graph = nullptr;
  check(fg_graph_create(&graph));
  std::size_t calls = 0;
  std::array<counted_node, kMostNodes> nodes{};
  nodes.fill({&calls, 0});
  std::size_t added = 0;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  bool is_cancelled = false;
  while (input.remaining_bytes() != 0) {
    fg_graph* const given = perhaps(input, graph);
    switch (input.ConsumeIntegralInRange(0, 5)) {
      case 0: {
        if (added == kMostNodes) {
          break;
        }
        const std::string name = input.ConsumeRandomLengthString(40);
        const fg_routine called = input.ConsumeBool() ? note_place : nullptr;
        std::size_t node = kMostNodes;
        const fg_status status =
            fg_graph_add(given, perhaps(input, name.c_str()), called, &nodes[added], &node);
        check(status);
        require(node == (status == FG_OK ? added : kMostNodes), "nodes are numbered");
        added += status == FG_OK ? 1 : 0;
        break;
      }
      case 1: {
        const auto before = input.ConsumeIntegralInRange<std::size_t>(0, kMostNodes);
        const auto after = input.ConsumeBool()
                               ? input.ConsumeIntegral<std::size_t>()
                               : input.ConsumeIntegralInRange<std::size_t>(0, kMostNodes);
        const fg_status status = fg_graph_add_edge(given, before, after);
        check(status);
        require((status == FG_OK) == (given != nullptr && before < added && after < added),
                "edges between nodes");
        if (status == FG_OK) {
          edges.emplace_back(before, after);
        }
        break;
      }
      case 2: {
        const char* text = nullptr;
        const fg_status status =
            input.ConsumeBool() ? fg_graph_explain(given, &text) : fg_graph_dot(given, &text);
        check(status);
        require((status == FG_OK) == (text != nullptr), "a text, or why not");
        break;
      }
      case 3:
        check(fg_graph_cancel(graph));
        is_cancelled = true;
        break;
      default: {
        const fg_status can_run = fg_graph_prepare(given);
        check(can_run);
        calls = 0;
        const fg_status status = fg_graph_run(given);
        check(status);
        const bool ends_early = is_cancelled && added != 0;
        require(status == (can_run == FG_OK && ends_early ? FG_CANCELLED : can_run),
                "cancelled if asked");
        require(calls == (status == FG_OK ? added : 0), "each node is called once, or none");
        is_cancelled = is_cancelled && status != FG_CANCELLED;
        for (const auto& [before, after] : edges) {
          require(status != FG_OK || nodes.at(before).place < nodes.at(after).place,
                  "nodes are called in order");
        }
      }
    }
  }
  fg_graph_destroy(graph);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input{data, size};
  const std::array uses{use_pool, use_relic, use_graph};
  input.PickValueInArray(uses)(input);
  require(*fg_strerror(input.ConsumeIntegral<int>()) != '\0', "each number has a text");
  return 0;
}
