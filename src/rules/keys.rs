//! Zobrist keys (A. Zobrist, "A New Hashing Method with Application for Game Playing", 1970), drawn
//! at compile time from a fixed seed so that keys are the same in every build.

use crate::types::{Color, File, Key, Role, Square, color_index, role_index};

/// Most pieces of one kind in one hand: all of two sets but the two kings.
const MAX_HAND: usize = 62;

struct Tables {
    piece: [[[Key; 64]; 6]; 2],
    promoted: [Key; 64],
    castling: [Key; 64],
    ep_file: [Key; 8],
    hand: [[[Key; MAX_HAND + 1]; 5]; 2],
    promotable: [[Key; 16]; 2],
    black_to_move: Key,
}

/// SplitMix64 (Steele, Lea, Flood 2014): one step of the generator.
const fn next(state: &mut u64) -> Key {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const fn fill<const N: usize>(state: &mut u64) -> [Key; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        keys[i] = next(state);
        i += 1;
    }
    keys
}

const fn fill2<const N: usize, const M: usize>(state: &mut u64) -> [[Key; N]; M] {
    let mut keys = [[0; N]; M];
    let mut i = 0;
    while i < M {
        keys[i] = fill(state);
        i += 1;
    }
    keys
}

static TABLES: Tables = {
    let mut state = 0x4b6c_6f74_7a00_0001;
    let s = &mut state;
    let mut tables = Tables {
        piece: [fill2(s), fill2(s)],
        promoted: fill(s),
        castling: fill(s),
        ep_file: fill(s),
        hand: [fill2(s), fill2(s)],
        promotable: fill2(s),
        black_to_move: next(s),
    };
    // An empty hand and an unrestricted promotion add nothing, so a bare board has one key.
    let mut color = 0;
    while color < 2 {
        let mut role = 0;
        while role < 5 {
            tables.hand[color][role][0] = 0;
            role += 1;
        }
        tables.promotable[color][15] = 0;
        color += 1;
    }
    tables
};

#[inline(always)]
pub(super) fn piece(color: Color, role: Role, sq: Square) -> Key {
    TABLES.piece[color_index(color)][role_index(role)][sq.to_usize()]
}

#[inline(always)]
pub(super) fn promoted(sq: Square) -> Key {
    TABLES.promoted[sq.to_usize()]
}

#[inline(always)]
pub(super) fn castling(rook: Square) -> Key {
    TABLES.castling[rook.to_usize()]
}

#[inline(always)]
pub(super) fn ep_file(file: File) -> Key {
    TABLES.ep_file[file.to_usize()]
}

#[inline(always)]
pub(super) fn hand(color: Color, role: Role, count: u8) -> Key {
    TABLES.hand[color_index(color)][role_index(role)][count as usize]
}

/// `mask` has a bit for each of knight, bishop, rook, queen.
#[inline(always)]
pub(super) fn promotable(color: Color, mask: u8) -> Key {
    TABLES.promotable[color_index(color)][(mask & 15) as usize]
}

#[inline(always)]
pub(super) fn black_to_move() -> Key {
    TABLES.black_to_move
}
