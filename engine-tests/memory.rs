//! What the search takes from the system: the table as large as was asked, and nothing a node.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use klotz::rules::{Position, Rules};
use klotz::search::{Control, Limits, Request, Searcher};

/// The system's memory, counted.
struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CALLS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(size, Ordering::Relaxed);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The counters are everybody's, so one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// Allocations during a search of so many nodes, and how deep it came.
fn allocations(searcher: &mut Searcher, position: Position, nodes: u64) -> (usize, u32) {
    searcher.clear();
    let mut limits = Limits::new(Instant::now());
    limits.nodes = Some(nodes);
    let request = Request::new(position, limits);
    let before = CALLS.load(Ordering::Relaxed);
    let outcome = searcher.search(&request, &Control::new(), &|_| {});
    (CALLS.load(Ordering::Relaxed) - before, outcome.depth)
}

#[test]
fn the_search_allocates_nothing_a_node() {
    let _alone = ALONE.lock();
    let mut searcher = Searcher::new(1, 8).unwrap();
    let positions = [
        ("r1b1kb1r/pppp1ppp/2n5/4P3/3qn3/2N2Q2/PPP2PPP/R1B1KB1R[NPp] w KQkq - 0 9", "zh"),
        ("6k1/5ppp/8/8/3q4/8/5PPP/6K1[RBNPPPbbnnpp] w - - 0 1", "bug"),
        ("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 4 9", "chess"),
    ];
    for (fen, variant) in positions {
        let rules = match variant {
            "zh" => Rules::CRAZYHOUSE,
            "bug" => Rules::BUGHOUSE,
            _ => Rules::CHESS,
        };
        let position = Position::from_fen(fen, rules).unwrap();
        // The first search lets everything grow to its size.
        allocations(&mut searcher, position, 20_000);
        let (few, shallow) = allocations(&mut searcher, position, 2_000);
        let (many, deep) = allocations(&mut searcher, position, 60_000);
        // Each iteration tells its line; a mate proved on the way is played out.
        let iterations = (deep - shallow + 1) as usize;
        assert!(
            many < few + 40 * iterations + 100,
            "{fen}: {few} allocations in 2,000 nodes, {many} in 60,000"
        );
    }
}

#[test]
fn the_table_is_as_large_as_was_asked() {
    let _alone = ALONE.lock();
    let mut searcher = Searcher::new(1, 1).unwrap();
    let rest = LIVE.load(Ordering::Relaxed) - (1 << 20);
    for mb in [1, 2, 16, 33, 128] {
        searcher.set_hash(mb).unwrap();
        let taken = LIVE.load(Ordering::Relaxed) - rest;
        assert!(taken.abs_diff(mb << 20) <= 1 << 16, "{mb} MB asked, {taken} bytes taken");
    }
}
