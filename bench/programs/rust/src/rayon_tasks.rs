// SPDX-License-Identifier: Apache-2.0
//! rayon: `join` for trees, and a scope for tasks of one thread.

use crate::{counted, Call, Count, NumberedCall};
use rayon::{join, ThreadPoolBuilder};
use std::ffi::c_void;
use std::ptr::null_mut;

/// False if the threads cannot be started.
#[no_mangle]
pub extern "C" fn fg_rayon_session(
    threads: usize,
    stack_bytes: usize,
    place: NumberedCall,
    body: Call,
) -> bool {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(stack_bytes)
        .start_handler(move |index| place.run(index as u64))
        .build();
    let Ok(pool) = pool else { return false };
    pool.broadcast(|_| ()); // the context has to outlive the last start
    pool.install(|| body.run(null_mut()));
    true
}

#[no_mangle]
pub extern "C" fn fg_rayon_join(_scope: *mut c_void, first: Call, second: Call) {
    join(|| first.run(null_mut()), || second.run(null_mut()));
}

#[no_mangle]
pub extern "C" fn fg_rayon_fib(_scope: *mut c_void, n: i32, count: Count) -> u64 {
    match count {
        None => fib(n, || ()),
        Some(count) => fib(n, counted(count)),
    }
}

fn fib<Leaf: Fn() + Copy + Send + Sync>(n: i32, leaf: Leaf) -> u64 {
    if n < 2 {
        leaf();
        return n as u64;
    }
    let (first, second) = join(|| fib(n - 1, leaf), || fib(n - 2, leaf));
    first + second
}

#[no_mangle]
pub extern "C" fn fg_rayon_tree(_scope: *mut c_void, width: u32, depth: u32, count: Count) -> u64 {
    match count {
        None => below(width, depth, || ()),
        Some(count) => below(width, depth, counted(count)),
    }
}

// The leaves below a node.
fn below<Leaf: Fn() + Copy + Send + Sync>(width: u32, depth: u32, leaf: Leaf) -> u64 {
    if depth == 0 {
        leaf();
        return 1;
    }
    siblings(width, width, depth - 1, leaf)
}

// The leaves below so many children of one node: a join halves them.
fn siblings<Leaf: Fn() + Copy + Send + Sync>(
    count: u32,
    width: u32,
    depth: u32,
    leaf: Leaf,
) -> u64 {
    if count == 1 {
        return below(width, depth, leaf);
    }
    let half = count / 2;
    let (first, second) = join(
        || siblings(half, width, depth, leaf),
        || siblings(count - half, width, depth, leaf),
    );
    first + second
}

#[no_mangle]
pub extern "C" fn fg_rayon_spawn_each(task: NumberedCall, first: u64, end: u64) {
    rayon::scope(|scope| {
        for index in first..end {
            scope.spawn(move |_| task.run(index));
        }
    });
}

/// Calls it on each thread of the pool, with the thread's number, and waits.
#[no_mangle]
pub extern "C" fn fg_rayon_broadcast(call: NumberedCall) {
    rayon::broadcast(|thread| call.run(thread.index() as u64));
}
