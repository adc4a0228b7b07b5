// SPDX-License-Identifier: Apache-2.0
#include "programs/graph/graph_process.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernels/kernel.hpp"
#include "programs/frame/program.hpp"

namespace fg::bench {
namespace {

constexpr double kEmptyNodeNs = 5;  // beside its work, on no runtime: for the length of a batch

struct graph_options {
  std::string shape;
  std::string form;
  double node_ns = 0;
  double spin_steps_per_us = 0;  // 0: as measured at the start
  double batch_us = 500;
  std::int64_t warmup_ms = 10;
  cpu_pair_option cpus;
  graph_plan plan{.shape = {}, .graphs = 5, .batches = 3};

  void add_to(options& app, const std::vector<std::string>& forms) {
    form = forms.front();
    app.add("--shape", shape, "Which graph").required().one_of(graph_shapes());
    app.add("--form", form, "How it is written").one_of(forms);
    app.add("--node-ns", node_ns, "What a node takes").number_in(0, 1e6);
    app.add("--spin-steps-per-us", spin_steps_per_us, "What `calibrate` printed").spin_rate();
    app.add("--graphs", plan.graphs, "Graphs whose first and hundredth runs are timed")
        .in_range(1, 10'000);
    app.add("--batches", plan.batches, "Timed batches of runs of the last one").in_range(1, 10'000);
    app.add("--batch-us", batch_us, "The serial time of a batch, at least").number_in(1, 1e7);
    app.add("--warmup-ms", warmup_ms, "Batches before those").in_range(0, 10'000);
    cpus.add_to(app);
  }

  void complete_plan() {
    if (node_ns != 0 && spin_steps_per_us == 0) {
      spin_steps_per_us = calibrate_spin_steps_per_us();
    }
    plan.shape = graph_shape_of(shape);
    plan.node_steps = spin_steps_per_us * node_ns / 1000;
    const std::vector<double>& weights = plan.shape.weights;
    const double lengths = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double run_ns = lengths * node_ns + kEmptyNodeNs * static_cast<double>(weights.size());
    plan.runs = static_cast<std::uint64_t>(std::max(1.0, std::ceil(1000 * batch_us / run_ns)));
    plan.warmup = std::chrono::milliseconds{warmup_ms};
  }
};

graph_result measured(const graph_runtime& runtime, const graph_options& asked) {
  timed_graphs graphs{asked.plan};
  std::exception_ptr failure;  // no runtime need pass it on
  runtime.session({.main = asked.cpus.main(), .assistant = asked.cpus.assistant()}, asked.form,
                  [&](const build_graph& build) {
                    try {
                      graphs.measure(build);
                    } catch (...) {
                      failure = std::current_exception();
                    }
                  });
  if (failure) {
    std::rethrow_exception(failure);
  }
  return graphs.result();
}

}  // namespace

int graph_main(int argc, char** argv, const graph_runtime& runtime) {
  options app{"A graph over " + runtime.name + ", built once and run again and again"};
  graph_options asked;
  asked.add_to(app, runtime.forms);
  const std::string program = "graph-" + runtime.name;
  return run_program(program.c_str(), app, argc, argv, [&]() -> nlohmann::ordered_json {
    asked.complete_plan();
    const graph_result result = measured(runtime, asked);
    return {{"runtime", runtime.name},
            {"form", asked.form},
            {"shape", asked.shape},
            {"node_ns", asked.node_ns},
            {"nodes", asked.plan.shape.weights.size()},
            {"ns", result.ns},
            {"build_ns", result.build_ns},
            {"first_ns", result.first_ns},
            {"hundredth_ns", result.hundredth_ns},
            {"elsewhere", result.elsewhere},
            {"cpus", result.cpus},
            {"version", runtime.version},
            {"note", ""}};
  });
}

}  // namespace fg::bench
