// What finegrain asks of the operating system about CPUs: one interface, one file per system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Each of the files below defines all of this in `fg::detail`, and `quota_cpus` in `fg`. Any thread
// may call any of it. What a system does not report has a special value, given here. Nothing but
// std::bad_alloc is thrown.
//
//     class cpu_mask                          a set of CPUs: kCpus, add, holds, count
//     cpu_mask usable_mask() noexcept         where the calling thread may run; empty: not known
//     const char* kWhyNotPinned               null: it pins threads; else it refuses to, why not
//     std::error_code set_mask(std::thread::native_handle_type, const cpu_mask&) noexcept
//     std::error_code set_own_mask(const cpu_mask&) noexcept
//     int running_cpu() noexcept              where the calling thread runs now; -1: not known
//     topology read_own_topology()            no CPUs: not known
//     std::optional<double> quota_cpus()      CPU time that this process may use; empty: no limit
//     class throttle_watch                    `throttled_since_last_look`: whether it was stopped
//                                             because the quota was used up; false: not known
#if defined(__linux__)
#include "finegrain/host/linux.hpp"
#elif defined(_WIN64)
#include "finegrain/host/windows.hpp"
#elif defined(__APPLE__)
#include "finegrain/host/macos.hpp"
#elif defined(__EMSCRIPTEN__)
#include "finegrain/host/wasm.hpp"
#else
#include "finegrain/host/other_system.hpp"
#endif
