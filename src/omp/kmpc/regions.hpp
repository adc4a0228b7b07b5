// Regions that the drop-in takes over.
#pragma once

#include <cstdint>

#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// What __kmpc_fork_call and __kmpc_fork_teams are, unless they are passed on.
void fork_call(ident* where, std::int32_t count, micro_task body, ...);
void fork_teams(ident* where, std::int32_t count, micro_task body, ...);

}  // namespace fg::omp::kmpc
