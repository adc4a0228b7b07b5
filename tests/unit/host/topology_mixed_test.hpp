// One program of two kinds of sources: this part is compiled without the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "finegrain/host/topology.hpp"

namespace fg::test {

/// `system_topology` as seen by a source that knows no library.
[[nodiscard]] topology topology_without_library();

/// The same, called in a static constructor of that source.
[[nodiscard]] const topology& topology_in_static_constructor();

}  // namespace fg::test
