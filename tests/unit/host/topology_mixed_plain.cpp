// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "finegrain/host/host_view.hpp"
#include "unit/host/topology_mixed_test.hpp"

#if defined(FINEGRAIN_WITH_HWLOC)
#error "this source stands for one that does not know of the library"
#endif

namespace fg::test {

namespace {

struct early_and_late_user {
  topology early = system_topology();
  early_and_late_user() = default;
  early_and_late_user(const early_and_late_user&) = delete;
  early_and_late_user& operator=(const early_and_late_user&) = delete;
  ~early_and_late_user() {
    if (system_topology().cpus.size() != early.cpus.size()) {
      std::fputs("topology_mixed_test: another topology in the static destructor\n", stderr);
      std::_Exit(1);
    }
  }
};

const early_and_late_user user_of_all_times;

}  // namespace

topology topology_without_library() { return system_topology(); }

const topology& topology_in_static_constructor() { return user_of_all_times.early; }

}  // namespace fg::test
