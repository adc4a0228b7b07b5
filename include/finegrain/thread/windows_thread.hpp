// A thread on Windows: destructors of thread_local objects may join it, and it sets its class itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "finegrain/core/atomic.hpp"
#include "finegrain/core/windows_api.hpp"
#include "finegrain/thread/windows_priority.hpp"

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
/// for some time until the thread has ended. The thread gives itself its class.
class service_thread : public std::thread {
 public:
  service_thread() noexcept = default;

  template <class Routine, class... Arguments>
  service_thread(const scheduling& wanted, Routine routine, Arguments... arguments)
      : service_thread{std::make_shared<life>(), wanted, routine, arguments...} {
    life_->now.wait(progress::none, memory_order_acquire);  // pairs with the release in tell
  }

  /// What the system refused the thread when it began.
  [[nodiscard]] const windows::class_refusals& refusals() const noexcept { return life_->refusals; }

  /// As std::thread's, except that the thread may still have to clean up.
  void join() {
    if (!windows::is_ending()) {
      life_->now.wait(progress::begun, memory_order_acquire);  // pairs with the release in tell
    }
    ends_soon() ? std::thread::join() : detach();
  }

 private:
  enum class progress : std::uint32_t { none, begun, returned };

  struct life {
    atomic<progress> now{progress::none};
    windows::class_refusals refusals{};  // written before `begun`
  };

  template <class Routine, class... Arguments>
  service_thread(std::shared_ptr<life> its, const scheduling& wanted, Routine routine,
                 Arguments... arguments)
      : std::thread{&run<Routine, Arguments...>, its, wanted, routine, arguments...},
        life_{std::move(its)} {}

  template <class Routine, class... Arguments>
  static void run(std::shared_ptr<life> its, scheduling wanted, Routine routine,
                  Arguments... arguments) {
    {
      const windows::own_class in{wanted};
      its->refusals = in.refusals();
      tell(its->now, progress::begun);
      std::invoke(routine, arguments...);
    }
    tell(its->now, progress::returned);
  }

  static void tell(atomic<progress>& told, progress now) noexcept {
    told.store(now, memory_order_release);  // pairs with the acquires of the constructor and join
    told.notify_all();
  }

  // What is left takes well below 1 ms; on a busy machine it waits for time slices of 15 ms.
  bool ends_soon() {
    constexpr unsigned long kPatienceMs = 100;
    constexpr unsigned long kHasEnded = 0;  // WAIT_OBJECT_0
    return WaitForSingleObject(windows::thread_handle(native_handle()), kPatienceMs) == kHasEnded;
  }

  std::shared_ptr<life> life_;
};

/// Returns why the class of `thread`, which was started with `wanted`, was refused; empty if it was
/// not. Throws std::bad_alloc.
inline std::string try_schedule(const service_thread& thread, const scheduling& wanted) {
  return windows::own_class::has_unknown_priority(wanted)
             ? "this system has one priority for real-time threads"
             : thread.refusals().message();
}

}  // namespace fg::inline FINEGRAIN_ABI::detail
