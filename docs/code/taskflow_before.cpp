// The Taskflow side of docs/migration_graphs.md.
#include <cstddef>
#include <numeric>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>
#include <vector>

namespace {

int diamond() {
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  tf::Executor executor;
  tf::Taskflow flow;
  auto [first, left, right, last] = flow.emplace([&] { a = 1; }, [&] { b = a + 1; },  //
                                                 [&] { c = a + 2; }, [&] { d = b * c; });
  first.precede(left, right);
  last.succeed(left, right);
  executor.run(flow).get();
  return d;
}

int doubled_ten_times() {
  tf::Executor executor;
  tf::Taskflow flow;
  int value = 1;
  int rounds = 0;
  auto [begin, round, again, end] =
      flow.emplace([&] { rounds = 0; }, [&] { value *= 2; },
                   [&] { return ++rounds != 10 ? 0 : 1; },  // the number of its successor that runs
                   [&] { ++value; });
  begin.precede(round);
  round.precede(again);
  again.precede(round, end);
  executor.run(flow).get();
  return value;
}

long sum_of_found(std::size_t count) {
  tf::Executor executor;
  tf::Taskflow flow;
  std::vector<long> found(count);
  long sum = 0;
  auto search = flow.emplace([&](tf::Subflow& more) {
    for (std::size_t at = 0; at != found.size(); ++at) {
      more.emplace([&, at] { found[at] = static_cast<long>(at); });
    }
  });
  search.precede(flow.emplace([&] { sum = std::accumulate(found.begin(), found.end(), 0L); }));
  executor.run(flow).get();
  return sum;
}

long sum_of_squares(const std::vector<long>& numbers) {
  tf::Executor executor;
  long sum = 0;
  std::vector<long> values(16);  // one a line
  tf::Pipeline squares{
      values.size(),
      tf::Pipe{tf::PipeType::SERIAL,
               [&](tf::Pipeflow& token) {
                 if (token.token() == numbers.size()) {
                   token.stop();
                 } else {
                   values[token.line()] = numbers[token.token()];
                 }
               }},
      tf::Pipe{tf::PipeType::PARALLEL,
               [&](tf::Pipeflow& token) { values[token.line()] *= values[token.line()]; }},
      tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& token) { sum += values[token.line()]; }}};
  tf::Taskflow flow;
  flow.composed_of(squares);
  executor.run(flow).get();
  return sum;
}

}  // namespace

int main() {
  return diamond() == 6 && doubled_ten_times() == 1025 && sum_of_found(4) == 6 &&
                 sum_of_squares({1, 2, 3, 4}) == 30
             ? 0
             : 1;
}
