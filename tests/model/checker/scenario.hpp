// The functions with which scenarios are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checker/explorer.hpp"

namespace model {

/// Runs the bodies concurrently, each on a thread of its own, and waits for all. Call it from the
/// main thread of a scenario; a second call starts new threads.
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

/// A number from 0 to count - 1; all are tried.
inline word choose(word count) { return explorer::current()->choose(count); }

/// Waits until `done()` returns true (or a value that converts to true), and returns that.
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
