// What a third-party queue holds in the hand-off experiment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fg::bench {

/// A routine and its argument. Without a routine it is the last one.
struct queued_task {
  struct result {};  ///< it leaves none

  void run(result& /*none*/) const { routine(argument); }

  void (*routine)(void*) = nullptr;
  void* argument = nullptr;
};

}  // namespace fg::bench
