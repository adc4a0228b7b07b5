// Exceptions thrown and caught inside tasks; a handler that makes tasks and waits for them, whose
// tasks throw and catch too, and that then rethrows its own exception.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "check.h"

namespace {

constexpr int kTasks = 60;

void fall(int number, int depth) {
  if (depth == 0) throw number;
  fall(number, depth - 1);
}

int caught_in_child(int number) {
  int caught = -1;
#pragma omp task shared(caught)
  {
    try {
      fall(number, 5);
    } catch (const int thrown) {
      caught = thrown;
    }
  }
#pragma omp taskwait
  return caught;
}

}  // namespace

int main() {
  int plain = 0, nested = 0, rethrown = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(plain)
    {
      try {
        fall(i, 3);
      } catch (const int thrown) {
        CHECK_EQUAL(i, thrown);
        add(&plain, 1);
      }
    }
#pragma omp task shared(nested, rethrown)
    {
      try {
        try {
          throw std::runtime_error(std::to_string(i));
        } catch (const std::exception&) {
          CHECK_EQUAL(1000 + i, caught_in_child(1000 + i));
          add(&nested, 1);
          throw;  // must still be this task's own
        }
      } catch (const std::runtime_error& error) {
        CHECK_EQUAL(i, std::stoi(error.what()));
        add(&rethrown, 1);
      }
    }
  }
  CHECK_EQUAL(kTasks, plain);
  CHECK_EQUAL(kTasks, nested);
  CHECK_EQUAL(kTasks, rethrown);
  return ok();
}
