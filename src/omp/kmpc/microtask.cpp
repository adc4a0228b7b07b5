#include "microtask.hpp"

#include <ffi.h>

#include <array>
#include <new>
#include <utility>
#include <vector>

#include "../settings.hpp"

namespace fg::omp::kmpc {
namespace {

using caller = void (*)(micro_task, std::int32_t*, std::int32_t*, void**);

// An argument's type, whatever its number.
template <std::size_t>
using argument = void*;

// The body is compiled as a function with so many parameters, not as a variadic one.
template <std::size_t... Is>
void call_with(micro_task body, std::int32_t* gtid, std::int32_t* btid,
               [[maybe_unused]] void** arguments) {
  const auto exact =
      reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, argument<Is>...)>(body);
  exact(gtid, btid, arguments[Is]...);
}

template <std::size_t... Is>
constexpr caller make_caller(std::index_sequence<Is...> /*numbers*/) {
  return &call_with<Is...>;
}

template <std::size_t... Counts>
constexpr std::array<caller, sizeof...(Counts)> make_callers(
    std::index_sequence<Counts...> /*counts*/) {
  return {make_caller(std::make_index_sequence<Counts>{})...};
}

// The usual numbers directly; libffi takes any number, and takes longer.
constexpr auto kCallers = make_callers(std::make_index_sequence<25>{});

// The arguments are pointers, and libffi wants pointers to them.
void call_with_many(micro_task body, void* gtid, void* btid, std::size_t count, void** arguments) {
  std::vector<ffi_type*> types(count + 2, &ffi_type_pointer);
  std::vector<void*> values{static_cast<void*>(&gtid), static_cast<void*>(&btid)};
  values.reserve(count + 2);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<void*>(&arguments[i]));
  }
  ffi_cif interface{};
  ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), &ffi_type_void,
               types.data());
  ffi_call(&interface, reinterpret_cast<void (*)()>(body), nullptr, values.data());
}

}  // namespace

void call(micro_task body, std::int32_t* gtid, std::int32_t* btid, std::size_t count,
          void** arguments) noexcept {
  if (count < kCallers.size()) {
    kCallers[count](body, gtid, btid, arguments);
    return;
  }
  try {
    call_with_many(body, gtid, btid, count, arguments);
  } catch (const std::bad_alloc&) {
    end_without_memory("the arguments of a region");
  }
}

}  // namespace fg::omp::kmpc
