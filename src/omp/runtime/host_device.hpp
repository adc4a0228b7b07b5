// What target constructs do where no native runtime is below, which could offload: the host runs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "../gomp/gomp.hpp"

namespace fg::omp::runtime::host_device {

/// GOMP_target_ext, GOMP_target_update_ext and GOMP_target_enter_exit_data, when the tasks that they
/// depend on are done. Over a native runtime they are that runtime's.
void run_target(int device, gomp::body routine, std::size_t count, void** addresses,
                std::size_t* sizes, unsigned short* kinds, unsigned flags, void** depend,
                void** arguments) noexcept;
void update_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                 unsigned short* kinds, unsigned flags, void** depend) noexcept;
void enter_or_exit_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                        unsigned short* kinds, unsigned flags, void** depend) noexcept;

}  // namespace fg::omp::runtime::host_device
