// Tasks of a cancelled taskgroup that have copies of objects: each copy is destroyed.
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

namespace {

int alive = 0;

struct counted {
  counted() { add(&alive, 1); }
  counted(const counted&) { add(&alive, 1); }
  counted& operator=(const counted&) = delete;
  ~counted() { add(&alive, -1); }
  int number = 1;
};

}  // namespace

int main(int, char** argv) {
  run_with("OMP_CANCELLATION", "true", argv);
  for (int round = 0; round < rounds(20); ++round) {
    counted original;
    int begun = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(original) shared(begun)
      {
        add(&begun, original.number);
        if (i > 5) {
#pragma omp cancel taskgroup
        }
      }
    }
    CHECK(begun >= 1);
    CHECK_EQUAL(1, value_of(&alive));
  }
  return ok();
}
