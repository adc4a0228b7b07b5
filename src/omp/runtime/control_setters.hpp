// Setting the control variables of the calling thread's implicit task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the functions of OpenMP's API do that api.cpp wraps for explicit tasks.
namespace fg::omp::runtime::setters {

void set_num_threads(int threads) noexcept;
void set_dynamic(int dynamic) noexcept;
void set_schedule(int kind, int chunk) noexcept;
void set_default_device(int device) noexcept;
void set_thread_limit(void* where, int gtid, int limit) noexcept;

}  // namespace fg::omp::runtime::setters
