// LLVM's entry points for atomic constructs.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../kmpc/kmpc.hpp"
#include "entry.hpp"
#include "lock.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the ABI's names
// NOLINTBEGIN(bugprone-macro-parentheses): types and expressions
namespace fg::omp::runtime {
namespace {

using kmpc::ident;

// Not std::complex: the ABI returns one of long double in two registers.
__extension__ using complex4 = _Complex float;
__extension__ using complex8 = _Complex double;
__extension__ using complex10 = _Complex long double;

// What the processor has no instruction for, and what compiled code asks for.
constinit lock of_large;

// Not a complex number of eight bytes, which need not lie in one cache line.
template <class T>
constexpr bool kHasInstruction = sizeof(T) <= sizeof(void*) && alignof(T) == sizeof(T);

template <class T>
struct change {
  T before;
  T after;
};

// Sequentially consistent throughout: the compilers that call these expect the barrier that LLVM's
// runtime has in each.
template <class T, class Compute>
change<T> update(T* object, Compute compute) noexcept {
  if constexpr (kHasInstruction<T>) {
    const std::atomic_ref<T> shared{*object};
    T before = shared.load(memory_order_relaxed);  // checked by the exchange
    T after = compute(before);
    while (
        !shared.compare_exchange_weak(before, after, memory_order_seq_cst, memory_order_relaxed)) {
      after = compute(before);
    }
    return {before, after};
  } else {
    of_large.acquire();
    const T before = *object;
    const T after = compute(before);
    *object = after;
    of_large.release();
    return {before, after};
  }
}

template <class T>
T read(T* object) noexcept {
  return update(object, [](T seen) { return seen; }).before;
}

template <class T>
T swap(T* object, T other) noexcept {
  return update(object, [other](T) { return other; }).before;
}

// `computes` is called with the result, the object and the operand, of `Bytes` bytes each.
template <class Word>
void update_by_call(void* object, void* operand, void (*compute)(void*, void*, void*)) noexcept {
  update(static_cast<Word*>(object), [=](Word seen) {
    Word made{};
    compute(&made, &seen, operand);
    return made;
  });
}

template <class T>
T exchange_if_equal(T* object, T expected, T desired) noexcept {
  return update(object, [=](T seen) { return seen == expected ? desired : seen; }).before;
}

}  // namespace

// Emitted by older compilers around what they have no entry point for.
FINEGRAIN_OMP_ENTRY void __kmpc_atomic_start() { of_large.acquire(); }
FINEGRAIN_OMP_ENTRY void __kmpc_atomic_end() { of_large.release(); }

// The same by a function of the compiler's, for an object of a number of bytes.
#define FINEGRAIN_OMP_ATOMIC_WORD(bytes, word)                                             \
  FINEGRAIN_OMP_ENTRY void __kmpc_atomic_##bytes(ident*, int, void* object, void* operand, \
                                                 void (*compute)(void*, void*, void*)) {   \
    update_by_call<word>(object, operand, compute);                                        \
  }
FINEGRAIN_OMP_ATOMIC_WORD(1, std::uint8_t)
FINEGRAIN_OMP_ATOMIC_WORD(2, std::uint16_t)
FINEGRAIN_OMP_ATOMIC_WORD(4, std::uint32_t)
FINEGRAIN_OMP_ATOMIC_WORD(8, std::uint64_t)

#define FINEGRAIN_OMP_ATOMIC_BLOCK(bytes)                                                  \
  FINEGRAIN_OMP_ENTRY void __kmpc_atomic_##bytes(ident*, int, void* object, void* operand, \
                                                 void (*compute)(void*, void*, void*)) {   \
    of_large.acquire();                                                                    \
    compute(object, object, operand);                                                      \
    of_large.release();                                                                    \
  }
FINEGRAIN_OMP_ATOMIC_BLOCK(10)
FINEGRAIN_OMP_ATOMIC_BLOCK(16)
FINEGRAIN_OMP_ATOMIC_BLOCK(20)
FINEGRAIN_OMP_ATOMIC_BLOCK(32)

// Emitted for atomic compare; return whether the object had the value, or which it had. With
// capture they also write the value that it had, if it was another one, or has now.
#define FINEGRAIN_OMP_ATOMIC_CAS(bytes, type)                                              \
  FINEGRAIN_OMP_ENTRY bool __kmpc_atomic_bool_##bytes##_cas(ident*, int, type* object,     \
                                                            type expected, type desired) { \
    return exchange_if_equal(object, expected, desired) == expected;                       \
  }                                                                                        \
  FINEGRAIN_OMP_ENTRY type __kmpc_atomic_val_##bytes##_cas(ident*, int, type* object,      \
                                                           type expected, type desired) {  \
    return exchange_if_equal(object, expected, desired);                                   \
  }                                                                                        \
  FINEGRAIN_OMP_ENTRY bool __kmpc_atomic_bool_##bytes##_cas_cpt(                           \
      ident*, int, type* object, type expected, type desired, type* captured) {            \
    const type before = exchange_if_equal(object, expected, desired);                      \
    if (before != expected) {                                                              \
      *captured = before;                                                                  \
    }                                                                                      \
    return before == expected;                                                             \
  }                                                                                        \
  FINEGRAIN_OMP_ENTRY type __kmpc_atomic_val_##bytes##_cas_cpt(                            \
      ident*, int, type* object, type expected, type desired, type* captured) {            \
    const type before = exchange_if_equal(object, expected, desired);                      \
    *captured = before == expected ? desired : before;                                     \
    return before;                                                                         \
  }
FINEGRAIN_OMP_ATOMIC_CAS(1, std::int8_t)
FINEGRAIN_OMP_ATOMIC_CAS(2, std::int16_t)
FINEGRAIN_OMP_ATOMIC_CAS(4, std::int32_t)
FINEGRAIN_OMP_ATOMIC_CAS(8, std::int64_t)

// Emitted by Intel's compilers for atomic constructs; those with capture return the value after the
// operation if `after` is not zero, else that before it. `seen`: the object, `other`: the operand.
#define FINEGRAIN_OMP_ATOMIC(name, type, operand, expression)                               \
  FINEGRAIN_OMP_ENTRY void __kmpc_atomic_##name(ident*, int, type* object, operand other) { \
    update(object, [other](type seen) { return static_cast<type>(expression); });           \
  }
#define FINEGRAIN_OMP_ATOMIC_CAPTURE(name, type, expression)                           \
  FINEGRAIN_OMP_ENTRY type __kmpc_atomic_##name(ident*, int, type* object, type other, \
                                                int after) {                           \
    const auto done =                                                                  \
        update(object, [other](type seen) { return static_cast<type>(expression); });  \
    return after != 0 ? done.after : done.before;                                      \
  }
#define FINEGRAIN_OMP_ATOMIC_BOTH(kind, operation, type, expression) \
  FINEGRAIN_OMP_ATOMIC(kind##_##operation, type, type, expression)   \
  FINEGRAIN_OMP_ATOMIC_CAPTURE(kind##_##operation##_cpt, type, expression)
// With the operands exchanged.
#define FINEGRAIN_OMP_ATOMIC_REVERSE(kind, operation, type, expression)  \
  FINEGRAIN_OMP_ATOMIC(kind##_##operation##_rev, type, type, expression) \
  FINEGRAIN_OMP_ATOMIC_CAPTURE(kind##_##operation##_cpt_rev, type, expression)

#define FINEGRAIN_OMP_ATOMIC_ARITHMETIC(kind, type)           \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, add, type, seen + other)    \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, sub, type, seen - other)    \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, mul, type, seen* other)     \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, div, type, seen / other)    \
  FINEGRAIN_OMP_ATOMIC_REVERSE(kind, sub, type, other - seen) \
  FINEGRAIN_OMP_ATOMIC_REVERSE(kind, div, type, other / seen)
#define FINEGRAIN_OMP_ATOMIC_EXTREMES(kind, type)                         \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, max, type, seen < other ? other : seen) \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, min, type, other < seen ? other : seen)
#define FINEGRAIN_OMP_ATOMIC_ACCESS(kind, type)                                               \
  FINEGRAIN_OMP_ENTRY type __kmpc_atomic_##kind##_rd(ident*, int, type* object) {             \
    return read(object);                                                                      \
  }                                                                                           \
  FINEGRAIN_OMP_ENTRY void __kmpc_atomic_##kind##_wr(ident*, int, type* object, type other) { \
    swap(object, other);                                                                      \
  }
#define FINEGRAIN_OMP_ATOMIC_SWAP(kind, type)                                                  \
  FINEGRAIN_OMP_ENTRY type __kmpc_atomic_##kind##_swp(ident*, int, type* object, type other) { \
    return swap(object, other);                                                                \
  }
#define FINEGRAIN_OMP_ATOMIC_SHIFTS(kind, type, direction, sign)    \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, direction, type, seen sign other) \
  FINEGRAIN_OMP_ATOMIC_REVERSE(kind, direction, type, other sign seen)

#define FINEGRAIN_OMP_ATOMIC_INTEGER(kind, type)                                           \
  FINEGRAIN_OMP_ATOMIC_ARITHMETIC(kind, type)                                              \
  FINEGRAIN_OMP_ATOMIC_EXTREMES(kind, type)                                                \
  FINEGRAIN_OMP_ATOMIC_ACCESS(kind, type)                                                  \
  FINEGRAIN_OMP_ATOMIC_SWAP(kind, type)                                                    \
  FINEGRAIN_OMP_ATOMIC_SHIFTS(kind, type, shl, <<)                                         \
  FINEGRAIN_OMP_ATOMIC_SHIFTS(kind, type, shr, >>)                                         \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, andb, type, seen& other)                                 \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, orb, type, seen | other)                                 \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, xor, type, seen ^ other)                                 \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, andl, type, seen != 0 && other != 0 ? 1 : 0)             \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, orl, type, seen != 0 || other != 0 ? 1 : 0)              \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, eqv, type, ~(seen ^ other))                              \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, neqv, type, seen ^ other)                                \
  FINEGRAIN_OMP_ATOMIC(kind##_mul_float8, type, double, static_cast<double>(seen) * other) \
  FINEGRAIN_OMP_ATOMIC(kind##_div_float8, type, double, static_cast<double>(seen) / other)
FINEGRAIN_OMP_ATOMIC_INTEGER(fixed1, std::int8_t)
FINEGRAIN_OMP_ATOMIC_INTEGER(fixed2, std::int16_t)
FINEGRAIN_OMP_ATOMIC_INTEGER(fixed4, std::int32_t)
FINEGRAIN_OMP_ATOMIC_INTEGER(fixed8, std::int64_t)

// Where the sign matters.
#define FINEGRAIN_OMP_ATOMIC_UNSIGNED(kind, type)             \
  FINEGRAIN_OMP_ATOMIC_BOTH(kind, div, type, seen / other)    \
  FINEGRAIN_OMP_ATOMIC_REVERSE(kind, div, type, other / seen) \
  FINEGRAIN_OMP_ATOMIC_SHIFTS(kind, type, shr, >>)
FINEGRAIN_OMP_ATOMIC_UNSIGNED(fixed1u, std::uint8_t)
FINEGRAIN_OMP_ATOMIC_UNSIGNED(fixed2u, std::uint16_t)
FINEGRAIN_OMP_ATOMIC_UNSIGNED(fixed4u, std::uint32_t)
FINEGRAIN_OMP_ATOMIC_UNSIGNED(fixed8u, std::uint64_t)

#define FINEGRAIN_OMP_ATOMIC_FLOAT(kind, type) \
  FINEGRAIN_OMP_ATOMIC_ARITHMETIC(kind, type)  \
  FINEGRAIN_OMP_ATOMIC_EXTREMES(kind, type)    \
  FINEGRAIN_OMP_ATOMIC_ACCESS(kind, type)      \
  FINEGRAIN_OMP_ATOMIC_SWAP(kind, type)
FINEGRAIN_OMP_ATOMIC_FLOAT(float4, float)
FINEGRAIN_OMP_ATOMIC_FLOAT(float8, double)
FINEGRAIN_OMP_ATOMIC_FLOAT(float10, long double)
FINEGRAIN_OMP_ATOMIC(float4_add_float8, float, double, static_cast<double>(seen) + other)
FINEGRAIN_OMP_ATOMIC(float4_sub_float8, float, double, static_cast<double>(seen) - other)
FINEGRAIN_OMP_ATOMIC(float4_mul_float8, float, double, static_cast<double>(seen) * other)
FINEGRAIN_OMP_ATOMIC(float4_div_float8, float, double, static_cast<double>(seen) / other)

#define FINEGRAIN_OMP_ATOMIC_COMPLEX(kind, type) \
  FINEGRAIN_OMP_ATOMIC_ARITHMETIC(kind, type)    \
  FINEGRAIN_OMP_ATOMIC_ACCESS(kind, type)        \
  FINEGRAIN_OMP_ATOMIC_SWAP(kind, type)
FINEGRAIN_OMP_ATOMIC_COMPLEX(cmplx8, complex8)
FINEGRAIN_OMP_ATOMIC_COMPLEX(cmplx10, complex10)

// Those of two floats write the captured value instead of returning it.
#define FINEGRAIN_OMP_ATOMIC_COMPLEX4(operation, capture, expression)                            \
  FINEGRAIN_OMP_ATOMIC(cmplx4_##operation, complex4, complex4, expression)                       \
  FINEGRAIN_OMP_ENTRY void __kmpc_atomic_cmplx4_##capture(                                       \
      ident*, int, complex4* object, complex4 other, complex4* captured, int after) {            \
    const auto done = update(object, [other](complex4 seen) -> complex4 { return expression; }); \
    *captured = after != 0 ? done.after : done.before;                                           \
  }
FINEGRAIN_OMP_ATOMIC_COMPLEX4(add, add_cpt, seen + other)
FINEGRAIN_OMP_ATOMIC_COMPLEX4(sub, sub_cpt, seen - other)
FINEGRAIN_OMP_ATOMIC_COMPLEX4(mul, mul_cpt, seen* other)
FINEGRAIN_OMP_ATOMIC_COMPLEX4(div, div_cpt, seen / other)
FINEGRAIN_OMP_ATOMIC_COMPLEX4(sub_rev, sub_cpt_rev, other - seen)
FINEGRAIN_OMP_ATOMIC_COMPLEX4(div_rev, div_cpt_rev, other / seen)
FINEGRAIN_OMP_ATOMIC_ACCESS(cmplx4, complex4)
FINEGRAIN_OMP_ENTRY void __kmpc_atomic_cmplx4_swp(ident* /*where*/, int /*gtid*/, complex4* object,
                                                  complex4 other, complex4* captured) {
  *captured = swap(object, other);
}
FINEGRAIN_OMP_ATOMIC(cmplx4_add_cmplx8, complex4, complex8, static_cast<complex8>(seen) + other)
FINEGRAIN_OMP_ATOMIC(cmplx4_sub_cmplx8, complex4, complex8, static_cast<complex8>(seen) - other)
FINEGRAIN_OMP_ATOMIC(cmplx4_mul_cmplx8, complex4, complex8, static_cast<complex8>(seen) * other)
FINEGRAIN_OMP_ATOMIC(cmplx4_div_cmplx8, complex4, complex8, static_cast<complex8>(seen) / other)

}  // namespace fg::omp::runtime
// NOLINTEND(bugprone-macro-parentheses)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
