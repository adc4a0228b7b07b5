// Entry points of GNU's ABI and of OpenMP's API for devices. A native runtime below, if there is one,
// serves them; otherwise the only device is the host, whose memory is the program's.
// SPDX-License-Identifier: Apache-2.0
#include "host_device.hpp"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "../gomp/gomp.hpp"
#include "../next_function.hpp"
#include "../settings.hpp"
#include "entry.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming,readability-avoid-return-with-void-value): the ABI's
// names, and tail calls
namespace fg::omp::runtime {
namespace {

using gomp::body;

// How compiled code passes a variable to a target region: the low bits of its kind; above them the
// alignment's logarithm.
enum : unsigned short { kKindBits = 0xff, kFirstprivate = 12, kAlignmentShift = 8 };

// An argument of a target region: bits 0 to 6 say for which kind of device, bit 7 that the value is
// the next word, bits 8 to 15 what it is, the others are the value.
enum : std::uintptr_t {
  kDeviceBits = 0x7f,
  kValueFollows = 0x80,
  kNameBits = 0xff00,
  kThreadLimit = 0x200,
  kValueShift = 16
};

// The entry point of this name in a native runtime below; the host's own without one.
template <function_name Name, class Signature>
Signature* served_by(Signature* host) noexcept {
  static auto* const below = reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, Name.text));
  return below != nullptr ? below : host;
}

// The host is device 0; in OpenMP 4.5 it had negative numbers.
bool is_host(int device) noexcept { return device <= 0; }

void limit_threads(implicit_part& part, std::uintptr_t limit) noexcept {
  if (limit > 0 && limit < INT_MAX) {
    control_values& values = part.own();
    values.thread_limit = std::min(values.thread_limit, static_cast<int>(limit));
    values.threads = std::min(values.threads, values.thread_limit);
  }
}

std::uintptr_t thread_limit_in(void** arguments) noexcept {
  for (; arguments != nullptr && *arguments != nullptr; ++arguments) {
    const auto word = reinterpret_cast<std::uintptr_t>(*arguments);
    const bool follows = (word & kValueFollows) != 0;
    if ((word & kDeviceBits) == 0 && (word & kNameBits) == kThreadLimit) {
      return follows ? reinterpret_cast<std::uintptr_t>(arguments[1]) : word >> kValueShift;
    }
    arguments += follows ? 1 : 0;
  }
  return 0;
}

// The region's own copies of its firstprivate variables. The others it shares with the program.
class private_copies {
 public:
  private_copies(std::size_t count, void** addresses, const std::size_t* sizes,
                 const unsigned short* kinds) noexcept {
    const auto is_copied = [kinds](std::size_t i) {
      return (kinds[i] & kKindBits) == kFirstprivate;
    };
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bytes += is_copied(i) ? sizes[i] + (std::size_t{1} << (kinds[i] >> kAlignmentShift)) : 0;
    }
    if (bytes == 0) {
      return;
    }
    memory_.reset(new (std::nothrow) std::byte[bytes]);
    if (memory_ == nullptr) {
      end_without_memory("a target region");
    }
    void* next = memory_.get();
    for (std::size_t i = 0; i < count; ++i) {
      if (is_copied(i)) {
        std::align(std::size_t{1} << (kinds[i] >> kAlignmentShift), sizes[i], next, bytes);
        addresses[i] = std::memcpy(next, addresses[i], sizes[i]);
        next = static_cast<std::byte*>(next) + sizes[i];
        bytes -= sizes[i];
      }
    }
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

// The size of a box in elements, and where it lies in an array of such dimensions.
struct box_side {
  const std::size_t* offsets;
  const std::size_t* dimensions;

  // Of one step along the first dimension.
  [[nodiscard]] std::size_t bytes(std::size_t element, int count) const noexcept {
    for (int i = 1; i < count; ++i) {
      element *= dimensions[i];
    }
    return element;
  }
};

void copy_box(std::byte* into, const std::byte* from, std::size_t element, int count,
              const std::size_t* volume, box_side target, box_side source) noexcept {
  const std::size_t step_into = target.bytes(element, count);
  const std::size_t step_from = source.bytes(element, count);
  into += target.offsets[0] * step_into;
  from += source.offsets[0] * step_from;
  if (count == 1) {
    std::memcpy(into, from, volume[0] * element);
    return;
  }
  for (std::size_t i = 0; i < volume[0]; ++i) {
    copy_box(into + i * step_into, from + i * step_from, element, count - 1, volume + 1,
             {target.offsets + 1, target.dimensions + 1},
             {source.offsets + 1, source.dimensions + 1});
  }
}

// ---- the host's own ----

void run_on_host(int /*device*/, body routine, const void* /*unused*/, std::size_t /*count*/,
                 void** addresses, std::size_t* /*sizes*/, unsigned char* /*kinds*/) {
  routine(static_cast<void*>(addresses));
}
void open_data(int, const void*, std::size_t, void**, std::size_t*, unsigned char*) {}
void open_data_ext(int, std::size_t, void**, std::size_t*, unsigned short*) {}
void move_data(int, std::size_t, void**, std::size_t*, unsigned short*, unsigned, void**) {}
void close_data() {}
void take_image(const void*, int, const void*) {}
void take_image_ver(unsigned, const void*, int, const void*) {}

void* allocate(std::size_t bytes, int device) {
  return is_host(device) ? std::malloc(bytes) : nullptr;
}
void release(void* memory, int device) {
  if (is_host(device)) {
    std::free(memory);
  }
}
int is_there(const void* /*memory*/, int device) { return is_host(device) ? 1 : 0; }
int is_accessible(const void* /*memory*/, std::size_t /*bytes*/, int device) {
  return is_host(device) ? 1 : 0;
}
void* mapped(const void* memory, int device) {
  return is_host(device) ? const_cast<void*>(memory) : nullptr;
}
int copy(void* into, const void* from, std::size_t bytes, std::size_t into_offset,
         std::size_t from_offset, int into_device, int from_device) {
  if (!is_host(into_device) || !is_host(from_device)) {
    return EINVAL;
  }
  std::memcpy(static_cast<std::byte*>(into) + into_offset,
              static_cast<const std::byte*>(from) + from_offset, bytes);
  return 0;
}
int copy_rect(void* into, const void* from, std::size_t element, int count,
              const std::size_t* volume, const std::size_t* into_offsets,
              const std::size_t* from_offsets, const std::size_t* into_dimensions,
              const std::size_t* from_dimensions, int into_device, int from_device) {
  if (into == nullptr && from == nullptr) {
    return INT_MAX;  // how many dimensions there may be
  }
  if (count < 1 || !is_host(into_device) || !is_host(from_device)) {
    return EINVAL;
  }
  copy_box(static_cast<std::byte*>(into), static_cast<const std::byte*>(from), element, count,
           volume, {into_offsets, into_dimensions}, {from_offsets, from_dimensions});
  return 0;
}
// The host's memory is its own.
int associate(const void*, const void*, std::size_t, std::size_t, int) { return EINVAL; }
int disassociate(const void*, int) { return EINVAL; }

}  // namespace

void host_device::run_target(int device, body routine, std::size_t count, void** addresses,
                             std::size_t* sizes, unsigned short* kinds, unsigned flags,
                             void** depend, void** arguments) noexcept {
  // As if it were outside of all regions, with the control variables of a device.
  implicit_part inside;
  inside.place = &outermost_place();
  implicit_part*& own = thread::here().inner->own;
  implicit_part* const around = std::exchange(own, &inside);
  limit_threads(inside,
                thread_limit_in(arguments));  // a runtime below that falls back sets its own
  if (auto* const below = served_by<"GOMP_target_ext">(&host_device::run_target);
      below != &host_device::run_target) {
    below(device, routine, count, addresses, sizes, kinds, flags, depend, arguments);
  } else {
    const private_copies copies{count, addresses, sizes, kinds};
    routine(static_cast<void*>(addresses));
  }
  own = around;
}

void host_device::update_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                              unsigned short* kinds, unsigned flags, void** depend) noexcept {
  served_by<"GOMP_target_update_ext"> (&move_data)(device, count, addresses, sizes, kinds, flags,
                                                   depend);
}

void host_device::enter_or_exit_data(int device, std::size_t count, void** addresses,
                                     std::size_t* sizes, unsigned short* kinds, unsigned flags,
                                     void** depend) noexcept {
  served_by<"GOMP_target_enter_exit_data"> (&move_data)(device, count, addresses, sizes, kinds,
                                                        flags, depend);
}

// Emitted by gcc 4.9 for a target construct; returns when it has been run.
FINEGRAIN_OMP_ENTRY void GOMP_target(int device, body routine, const void* unused,
                                     std::size_t count, void** addresses, std::size_t* sizes,
                                     unsigned char* kinds) {
  served_by<"GOMP_target"> (&run_on_host)(device, routine, unused, count, addresses, sizes, kinds);
}

// Emitted for the begin of a target data construct, the first by gcc 4.9; returns when the data are
// mapped.
FINEGRAIN_OMP_ENTRY void GOMP_target_data(int device, const void* unused, std::size_t count,
                                          void** addresses, std::size_t* sizes,
                                          unsigned char* kinds) {
  served_by<"GOMP_target_data"> (&open_data)(device, unused, count, addresses, sizes, kinds);
}
FINEGRAIN_OMP_ENTRY void GOMP_target_data_ext(int device, std::size_t count, void** addresses,
                                              std::size_t* sizes, unsigned short* kinds) {
  served_by<"GOMP_target_data_ext"> (&open_data_ext)(device, count, addresses, sizes, kinds);
}

// Emitted for its end; returns when the data are no longer mapped.
FINEGRAIN_OMP_ENTRY void GOMP_target_end_data() {
  served_by<"GOMP_target_end_data"> (&close_data)();
}

// Emitted by gcc 4.9 for a target update construct; returns when the data have been copied.
FINEGRAIN_OMP_ENTRY void GOMP_target_update(int device, const void* unused, std::size_t count,
                                            void** addresses, std::size_t* sizes,
                                            unsigned char* kinds) {
  served_by<"GOMP_target_update"> (&open_data)(device, unused, count, addresses, sizes, kinds);
}

// Called before main, and at exit, by programs that gcc has built for a device, too.
FINEGRAIN_OMP_ENTRY void GOMP_offload_register(const void* table, int device, const void* image) {
  served_by<"GOMP_offload_register"> (&take_image)(table, device, image);
}
FINEGRAIN_OMP_ENTRY void GOMP_offload_unregister(const void* table, int device, const void* image) {
  served_by<"GOMP_offload_unregister"> (&take_image)(table, device, image);
}
FINEGRAIN_OMP_ENTRY void GOMP_offload_register_ver(unsigned version, const void* table, int device,
                                                   const void* image) {
  served_by<"GOMP_offload_register_ver"> (&take_image_ver)(version, table, device, image);
}
FINEGRAIN_OMP_ENTRY void GOMP_offload_unregister_ver(unsigned version, const void* table,
                                                     int device, const void* image) {
  served_by<"GOMP_offload_unregister_ver"> (&take_image_ver)(version, table, device, image);
}

// Emitted for a teams construct in a target region, around its body: until it returns false the
// thread runs the body as one team after another.
FINEGRAIN_OMP_ENTRY bool GOMP_teams4(unsigned least, unsigned /*most*/, unsigned thread_limit,
                                     gomp::boolean is_first) {
  implicit_part& part = part_of(thread::here());
  if (is_first) {
    limit_threads(part, thread_limit);
    part.teams = static_cast<int>(std::max(least, 1U));
    part.team_number = 0;
  } else if (++part.team_number == part.teams) {
    part.teams = 0;
    part.team_number = 0;
    return false;
  }
  return true;
}

// The same before gcc 12, with a single team: the body follows the call.
FINEGRAIN_OMP_ENTRY void GOMP_teams(unsigned /*teams*/, unsigned thread_limit) {
  limit_threads(part_of(thread::here()), thread_limit);
}

// Called by libomptarget, which serves clang's target constructs: returns 0 if they run on the host
// by OMP_TARGET_OFFLOAD, 1 if they run there without a device, 2 if that is an error.
FINEGRAIN_OMP_ENTRY int __kmpc_get_target_offload() {
  const char* const value = std::getenv("OMP_TARGET_OFFLOAD");
  if (value == nullptr) {
    return 1;
  }
  return strcasecmp(value, "disabled") == 0 ? 0 : strcasecmp(value, "mandatory") == 0 ? 2 : 1;
}

// Called by the program, anywhere.
FINEGRAIN_OMP_ENTRY void* omp_target_alloc(std::size_t bytes, int device) {
  return served_by<"omp_target_alloc">(&allocate)(bytes, device);
}
FINEGRAIN_OMP_ENTRY void omp_target_free(void* memory, int device) {
  served_by<"omp_target_free"> (&release)(memory, device);
}
FINEGRAIN_OMP_ENTRY int omp_target_is_present(const void* memory, int device) {
  return served_by<"omp_target_is_present">(&is_there)(memory, device);
}
FINEGRAIN_OMP_ENTRY int omp_target_is_accessible(const void* memory, std::size_t bytes,
                                                 int device) {
  return served_by<"omp_target_is_accessible">(&is_accessible)(memory, bytes, device);
}
FINEGRAIN_OMP_ENTRY void* omp_get_mapped_ptr(const void* memory, int device) {
  return served_by<"omp_get_mapped_ptr">(&mapped)(memory, device);
}
FINEGRAIN_OMP_ENTRY int omp_target_memcpy(void* into, const void* from, std::size_t bytes,
                                          std::size_t into_offset, std::size_t from_offset,
                                          int into_device, int from_device) {
  return served_by<"omp_target_memcpy">(&copy)(into, from, bytes, into_offset, from_offset,
                                               into_device, from_device);
}
FINEGRAIN_OMP_ENTRY int omp_target_memcpy_rect(void* into, const void* from, std::size_t element,
                                               int count, const std::size_t* volume,
                                               const std::size_t* into_offsets,
                                               const std::size_t* from_offsets,
                                               const std::size_t* into_dimensions,
                                               const std::size_t* from_dimensions, int into_device,
                                               int from_device) {
  return served_by<"omp_target_memcpy_rect">(&copy_rect)(
      into, from, element, count, volume, into_offsets, from_offsets, into_dimensions,
      from_dimensions, into_device, from_device);
}
FINEGRAIN_OMP_ENTRY int omp_target_associate_ptr(const void* memory, const void* on_device,
                                                 std::size_t bytes, std::size_t offset,
                                                 int device) {
  return served_by<"omp_target_associate_ptr">(&associate)(memory, on_device, bytes, offset,
                                                           device);
}
FINEGRAIN_OMP_ENTRY int omp_target_disassociate_ptr(const void* memory, int device) {
  return served_by<"omp_target_disassociate_ptr">(&disassociate)(memory, device);
}

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming,readability-avoid-return-with-void-value)
