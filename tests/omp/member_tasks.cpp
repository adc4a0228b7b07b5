// Tasks in member functions, lambdas and templates: `this`, captures by reference and dependent
// types.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "check.h"

namespace {

class tree {
 public:
  explicit tree(int depth) : depth_(depth) {
    if (depth > 0) {
      children_.emplace_back(depth - 1);
      children_.emplace_back(depth - 2 > 0 ? depth - 2 : 0);
    }
  }
  int count() const {
    int sums[2] = {0, 0};
    if (children_.empty()) return 1;
#pragma omp task shared(sums)
    sums[0] = children_[0].count();
#pragma omp task shared(sums)
    sums[1] = children_[1].count();
#pragma omp taskwait
    return sums[0] + sums[1] + (depth_ > 0);
  }
  int count_alone() const {
    int sum = 1;
    for (const tree& child : children_) sum += child.count_alone();
    return sum;
  }

 private:
  int depth_;
  std::vector<tree> children_;
};

template <typename T, typename F>
T reduce(const std::vector<T>& values, std::size_t begin, std::size_t end, F f) {
  if (end - begin == 1) return values[begin];
  const std::size_t middle = begin + (end - begin) / 2;
  T left{}, right{};
#pragma omp task shared(left, values) firstprivate(f)
  left = reduce(values, begin, middle, f);
  right = reduce(values, middle, end, f);
#pragma omp taskwait
  return f(left, right);
}

}  // namespace

int main() {
  const tree root(12);
  int nodes = 0, base = 3, by_lambda = 0;
  double sum = 0;
  const std::vector<double> values(300, 0.5);
#pragma omp parallel
#pragma omp single
  {
    nodes = root.count();
    sum = reduce(values, 0, values.size(), [](double a, double b) { return a + b; });
    const auto spawn = [counter = &by_lambda, base](int times) {
      for (int i = 0; i < times; ++i) {
#pragma omp task
        add(counter, base);
      }
#pragma omp taskwait
    };
    spawn(50);
  }
  CHECK_EQUAL(root.count_alone(), nodes);
  CHECK(sum == 150);
  CHECK_EQUAL(150, by_lambda);
  return ok();
}
