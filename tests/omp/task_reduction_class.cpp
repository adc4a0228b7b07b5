// A class with a user-declared reduction in taskgroup, taskloop and reduction(task, ...):
// initializer, combiner and destructor of every private copy.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "check.h"

namespace {

int alive;

class bag {
 public:
  bag() { add(&alive, 1); }
  bag(const bag& other) : numbers_(other.numbers_) { add(&alive, 1); }
  bag& operator=(const bag&) = default;
  ~bag() { add(&alive, -1); }
  void put(int number) { numbers_.push_back(number); }
  void take_all(const bag& other) {
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
  }
  int size() const { return static_cast<int>(numbers_.size()); }
  long sum() const {
    long sum = 0;
    for (const int number : numbers_) sum += number;
    return sum;
  }

 private:
  std::vector<int> numbers_;
};

constexpr int kTasks = 100;

}  // namespace

#pragma omp declare reduction(gather:bag : omp_out.take_all(omp_in)) initializer(omp_priv = bag())

int main() {
  const int threads = omp_get_max_threads();
  {
    bag grouped, looped, of_region;
    grouped.put(1000);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(gather : grouped)
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task in_reduction(gather : grouped)
        grouped.put(i);
      }
#pragma omp taskloop grainsize(3) reduction(gather : looped)
      for (int i = 0; i < kTasks; ++i) looped.put(i);
    }
    CHECK_EQUAL(kTasks + 1, grouped.size());
    CHECK_EQUAL(1000 + kTasks * (kTasks - 1) / 2, grouped.sum());
    CHECK_EQUAL(kTasks, looped.size());
    CHECK_EQUAL(kTasks * (kTasks - 1) / 2, looped.sum());
#pragma omp parallel reduction(task, gather : of_region)
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(gather : of_region)
      of_region.put(i);
    }
    CHECK_EQUAL(10 * threads, of_region.size());
    CHECK_EQUAL(45 * threads, of_region.sum());
  }
  CHECK_EQUAL(0, alive);
  return ok();
}
