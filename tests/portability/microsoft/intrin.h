// What our headers call of Microsoft's <intrin.h>; clang's needs Microsoft's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
void _mm_pause(void);
unsigned __int64 __rdtsc(void);
void __cpuidex(int registers[4], int leaf, int subleaf);
void* _AddressOfReturnAddress(void);
}
