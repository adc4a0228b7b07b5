// The Taskflow side of docs/migration.md.
#include <taskflow/taskflow.hpp>

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
  executor.run(flow).wait();
  return d;
}

}  // namespace

int main() { return diamond() == 6 ? 0 : 1; }
