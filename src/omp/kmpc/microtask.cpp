// SPDX-License-Identifier: Apache-2.0
#include "microtask.hpp"

#include <ffi.h>

#include <new>
#include <vector>

#include "../settings.hpp"

namespace fg::omp::kmpc::detail {
namespace {

// The variables are pointers, and libffi takes pointers to them.
void call_by_ffi(micro_task body, void* gtid, void* btid, std::span<void*> captured) {
  std::vector<ffi_type*> types(captured.size() + 2, &ffi_type_pointer);
  std::vector<void*> values{static_cast<void*>(&gtid), static_cast<void*>(&btid)};
  values.reserve(types.size());
  for (void*& each : captured) {
    values.push_back(static_cast<void*>(&each));
  }
  ffi_cif interface{};
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), &ffi_type_void,
               types.data());
  ffi_call(&interface, reinterpret_cast<void (*)()>(body), nullptr, values.data());
}

}  // namespace

void call_with_many(micro_task body, std::int32_t* gtid, std::int32_t* btid,
                    std::span<void*> captured) noexcept {
  try {
    call_by_ffi(body, gtid, btid, captured);
  } catch (const std::bad_alloc&) {
    end_without_memory("the captured variables of a region");
  }
}

}  // namespace fg::omp::kmpc::detail
