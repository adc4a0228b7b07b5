// The oneTBB side of docs/migration_graphs.md.
#include <tbb/flow_graph.h>
#include <tbb/parallel_pipeline.h>

#include <cstddef>
#include <vector>

namespace {

int diamond() {
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  using message = tbb::flow::continue_msg;
  using node = tbb::flow::continue_node<message>;
  tbb::flow::graph graph;
  node first{graph, [&](const message&) { a = 1; }};
  node left{graph, [&](const message&) { b = a + 1; }};
  node right{graph, [&](const message&) { c = a + 2; }};
  node last{graph, [&](const message&) { d = b * c; }};
  tbb::flow::make_edge(first, left);
  tbb::flow::make_edge(first, right);
  tbb::flow::make_edge(left, last);
  tbb::flow::make_edge(right, last);
  first.try_put({});
  graph.wait_for_all();
  return d;
}

long sum_of_squares(const std::vector<long>& numbers) {
  long sum = 0;
  std::size_t next = 0;
  using mode = tbb::filter_mode;
  const auto read =
      tbb::make_filter<void, long>(mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == numbers.size()) {
          control.stop();
          return 0L;
        }
        return numbers[next++];
      });
  const auto square =
      tbb::make_filter<long, long>(mode::parallel, [](long value) { return value * value; });
  const auto add =
      tbb::make_filter<long, void>(mode::serial_in_order, [&](long value) { sum += value; });
  tbb::parallel_pipeline(16, read & square & add);
  return sum;
}

}  // namespace

int main() { return diamond() == 6 && sum_of_squares({1, 2, 3, 4}) == 30 ? 0 : 1; }
