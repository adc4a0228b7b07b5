// SPDX-License-Identifier: Apache-2.0
//! Runtimes of the lab that are Rust crates. `rust_peers.hpp` declares and describes what is
//! exported here.

mod chili_tasks;
mod rayon_loop;
mod rayon_tasks;

use std::ffi::c_void;

/// A C++ function and what it is called on. The C++ side vouches that any thread may call it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Call {
    run: extern "C" fn(context: *const c_void, scope: *mut c_void),
    context: *const c_void,
}

unsafe impl Send for Call {}
unsafe impl Sync for Call {}

impl Call {
    fn run(self, scope: *mut c_void) {
        (self.run)(self.context, scope);
    }
}

/// The same with a number.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct NumberedCall {
    run: extern "C" fn(context: *const c_void, index: u64),
    context: *const c_void,
}

unsafe impl Send for NumberedCall {}
unsafe impl Sync for NumberedCall {}

impl NumberedCall {
    fn run(&self, index: u64) {
        (self.run)(self.context, index);
    }
}

/// Called by each leaf of a run whose leaves are counted by thread.
type Count = Option<extern "C" fn()>;

fn counted(count: extern "C" fn()) -> impl Fn() + Copy + Send + Sync {
    move || count()
}
