// What a scenario is written with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checker/explorer.hpp"

namespace model {

/// Runs the bodies side by side, each on a thread of its own, and waits for all. From the main
/// thread of a scenario; the second time their threads are other ones.
template <class... Bodies>
void run_threads(Bodies&&... bodies) {
  explorer::current()->run_threads({std::function<void()>(std::forward<Bodies>(bodies))...});
}

/// The property: it holds in each execution.
inline void require(bool holds, const char* what) {
  if (!holds) {
    explorer::current()->fail(what);
  }
}

/// One of 0 ... count - 1; all are tried.
inline word choose(word count) { return explorer::current()->choose(count); }

/// Waits until `done()` says true (or something that is true as a condition), and returns that.
template <class Done>
auto await(Done done) {
  explorer& model = *explorer::current();
  model.begin_loop();
  for (;;) {
    if (auto result = done()) {
      model.begin_loop();
      return result;
    }
    model.look_again();
  }
}

}  // namespace model
