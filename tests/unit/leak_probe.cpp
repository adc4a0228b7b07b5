// Loses memory: that LeakSanitizer says so, and how, is the test of the tests.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

int main() {
  for (int i = 0; i < 10; ++i) {
    int* volatile lost = new int{i};
    lost = nullptr;
  }
  return EXIT_SUCCESS;
}
