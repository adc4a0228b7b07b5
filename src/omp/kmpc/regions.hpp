// Opening regions that the drop-in takes over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// __kmpc_fork_call and __kmpc_fork_teams, unless they are passed on.
fork fork_call;
fork fork_teams;

}  // namespace fg::omp::kmpc
