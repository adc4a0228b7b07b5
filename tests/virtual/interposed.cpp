// The functions that the compiler's ThreadSanitizer calls for each access to memory that is not
// atomic, the allocator, thread_local variables, and what the system does for threads: all are the
// host's while a virtual thread runs.
//
// What runs on virtual threads is compiled with -fsanitize=thread and -femulated-tls, and linked
// without ThreadSanitizer's runtime.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "virtual/host.hpp"

namespace {

using virtual_threads::host;

bool is_inside() noexcept { return host::current() != nullptr && host::current()->is_inside(); }

void note_read(const void* address, std::size_t bytes) {
  if (is_inside()) {
    host::current()->note_read(address, bytes);
  }
}
void note_write(const void* address, std::size_t bytes) {
  if (is_inside()) {
    host::current()->note_write(address, bytes);
  }
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (is_inside()) {
    return host::current()->allocate(bytes, alignment);
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (void* const block = std::aligned_alloc(alignment, rounded)) {
    return block;
  }
  throw std::bad_alloc{};
}

void release(void* block) noexcept {
  if (host::current() == nullptr || !host::current()->owns(block)) {
    std::free(block);
  } else if (is_inside()) {
    host::current()->free(block);
  }  // otherwise it belongs to an execution that is over
}

}  // namespace

// ---- the names that the compiler knows ----
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void** object) { note_read(static_cast<void*>(object), sizeof(void*)); }
void __tsan_vptr_update(void** object, void* /*value*/) {
  note_write(static_cast<void*>(object), sizeof(void*));
}
void __tsan_read1(void* at) { note_read(at, 1); }
void __tsan_read2(void* at) { note_read(at, 2); }
void __tsan_read4(void* at) { note_read(at, 4); }
void __tsan_read8(void* at) { note_read(at, 8); }
void __tsan_read16(void* at) { note_read(at, 16); }
void __tsan_write1(void* at) { note_write(at, 1); }
void __tsan_write2(void* at) { note_write(at, 2); }
void __tsan_write4(void* at) { note_write(at, 4); }
void __tsan_write8(void* at) { note_write(at, 8); }
void __tsan_write16(void* at) { note_write(at, 16); }
void __tsan_unaligned_read2(void* at) { note_read(at, 2); }
void __tsan_unaligned_read4(void* at) { note_read(at, 4); }
void __tsan_unaligned_read8(void* at) { note_read(at, 8); }
void __tsan_unaligned_read16(void* at) { note_read(at, 16); }
void __tsan_unaligned_write2(void* at) { note_write(at, 2); }
void __tsan_unaligned_write4(void* at) { note_write(at, 4); }
void __tsan_unaligned_write8(void* at) { note_write(at, 8); }
void __tsan_unaligned_write16(void* at) { note_write(at, 16); }
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  note_read(from, bytes);
  note_write(to, bytes);
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  note_read(from, bytes);
  note_write(to, bytes);
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note_write(to, bytes);
  return std::memset(to, value, bytes);
}
}

// ---- thread_local variables, with -femulated-tls ----

extern "C" {
struct emutls_control {  // as in GCC's runtime library
  std::size_t bytes;
  std::size_t alignment;
  void* copy;  // zero initially; here the one outside of virtual threads
  const void* initial;
};

void* __emutls_get_address(emutls_control* variable) {
  if (is_inside()) {
    return host::current()->thread_local_of(variable, variable->bytes, variable->alignment,
                                            variable->initial);
  }
  if (variable->copy == nullptr) {
    variable->copy = allocate(variable->bytes, variable->alignment);
    variable->initial != nullptr ? std::memcpy(variable->copy, variable->initial, variable->bytes)
                                 : std::memset(variable->copy, 0, variable->bytes);
  }
  return variable->copy;
}
}

// ---- what the system does for threads ----

extern "C" {
int sched_yield() noexcept {
  if (is_inside()) {
    host::current()->yield();
  }
  return 0;
}
// Called by std::thread.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the system's begin with __
int pthread_create(pthread_t* thread, const pthread_attr_t* /*attributes*/, void* (*routine)(void*),
                   void* argument) noexcept {
  if (!is_inside()) {
    return EAGAIN;
  }
  *thread = host::current()->start([=] { routine(argument); });
  return 0;
}
int pthread_join(pthread_t thread, void** /*result*/) {
  host::current()->join(thread);
  return 0;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (is_inside()) {
    host::current()->lock(mutex);
  }
  return 0;
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return !is_inside() || host::current()->try_lock(mutex) ? 0 : EBUSY;
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (is_inside()) {
    host::current()->unlock(mutex);
  }
  return 0;
}
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

void* operator new(std::size_t bytes) { return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { release(block); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { release(block); }
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  release(block);
}
