// Leaks memory: tests that LeakSanitizer reports it, so that the other tests can rely on it.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

int main() {
  for (int i = 0; i < 10; ++i) {
    int* volatile lost = new int{i};
    lost = nullptr;
  }
  return EXIT_SUCCESS;
}
