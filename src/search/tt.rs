//! The transposition table: shared by all threads without locks.
//!
//! An entry is two relaxed atomic words, the second being the first combined with the position's
//! key, so that a torn write is seen as a miss (Hyatt and Mann, "A lockless transposition table
//! implementation for parallel search", 2002). Four entries fill a cache line.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::types::{Key, MATE_IN_MAX, Move, VALUE_INF, Value};

use super::SearchError;
use super::memory;

/// What a stored value says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// At most.
    Upper = 1,
    /// At least.
    Lower = 2,
    /// Exactly.
    Exact = 3,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// The best move; it may be illegal here and must be asked about.
    pub mv: Option<Move>,
    pub value: Value,
    pub eval: Option<Value>,
    pub depth: i32,
    pub bound: Option<Bound>,
    pub pv: bool,
}

const WAYS: usize = 4;
const NO_EVAL: i16 = i16::MIN;
/// Depths are stored above this, so that quiescence fits into an unsigned byte.
const DEPTH_BASE: i32 = -4;
const AGES: u64 = 32;

/// What is stored, and the same combined with the key.
type Entry = [AtomicU64; 2];

/// As many entries as fill a cache line.
const LINE: usize = WAYS * size_of::<Entry>();
const _: () = assert!(LINE == 64);

/// The shared table.
#[derive(Debug)]
pub(super) struct Table {
    /// The clusters, and before them what it takes to begin on a cache line. The type must not ask
    /// for that itself: memory so aligned is not handed out zeroed, and would have to be touched.
    entries: Box<[Entry]>,
    first: usize,
    clusters: usize,
    age: u64,
}

#[derive(Clone, Copy)]
struct Packed(u64);

impl Packed {
    fn new(
        mv: Option<Move>,
        value: i16,
        eval: i16,
        depth: u8,
        bound: u64,
        pv: bool,
        age: u64,
    ) -> Packed {
        Packed(
            u64::from(mv.map_or(0, Move::raw))
                | u64::from(value as u16) << 16
                | u64::from(eval as u16) << 32
                | u64::from(depth) << 48
                | bound << 56
                | u64::from(pv) << 58
                | age << 59,
        )
    }

    fn depth(self) -> i32 {
        i32::from((self.0 >> 48) as u8)
    }

    fn bound(self) -> Option<Bound> {
        match (self.0 >> 56) & 3 {
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            3 => Some(Bound::Exact),
            _ => None,
        }
    }

    fn age(self) -> u64 {
        self.0 >> 59
    }

    fn raw_move(self) -> u16 {
        self.0 as u16
    }
}

/// A value to be stored: mates are counted from the position instead of the root, and what the
/// line gained for the team before the position is taken out, so that it fits any path to it.
#[inline]
pub(super) fn to_table(value: Value, ply: usize, team: Value) -> Value {
    if value >= MATE_IN_MAX {
        (value + ply as Value).min(VALUE_INF - 1)
    } else if value <= -MATE_IN_MAX {
        (value - ply as Value).max(-VALUE_INF + 1)
    } else {
        (value - team).clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1)
    }
}

/// The opposite of [`to_table`].
#[inline]
pub(super) fn from_table(value: Value, ply: usize, team: Value) -> Value {
    if value >= MATE_IN_MAX {
        value - ply as Value
    } else if value <= -MATE_IN_MAX {
        value + ply as Value
    } else {
        (value + team).clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1)
    }
}

/// Asks the system for large pages: with small ones nearly every look costs a walk of the page
/// table too.
fn advise_large_pages(entries: &[Entry]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let range = entries.as_ptr_range();
        let (start, end) = (range.start.addr().next_multiple_of(PAGE), range.end.addr());
        if end > start {
            #[allow(unsafe_code)]
            // SAFETY: the range lies within memory that is ours, and the advice changes nothing of
            // what it holds. A refusal may be passed over.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = entries;
}

impl Table {
    /// A table of at most `mb` mebibytes.
    pub fn new(mb: usize) -> Result<Table, SearchError> {
        let largest = memory::available_mb();
        if mb == 0 || mb > largest {
            return Err(SearchError::Hash { asked: mb, largest });
        }
        let clusters = mb * (1 << 20) / LINE;
        let entries = bytemuck::allocation::try_zeroed_slice_box::<Entry>((clusters + 1) * WAYS)
            .map_err(|()| SearchError::Hash { asked: mb, largest })?;
        advise_large_pages(&entries);
        let start = entries.as_ptr().addr();
        let first = (start.next_multiple_of(LINE) - start) / size_of::<Entry>();
        Ok(Table { entries, first, clusters, age: 0 })
    }

    /// Size in mebibytes.
    pub fn mb(&self) -> usize {
        (self.clusters * LINE) >> 20
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for entry in &mut self.entries {
            *entry[0].get_mut() = 0;
            *entry[1].get_mut() = 0;
        }
        self.age = 0;
    }

    /// A new search begins: what is there grows older.
    pub fn grow_older(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    #[inline(always)]
    fn cluster(&self, key: Key) -> &[Entry] {
        let index = (u128::from(key) * self.clusters as u128) >> 64;
        &self.entries[self.first + index as usize * WAYS..][..WAYS]
    }

    /// Brings a position's entries near.
    #[inline(always)]
    pub fn prefetch(&self, key: Key) {
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        // SAFETY: prefetching reads nothing, and the address is that of live entries.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.cluster(key).as_ptr().cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of a position.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Hit> {
        for entry in self.cluster(key) {
            let data = entry[0].load(Ordering::Relaxed);
            if data != 0 && entry[1].load(Ordering::Relaxed) ^ data == key {
                let packed = Packed(data);
                let eval = (data >> 32) as u16 as i16;
                return Some(Hit {
                    mv: Move::from_raw(packed.raw_move()),
                    value: Value::from((data >> 16) as u16 as i16),
                    eval: (eval != NO_EVAL).then_some(Value::from(eval)),
                    depth: packed.depth() + DEPTH_BASE,
                    bound: packed.bound(),
                    pv: (data >> 58) & 1 != 0,
                });
            }
        }
        None
    }

    /// Records what was found, in place of the least valuable entry.
    #[inline]
    pub fn store(&self, key: Key, entry: &Hit) {
        let cluster = self.cluster(key);
        let mut victim = &cluster[0];
        let mut worst = i32::MAX;
        let mut old_move = 0;
        for slot in cluster {
            let data = slot[0].load(Ordering::Relaxed);
            let packed = Packed(data);
            if data == 0 || slot[1].load(Ordering::Relaxed) ^ data == key {
                // A deep exact entry of this search is not given up for a shallow bound.
                if data != 0 {
                    let keep = entry.bound != Some(Bound::Exact)
                        && packed.age() == self.age
                        && packed.depth() + DEPTH_BASE > entry.depth + 3;
                    if keep {
                        return;
                    }
                    old_move = packed.raw_move();
                }
                victim = slot;
                break;
            }
            let staleness = (AGES + self.age - packed.age()) % AGES;
            let worth = packed.depth() - 8 * staleness as i32;
            if worth < worst {
                worst = worth;
                victim = slot;
            }
        }
        let depth = (entry.depth - DEPTH_BASE).clamp(1, 255) as u8;
        let packed = Packed::new(
            entry.mv.or(Move::from_raw(old_move)),
            entry.value as i16,
            entry.eval.map_or(NO_EVAL, |eval| eval as i16),
            depth,
            entry.bound.map_or(0, |bound| bound as u64),
            entry.pv,
            self.age,
        );
        victim[0].store(packed.0, Ordering::Relaxed);
        victim[1].store(packed.0 ^ key, Ordering::Relaxed);
    }

    /// How full the table is with entries of this search, in thousandths.
    pub fn hashfull(&self) -> u16 {
        let sample = self.clusters.min(250);
        let used = self.entries[self.first..][..sample * WAYS]
            .iter()
            .filter(|entry| {
                let data = entry[0].load(Ordering::Relaxed);
                data != 0 && Packed(data).age() == self.age
            })
            .count();
        (used * 1000 / (sample * WAYS).max(1)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MATE, Square};

    fn entry(depth: i32) -> Hit {
        Hit {
            mv: Some(Move::quiet(Square::E2, Square::E3)),
            value: -123,
            eval: Some(45),
            depth,
            bound: Some(Bound::Lower),
            pv: true,
        }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.mb(), 1);
        let key = 0x1234_5678_9abc_def0;
        assert!(table.probe(key).is_none());
        table.store(key, &entry(7));
        let hit = table.probe(key).unwrap();
        assert_eq!((hit.value, hit.eval, hit.depth), (-123, Some(45), 7));
        assert_eq!((hit.mv, hit.bound, hit.pv), (entry(7).mv, Some(Bound::Lower), true));
        assert!(table.probe(key ^ 1).is_none());
    }

    #[test]
    fn the_shallowest_and_oldest_makes_room() {
        let mut table = Table::new(1).unwrap();
        for depth in 0..4 {
            table.store(depth as u64 + 1, &entry(10 + depth));
        }
        table.store(9, &entry(1));
        assert!(table.probe(1).is_none());
        table.grow_older();
        table.store(10, &entry(1));
        assert!(table.probe(9).is_none() && table.probe(4).is_some());
    }

    #[test]
    fn values_travel_independent_of_path() {
        assert_eq!(from_table(to_table(MATE - 7, 4, 50), 2, 90), MATE - 5);
        assert_eq!(from_table(to_table(120, 4, 50), 2, 90), 160);
    }

    #[test]
    fn a_table_beyond_memory_is_refused() {
        assert!(
            matches!(Table::new(1 << 40), Err(SearchError::Hash { largest, .. }) if largest > 0)
        );
    }
}
