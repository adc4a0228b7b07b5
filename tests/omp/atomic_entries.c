// Entry points of atomic constructs that Intel's compilers emit, called by hand: all threads update
// one object, and nothing is lost.
/* SPDX-License-Identifier: Apache-2.0 */
#include <complex.h>
#include <stdint.h>

#include "check.h"

void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
void __kmpc_atomic_4(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_32(void*, int, void*, void*, void (*)(void*, void*, void*));
void __kmpc_atomic_fixed1_add(void*, int, int8_t*, int8_t);
void __kmpc_atomic_fixed4_add(void*, int, int32_t*, int32_t);
int32_t __kmpc_atomic_fixed4_add_cpt(void*, int, int32_t*, int32_t, int);
int32_t __kmpc_atomic_fixed4_sub_cpt_rev(void*, int, int32_t*, int32_t, int);
void __kmpc_atomic_fixed4_max(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed4_eqv(void*, int, int32_t*, int32_t);
void __kmpc_atomic_fixed2_mul_float8(void*, int, int16_t*, double);
void __kmpc_atomic_fixed8u_shr(void*, int, uint64_t*, uint64_t);
int64_t __kmpc_atomic_fixed8_swp(void*, int, int64_t*, int64_t);
int64_t __kmpc_atomic_fixed8_rd(void*, int, int64_t*);
void __kmpc_atomic_float4_add_float8(void*, int, float*, double);
void __kmpc_atomic_float8_add(void*, int, double*, double);
void __kmpc_atomic_float8_div_rev(void*, int, double*, double);
void __kmpc_atomic_float10_add(void*, int, long double*, long double);
void __kmpc_atomic_cmplx4_add(void*, int, float complex*, float complex);
void __kmpc_atomic_cmplx4_add_cpt(void*, int, float complex*, float complex, float complex*, int);
void __kmpc_atomic_cmplx8_add(void*, int, double complex*, double complex);
double complex __kmpc_atomic_cmplx8_mul_cpt(void*, int, double complex*, double complex, int);
void __kmpc_atomic_cmplx10_add(void*, int, long double complex*, long double complex);
long double complex __kmpc_atomic_cmplx10_rd(void*, int, long double complex*);
_Bool __kmpc_atomic_bool_4_cas(void*, int, int32_t*, int32_t, int32_t);
int32_t __kmpc_atomic_val_4_cas_cpt(void*, int, int32_t*, int32_t, int32_t, int32_t*);

int __kmpc_global_thread_num(void*);
static int own_number(void) { return __kmpc_global_thread_num(NULL); }

static void add_ints(void* out, void* left, void* right) {
  *(int*)out = *(int*)left + *(int*)right;
}
static void add_complex(void* out, void* left, void* right) {
  *(long double complex*)out = *(long double complex*)left + *(long double complex*)right;
}

static void lose_nothing(void) {
  // 2000 each of two threads. Intel's locks are fair: 64 threads on 2 CPUs wait for each other by turns.
  const int rounds = 4000 / omp_get_max_threads();
  int plain = 0, called = 0, locked = 0;
  double real = 0;
  float narrow = 0;
  long double wide = 0;
  float complex c4 = 0;
  double complex c8 = 0;
  long double complex c10 = 0, by_call = 0;
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
    int one = 1;
    long double complex both = 1 + 2 * I;
    __kmpc_atomic_fixed4_add(NULL, own_number(), &plain, 1);
    __kmpc_atomic_4(NULL, own_number(), &called, &one, add_ints);
    __kmpc_atomic_float8_add(NULL, own_number(), &real, 1);
    __kmpc_atomic_float4_add_float8(NULL, own_number(), &narrow, 1);
    __kmpc_atomic_float10_add(NULL, own_number(), &wide, 1);
    __kmpc_atomic_cmplx4_add(NULL, own_number(), &c4, 1 + 2 * I);
    __kmpc_atomic_cmplx8_add(NULL, own_number(), &c8, 1 + 2 * I);
    __kmpc_atomic_cmplx10_add(NULL, own_number(), &c10, 1 + 2 * I);
    __kmpc_atomic_32(NULL, own_number(), &by_call, &both, add_complex);
    __kmpc_atomic_start();
    ++locked;
    __kmpc_atomic_end();
  }
  const int all = rounds * omp_get_max_threads();
  CHECK_EQUAL(all, plain);
  CHECK_EQUAL(all, called);
  CHECK_EQUAL(all, locked);
  CHECK(real == all && narrow == all && wide == all);
  CHECK(c4 == all + 2 * all * I && c8 == all + 2 * all * I);
  CHECK(c10 == all + 2 * all * I && by_call == all + 2 * all * I);
  CHECK(__kmpc_atomic_cmplx10_rd(NULL, own_number(), &c10) == c10);
}

int main(void) {
  int32_t number = 5, captured = 0;
  CHECK_EQUAL(5, __kmpc_atomic_fixed4_add_cpt(NULL, own_number(), &number, 2, 0));
  CHECK_EQUAL(9, __kmpc_atomic_fixed4_add_cpt(NULL, own_number(), &number, 2, 1));
  CHECK_EQUAL(-8, __kmpc_atomic_fixed4_sub_cpt_rev(NULL, own_number(), &number, 1, 1));
  __kmpc_atomic_fixed4_max(NULL, own_number(), &number, 3);
  CHECK_EQUAL(3, number);
  __kmpc_atomic_fixed4_eqv(NULL, own_number(), &number, 5);
  CHECK_EQUAL(~(3 ^ 5), number);
  number = 1;
  CHECK(__kmpc_atomic_bool_4_cas(NULL, own_number(), &number, 1, 2));
  CHECK(!__kmpc_atomic_bool_4_cas(NULL, own_number(), &number, 1, 3));
  CHECK_EQUAL(2, __kmpc_atomic_val_4_cas_cpt(NULL, own_number(), &number, 2, 4, &captured));
  CHECK_EQUAL(4, captured);
  int8_t small = 127;
  __kmpc_atomic_fixed1_add(NULL, own_number(), &small, 1);
  CHECK_EQUAL(-128, small);
  int16_t medium = 10;
  __kmpc_atomic_fixed2_mul_float8(NULL, own_number(), &medium, 1.5);
  CHECK_EQUAL(15, medium);
  uint64_t high = ~UINT64_C(0);
  __kmpc_atomic_fixed8u_shr(NULL, own_number(), &high, 63);
  CHECK_EQUAL(1, high);
  int64_t large = 7;
  CHECK_EQUAL(7, __kmpc_atomic_fixed8_swp(NULL, own_number(), &large, 8));
  CHECK_EQUAL(8, __kmpc_atomic_fixed8_rd(NULL, own_number(), &large));
  double real = 4;
  __kmpc_atomic_float8_div_rev(NULL, own_number(), &real, 1);
  CHECK(real == 0.25);
  float complex c4 = I, c4_captured = 0;
  __kmpc_atomic_cmplx4_add_cpt(NULL, own_number(), &c4, 1, &c4_captured, 1);
  CHECK(c4_captured == 1 + I);
  double complex c8 = I;
  CHECK(__kmpc_atomic_cmplx8_mul_cpt(NULL, own_number(), &c8, I, 0) == I);
  CHECK(c8 == -1);
  lose_nothing();
  return ok();
}
