// A thread that destructors of thread_local objects may join, on Windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/windows_api.hpp"

namespace fg::inline FINEGRAIN_ABI::detail {

namespace windows {

/// True when the process ends, and the system has ended all other threads.
inline bool is_ending() noexcept {
  static auto* const ask = find_function<unsigned char()>(L"ntdll.dll", "RtlDllShutdownInProgress");
  return ask() != 0;
}

}  // namespace windows

/// A std::thread for a routine, a pointer. A destructor of a thread_local object that joins another
/// thread has locks which that one needs to begin and to end: winpthreads's, or the loader's. So the
/// constructor waits until the thread has begun, and `join` until its routine has returned, but only
/// for some time until the thread has ended.
class service_thread : public std::thread {
 public:
  service_thread() noexcept = default;

  template <class Routine, class... Arguments>
  explicit service_thread(Routine routine, Arguments... arguments)
      : service_thread{std::make_shared<atomic<progress>>(progress::none), routine, arguments...} {
    progress_->wait(progress::none, memory_order_relaxed);  // relaxed: nothing is passed on
  }

  /// As std::thread's, except that the thread may still have to clean up.
  void join() {
    if (!windows::is_ending()) {
      progress_->wait(progress::begun, memory_order_acquire);  // pairs with the release in run
    }
    ends_soon() ? std::thread::join() : detach();
  }

 private:
  enum class progress : std::uint32_t { none, begun, returned };

  template <class Routine, class... Arguments>
  service_thread(std::shared_ptr<atomic<progress>> told, Routine routine, Arguments... arguments)
      : std::thread{&run<Routine, Arguments...>, told, routine, arguments...},
        progress_{std::move(told)} {}

  template <class Routine, class... Arguments>
  static void run(std::shared_ptr<atomic<progress>> told, Routine routine, Arguments... arguments) {
    tell(*told, progress::begun);
    std::invoke(routine, arguments...);
    tell(*told, progress::returned);
  }

  static void tell(atomic<progress>& told, progress now) noexcept {
    told.store(now, memory_order_release);  // pairs with the acquire in join
    told.notify_all();
  }

  // What is left takes well below 1 ms; on a busy machine it waits for time slices of 15 ms.
  bool ends_soon() {
    constexpr unsigned long kPatienceMs = 100;
    constexpr unsigned long kHasEnded = 0;  // WAIT_OBJECT_0
    return WaitForSingleObject(windows::thread_handle(native_handle()), kPatienceMs) == kHasEnded;
  }

  std::shared_ptr<atomic<progress>> progress_;
};

}  // namespace fg::inline FINEGRAIN_ABI::detail
