// firstprivate and lastprivate objects with constructors and destructors in taskloops: each chunk
// has its own copy, the last iteration's value comes back, every object is destroyed exactly once.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

namespace {

int alive;

class counted {
 public:
  explicit counted(int value = 0) : value_(value), self_(this) { add(&alive, 1); }
  counted(const counted& other) : value_(other.value()), self_(this) { add(&alive, 1); }
  counted& operator=(const counted& other) {
    CHECK(self_ == this);
    value_ = other.value();
    return *this;
  }
  ~counted() {
    CHECK(self_ == this);
    self_ = nullptr;
    add(&alive, -1);
  }
  int value() const {
    CHECK(self_ == this);
    return value_;
  }
  void set(int value) { value_ = value; }

 private:
  int value_;
  const counted* self_;
};

constexpr int kIterations = 120;

}  // namespace

int main() {
  int done = 0;
  {
    counted first(7), last(-1);
#pragma omp parallel
#pragma omp single
    for (int grain = 1; grain < 200; grain = 3 * grain + 1) {
#pragma omp taskloop grainsize(grain) firstprivate(first) lastprivate(last) shared(done)
      for (int i = 0; i < kIterations; ++i) {
        CHECK(first.value() == 7 || first.value() < i);  // the chunk's own, which only it changes
        first.set(i % 5 - 5);
        last.set(i);
        add(&done, 1);
      }
      CHECK_EQUAL(kIterations - 1, last.value());
      CHECK_EQUAL(7, first.value());
#pragma omp taskloop firstprivate(first)
      for (int i = 0; i < -grain; ++i) add(&done, first.value());
    }
  }
  CHECK_EQUAL(5 * kIterations, done);
  CHECK_EQUAL(0, alive);
  return ok();
}
