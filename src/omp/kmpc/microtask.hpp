// Calling the outlined body of a region.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kmpc.hpp"

namespace fg::omp::kmpc {

/// Calls `body` with `count` arguments, as many as the region captures variables. Each is a pointer
/// or as large as one.
void call(micro_task body, std::int32_t* gtid, std::int32_t* btid, std::size_t count,
          void** arguments) noexcept;

}  // namespace fg::omp::kmpc
