// Tasks that are plain calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fg::bench {

/// A handle (kernels/bots/tasks.hpp) whose tasks run where they are spawned.
struct serial_tasks {
  class group {
   public:
    explicit group(serial_tasks /*tasks*/) {}

    template <class Task>
    void spawn(Task task) {
      task(serial_tasks{});
    }
    void wait() {}
  };
};

/// The same, which also counts them.
struct tallied_tasks {
  std::uint64_t* tally;

  class group {
   public:
    explicit group(tallied_tasks tasks) : tally_{tasks.tally} {}

    template <class Task>
    void spawn(Task task) {
      ++*tally_;
      task(tallied_tasks{tally_});
    }
    void wait() {}

   private:
    std::uint64_t* tally_;
  };
};

}  // namespace fg::bench
