// Allocators with traits: alignment, a pool that is used up, and what happens then.
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "check.h"

int main(void) {
  enum { kPool = 4096 };
  omp_alloctrait_t traits[] = {
      {omp_atk_alignment, 256}, {omp_atk_pool_size, kPool}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t one = omp_init_allocator(omp_default_mem_space, 3, traits);
  CHECK(one != omp_null_allocator);
  char* first = (char*)omp_alloc(kPool / 2, one);
  CHECK(first != NULL);
  CHECK_EQUAL(0, (uintptr_t)first % 256);
  memset(first, 1, kPool / 2);
  CHECK(omp_alloc(kPool / 2, one) == NULL);  // a block takes more than its bytes
  omp_free(first, omp_null_allocator);
  first = (char*)omp_alloc(kPool / 2, one);
  CHECK(first != NULL);
  omp_free(first, one);

  traits[2].value = omp_atv_default_mem_fb;
  const omp_allocator_handle_t other = omp_init_allocator(omp_default_mem_space, 3, traits);
  char* large = (char*)omp_alloc(10 * kPool, other);
  CHECK(large != NULL);
  memset(large, 1, 10 * kPool);
  omp_free(large, other);

  omp_set_default_allocator(one);
  CHECK(omp_get_default_allocator() == one);
  CHECK(omp_alloc(2 * kPool, omp_null_allocator) == NULL);
  omp_set_default_allocator(omp_default_mem_alloc);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 100; ++i) {
    char* own = (char*)omp_alloc(512, one);
    if (own != NULL) memset(own, 1, 512);
    omp_free(own, one);
  }
  first = (char*)omp_alloc(kPool / 2, one);
  CHECK(first != NULL);
  omp_free(first, one);
  omp_destroy_allocator(one);
  omp_destroy_allocator(other);
  return ok();
}
