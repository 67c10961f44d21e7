//! The search's numbers, each declared once with its default, range and step, so that a tuner can
//! walk over them and a client can set them by name.

use std::fmt;

/// What a tuner needs to know of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The field's name.
    pub name: &'static str,
    /// The value used when nothing is set.
    pub default: i32,
    /// The smallest value allowed.
    pub min: i32,
    /// The largest value allowed.
    pub max: i32,
    /// A sensible first step for a tuner.
    pub step: i32,
}

/// Why a number was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// No tunable has this name.
    Unknown(String),
    /// The value lies outside the range.
    OutOfRange(Tunable, i32),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => write!(f, "unknown search parameter '{name}'"),
            ParamError::OutOfRange(t, value) => {
                write!(f, "{} is {} to {}, not {value}", t.name, t.min, t.max)
            }
        }
    }
}

impl std::error::Error for ParamError {}

macro_rules! tunables {
    ($( #[doc = $doc:literal] $name:ident = $default:literal in $min:literal, $max:literal step $step:literal; )*) => {
        /// Every number of the search that tuning may move.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params { $( #[doc = $doc] pub $name: i32, )* }

        impl Default for Params {
            fn default() -> Params {
                Params { $( $name: $default, )* }
            }
        }

        $( const _: () = assert!($min <= $default && $default <= $max && $step > 0); )*

        impl Params {
            /// All tunables in the order of their declaration.
            pub const TUNABLES: &[Tunable] = &[ $( Tunable {
                name: stringify!($name), default: $default, min: $min, max: $max, step: $step,
            }, )* ];

            /// The value of a tunable.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $( stringify!($name) => Some(self.$name), )*
                    _ => None,
                }
            }

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $( stringify!($name) => Some(&mut self.$name), )*
                    _ => None,
                }
            }
        }
    };
}

impl Params {
    /// Sets a tunable by name within its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let tunable = Params::TUNABLES
            .iter()
            .find(|t| t.name == name)
            .ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        if value < tunable.min || value > tunable.max {
            return Err(ParamError::OutOfRange(*tunable, value));
        }
        if let Some(slot) = self.slot(name) {
            *slot = value;
        }
        Ok(())
    }
}

tunables! {
    #[doc = "First half-width of the aspiration window."]
    asp_delta = 30 in 5, 32000 step 5;
    #[doc = "Greatest depth of reverse futility pruning."]
    rfp_depth = 8 in 0, 14 step 1;
    #[doc = "Reverse futility: margin a ply of depth."]
    rfp_margin = 103 in 30, 300 step 12;
    #[doc = "Reverse futility: margin less when improving."]
    rfp_improving = 65 in 0, 250 step 10;
    #[doc = "Greatest depth of razoring."]
    razor_depth = 3 in 0, 6 step 1;
    #[doc = "Razoring: base margin."]
    razor_base = 350 in 50, 900 step 35;
    #[doc = "Razoring: margin a ply of depth."]
    razor_margin = 250 in 50, 600 step 25;
    #[doc = "Smallest depth of the null move."]
    null_depth = 2 in 1, 128 step 1;
    #[doc = "Null move: base reduction."]
    null_base = 3 in 1, 6 step 1;
    #[doc = "Null move: depth by which it reduces one ply more."]
    null_divisor = 3 in 2, 8 step 1;
    #[doc = "Null move: evaluation above beta for a ply more of reduction."]
    null_eval = 200 in 60, 600 step 20;
    #[doc = "ProbCut: smallest depth."]
    probcut_depth = 5 in 3, 128 step 1;
    #[doc = "ProbCut: how far above beta a capture must come out."]
    probcut_margin = 250 in 60, 600 step 20;
    #[doc = "ProbCut: how much more it reduces for each further ply, in 1024ths."]
    probcut_deep = 400 in 0, 1024 step 100;
    #[doc = "Smallest depth of internal reduction without a table move."]
    iir_depth = 4 in 2, 128 step 1;
    #[doc = "Late move pruning: base count."]
    lmp_base = 10 in 1, 60 step 2;
    #[doc = "Late move pruning: hundredths of depth squared."]
    lmp_factor = 220 in 20, 1500 step 30;
    #[doc = "Late move pruning: hundredths of the count when not improving."]
    lmp_worsening = 53 in 20, 100 step 4;
    #[doc = "Greatest depth of late move pruning."]
    lmp_depth = 15 in 0, 16 step 1;
    #[doc = "Futility of quiet moves: base margin."]
    fut_base = 130 in 20, 500 step 20;
    #[doc = "Futility of quiet moves: margin a ply of depth."]
    fut_margin = 155 in 30, 400 step 15;
    #[doc = "Greatest reduced depth of quiet futility."]
    fut_depth = 8 in 0, 14 step 1;
    #[doc = "History below this times depth prunes a quiet move."]
    hist_prune = 3950 in 500, 100000 step 400;
    #[doc = "SEE margin of quiet moves, times depth squared."]
    see_quiet = 18 in 5, 120 step 6;
    #[doc = "Greatest reduced depth of SEE pruning of quiet moves."]
    see_quiet_depth = 8 in -1, 16 step 1;
    #[doc = "SEE margin of captures, times depth."]
    see_capture = 195 in 20, 600 step 15;
    #[doc = "SEE margin of checking moves, times depth."]
    see_check = 140 in 20, 600 step 15;
    #[doc = "Greatest depth of SEE pruning of captures and checks."]
    see_depth = 8 in 0, 16 step 1;
    #[doc = "Smallest depth of singular extensions."]
    singular_depth = 7 in 4, 128 step 1;
    #[doc = "Singular: margin a ply of depth, in halves."]
    singular_margin = 3 in 1, 12 step 1;
    #[doc = "Singular: margin below which it extends twice."]
    double_margin = 30 in 0, 32000 step 8;
    #[doc = "Singular: whether another move that beats beta too cuts (0 or 1)."]
    multi_cut = 1 in 0, 1 step 1;
    #[doc = "Singular: plies less for the table's move where its value beats beta anyway."]
    singular_less = 2 in 0, 4 step 1;
    #[doc = "Singular: plies less for it in an expected cut node."]
    singular_cut = 1 in 0, 2 step 1;
    #[doc = "Checks that lose nothing are extended below this depth."]
    check_depth = 10 in 0, 20 step 1;
    #[doc = "LMR: smallest depth."]
    lmr_depth = 2 in 1, 128 step 1;
    #[doc = "LMR: base, in 1024ths of a ply."]
    lmr_base = 690 in -1024, 2048 step 100;
    #[doc = "LMR: factor of ln(depth) ln(number), in 1024ths."]
    lmr_factor = 505 in 200, 900 step 30;
    #[doc = "LMR: more for every ply of depth beyond `lmr_deep_from`, in 1024ths."]
    lmr_deep = 500 in 0, 1500 step 50;
    #[doc = "LMR: hundredths of that where the root's score tells of an attack."]
    lmr_hot = 50 in 0, 100 step 10;
    #[doc = "LMR: depth from which reductions grow with depth."]
    lmr_deep_from = 3 in 0, 128 step 1;
    #[doc = "LMR: plies of reduction from which half of them are tried before the full depth."]
    lmr_stage = 4 in 2, 128 step 1;
    #[doc = "LMR: more when an expected cut node, in 1024ths."]
    lmr_cut = 880 in 0, 2500 step 120;
    #[doc = "LMR: less in a PV node, in 1024ths."]
    lmr_pv = 900 in 0, 2500 step 120;
    #[doc = "LMR: less for a check, in 1024ths."]
    lmr_check = 940 in 0, 2500 step 120;
    #[doc = "LMR: more when not improving, in 1024ths."]
    lmr_worsening = 880 in 0, 2000 step 100;
    #[doc = "LMR: less for a killer or counter move, in 1024ths."]
    lmr_killer = 900 in 0, 2500 step 120;
    #[doc = "LMR: more where the children cut off often, in 1024ths."]
    lmr_cutoffs = 780 in 0, 2000 step 100;
    #[doc = "LMR: less for a capture or promotion, in 1024ths."]
    lmr_capture = 1024 in 0, 3000 step 120;
    #[doc = "LMR: history for a ply less."]
    lmr_history = 10300 in 3000, 2000000 step 900;
    #[doc = "History bonus a ply of depth."]
    bonus_factor = 200 in 40, 400 step 15;
    #[doc = "Greatest history bonus."]
    bonus_max = 1800 in 500, 4000 step 150;
    #[doc = "History malus a ply of depth."]
    malus_factor = 170 in 40, 500 step 15;
    #[doc = "Greatest history malus."]
    malus_max = 1200 in 300, 4000 step 120;
    #[doc = "History of the opponent's last move, from how the evaluation changed: factor in 16ths."]
    hist_swing = 96 in 0, 256 step 8;
    #[doc = "History of the move that led to a node where nothing was good enough: hundredths of a bonus."]
    hist_prior = 60 in 0, 300 step 12;
    #[doc = "Weight of the history of origin and destination, in 32nds."]
    hist_quiet = 64 in 0, 256 step 8;
    #[doc = "Weight of the history of replies to the last move, in 32nds."]
    hist_reply = 72 in 0, 256 step 8;
    #[doc = "Weight of the history of what follows the own last move, in 32nds."]
    hist_plan = 28 in 0, 256 step 6;
    #[doc = "Weight of the history of what follows the own move before that, in 32nds."]
    hist_older = 16 in 0, 256 step 4;
    #[doc = "Weight of the history of this search's first plies, in 32nds."]
    hist_low = 54 in 0, 512 step 16;
    #[doc = "Weight of the captures' history beside what a capture gains, in 32nds."]
    hist_capture = 32 in 0, 256 step 6;
    #[doc = "Killers tried of the two remembered."]
    killers = 2 in 0, 2 step 1;
    #[doc = "Whether the counter move is tried early (0 or 1)."]
    counters = 1 in 0, 1 step 1;
    #[doc = "Correction of the evaluation by pawns, in 1536ths."]
    corr_pawns = 128 in 0, 512 step 16;
    #[doc = "Correction of the evaluation by hands, in 1536ths."]
    corr_hands = 128 in 0, 512 step 16;
    #[doc = "Correction of the evaluation by kings, queens and minor pieces, in 1536ths."]
    corr_pieces = 128 in 0, 512 step 16;
    #[doc = "Whether the root's moves are put in order before the first iteration (0 or 1)."]
    root_order = 1 in 0, 1 step 1;
    #[doc = "Whether they are put in order by effort after each iteration (0 or 1)."]
    root_effort = 1 in 0, 1 step 1;
    #[doc = "Move order: what a check adds to a quiet move."]
    order_check = 9000 in 0, 30000 step 1000;
    #[doc = "Move order: what a drop beside the enemy king adds."]
    order_ring = 1500 in 0, 15000 step 600;
    #[doc = "Move order: what a piece loses that goes where a lesser one takes it."]
    order_unsafe = 2400 in 0, 15000 step 600;
    #[doc = "Move order: what a piece gains that a lesser one attacks."]
    order_escape = 2750 in 0, 15000 step 600;
    #[doc = "Mate search at the root: hundredths of all nodes."]
    mate_share = 10 in 0, 50 step 3;
    #[doc = "The same where the root's score tells of an attack."]
    mate_share_hot = 35 in 0, 60 step 3;
    #[doc = "Mate search in the tree: smallest depth."]
    mate_depth = 40 in 1, 40 step 1;
    #[doc = "The same where the root's score tells of an attack."]
    mate_hot = 4 in 1, 40 step 1;
    #[doc = "Mate search in the tree: nodes a ply of depth."]
    mate_nodes = 120 in 10, 2000 step 60;
    #[doc = "Quiescence: margin of capture futility."]
    qs_margin = 150 in 20, 32000 step 20;
    #[doc = "Quiescence: SEE threshold of checks."]
    qs_check_see = 0 in -300, 200 step 25;
    #[doc = "Quiescence: plies that try checks."]
    qs_checks = 1 in 0, 4 step 1;
    #[doc = "Quiescence: quiet evasions tried once one move holds."]
    qs_evasions = 3 in 0, 400 step 1;
}

/// Reductions by depth and number of the move, in 1024ths of a ply.
#[derive(Clone, Debug)]
pub struct Reductions {
    table: Vec<i32>,
}

const MOVES: usize = 256;
const DEPTHS: usize = 64;

impl Reductions {
    /// The table that belongs to these parameters.
    pub fn new(params: &Params) -> Reductions {
        let mut table = vec![0; MOVES * DEPTHS];
        for depth in 1..DEPTHS {
            for number in 1..MOVES {
                let logs = (depth as f64).ln() * (number as f64).ln();
                table[depth * MOVES + number] =
                    params.lmr_base + (logs * f64::from(params.lmr_factor)) as i32;
            }
        }
        Reductions { table }
    }

    /// The reduction of the `number`th move (from 1) at a depth.
    #[inline(always)]
    pub fn of(&self, depth: i32, number: usize) -> i32 {
        self.table[(depth as usize).min(DEPTHS - 1) * MOVES + number.min(MOVES - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_keep_to_their_range() {
        let mut params = Params::default();
        for t in Params::TUNABLES {
            assert_eq!(params.get(t.name), Some(t.default));
            assert_eq!(params.set(t.name, t.max), Ok(()));
            assert_eq!(params.get(t.name), Some(t.max));
            assert!(params.set(t.name, t.max + 1).is_err());
        }
        assert!(params.set("no_such_thing", 1).is_err());
    }
}
