// firstprivate objects with copy constructors and destructors in tasks: each task's copy has the
// value at its creation, and every object is destroyed exactly once.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

namespace {

int alive;

class counted {
 public:
  explicit counted(int value) : value_(value), self_(this) { add(&alive, 1); }
  counted(const counted& other) : value_(other.value()), self_(this) { add(&alive, 1); }
  counted& operator=(const counted&) = delete;
  ~counted() {
    CHECK(self_ == this);  // neither moved by memcpy nor destroyed before
    self_ = nullptr;
    add(&alive, -1);
  }
  int value() const {
    CHECK(self_ == this);
    return value_;
  }

 private:
  int value_;
  const counted* self_;
};

constexpr int kTasks = 200;

}  // namespace

int main() {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    counted object(i);
    counted pair[2] = {counted(2 * i), counted(3 * i)};
#pragma omp task firstprivate(object, pair) shared(done)
    {
      CHECK_EQUAL(i, object.value());
#pragma omp task firstprivate(object) shared(done) if (i % 3 != 0)
      {
        CHECK_EQUAL(i, object.value());
        add(&done, 1);
      }
      CHECK_EQUAL(5 * i, pair[0].value() + pair[1].value());
      add(&done, 1);
    }
  }
  CHECK_EQUAL(2 * kTasks, done);
  CHECK_EQUAL(0, alive);
  return ok();
}
