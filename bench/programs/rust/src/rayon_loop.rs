// SPDX-License-Identifier: Apache-2.0
//! rayon: a parallel iterator over a range.

use rayon::prelude::*;
use std::arch::asm;

/// `loop_work` (programs/loops/loop_work.hpp), whose element this repeats.
#[repr(C)]
pub struct LoopWork {
    elements: usize,
    steps: u64,
    seed: u64,
    results: *mut u32,
    cpus: *mut i32,
    current_cpu: Option<extern "C" fn() -> i32>,
}

// Elements write results of their own.
unsafe impl Sync for LoopWork {}

const LCG_FACTOR: u64 = 6364136223846793005;
const LCG_TERM: u64 = 1442695040888963407;

impl LoopWork {
    fn run(&self, i: usize) {
        let mut state = self.seed.wrapping_add(i as u64);
        for _ in 0..self.steps {
            state = state.wrapping_mul(LCG_FACTOR).wrapping_add(LCG_TERM);
            // Keeps the steps apart, as in C++.
            unsafe {
                asm!("/* {0} */", inout(reg) state, options(nomem, nostack, preserves_flags))
            };
        }
        // Within the arrays: i is below `elements`.
        unsafe {
            *self.results.add(i) = (state >> 32) as u32;
            if !self.cpus.is_null() {
                if let Some(current_cpu) = self.current_cpu {
                    *self.cpus.add(i) = current_cpu();
                }
            }
        }
    }
}

/// # Safety
/// The work and its arrays outlive the call.
#[no_mangle]
pub unsafe extern "C" fn fg_rayon_loop(work: *const LoopWork) {
    let work = unsafe { &*work };
    (0..work.elements).into_par_iter().for_each(|i| work.run(i));
}
