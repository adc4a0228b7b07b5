// SPDX-License-Identifier: Apache-2.0
//! chili: `join` is all that it has.

use crate::{counted, Call, Count};
use chili::{Config, Scope, ThreadPool};
use std::ffi::c_void;
use std::num::NonZero;
use std::ptr::from_mut;

#[no_mangle]
pub extern "C" fn fg_chili_session(threads: usize, started: Call, body: Call) {
    let pool = ThreadPool::with_config(Config {
        thread_count: NonZero::new(threads), // with the caller
        ..Config::default()
    });
    started.run(std::ptr::null_mut());
    body.run(from_mut(&mut pool.scope()).cast());
}

/// # Safety
/// `scope` is that with which C++ was called on this thread.
#[no_mangle]
pub unsafe extern "C" fn fg_chili_join(scope: *mut c_void, first: Call, second: Call) {
    scope_of(scope).join(
        |scope| first.run(from_mut(scope).cast()),
        |scope| second.run(from_mut(scope).cast()),
    );
}

/// # Safety
/// As for `fg_chili_join`.
#[no_mangle]
pub unsafe extern "C" fn fg_chili_fib(scope: *mut c_void, n: i32, count: Count) -> u64 {
    match count {
        None => fib(scope_of(scope), n, || ()),
        Some(count) => fib(scope_of(scope), n, counted(count)),
    }
}

fn fib<Leaf: Fn() + Copy + Send + Sync>(scope: &mut Scope, n: i32, leaf: Leaf) -> u64 {
    if n < 2 {
        leaf();
        return n as u64;
    }
    let (first, second) = scope.join(
        |scope| fib(scope, n - 1, leaf),
        |scope| fib(scope, n - 2, leaf),
    );
    first + second
}

/// # Safety
/// As for `fg_chili_join`.
#[no_mangle]
pub unsafe extern "C" fn fg_chili_tree(
    scope: *mut c_void,
    width: u32,
    depth: u32,
    count: Count,
) -> u64 {
    match count {
        None => below(scope_of(scope), width, depth, || ()),
        Some(count) => below(scope_of(scope), width, depth, counted(count)),
    }
}

// The leaves below a node.
fn below<Leaf: Fn() + Copy + Send + Sync>(
    scope: &mut Scope,
    width: u32,
    depth: u32,
    leaf: Leaf,
) -> u64 {
    if depth == 0 {
        leaf();
        return 1;
    }
    siblings(scope, width, width, depth - 1, leaf)
}

// The leaves below so many children of one node: a join halves them.
fn siblings<Leaf: Fn() + Copy + Send + Sync>(
    scope: &mut Scope,
    count: u32,
    width: u32,
    depth: u32,
    leaf: Leaf,
) -> u64 {
    if count == 1 {
        return below(scope, width, depth, leaf);
    }
    let half = count / 2;
    let (first, second) = scope.join(
        |scope| siblings(scope, half, width, depth, leaf),
        |scope| siblings(scope, count - half, width, depth, leaf),
    );
    first + second
}

unsafe fn scope_of<'a>(scope: *mut c_void) -> &'a mut Scope<'a> {
    unsafe { &mut *scope.cast() }
}
