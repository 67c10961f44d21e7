//! A rule set as a value: the presets, every option, and their names.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Declares an option's values with their written names.
macro_rules! option_values {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$value_doc])* $value),+ }

        impl $name {
            /// The written names of all values.
            pub const NAMES: &'static [&'static str] = &[$($text),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($name::$value => $text),+ })
            }
        }

        impl FromStr for $name {
            type Err = ();

            fn from_str(s: &str) -> Result<Self, ()> {
                match s { $($text => Ok($name::$value),)+ _ => Err(()) }
            }
        }
    };
}

option_values! {
    /// The game.
    Variant {
        /// Standard chess: no hands.
        Chess = "chess",
        /// Captures enter the capturer's own hand.
        Crazyhouse = "crazyhouse",
        /// Captures enter the partner's hand on the other board.
        Bughouse = "bughouse",
    }
}

option_values! {
    /// What a drop may do to the opponent's king.
    DropAggression {
        /// Anything.
        MateAllowed = "mate-allowed",
        /// Check, but not mate.
        NoMate = "no-mate",
        /// Not even check.
        NoCheck = "no-check",
    }
}

option_values! {
    /// Where pawns may be dropped, counted from the player's own side.
    PawnDropRanks {
        /// Anywhere a pawn can stand.
        TwoToSeven = "2-7",
        /// The four middle ranks.
        ThreeToSix = "3-6",
    }
}

option_values! {
    /// What a pawn on the last rank becomes.
    PromotionRule {
        /// A new piece, marked as promoted.
        Upgrade = "upgrade",
        /// A piece taken off the other board in exchange for the pawn (bughouse).
        Exchange = "exchange",
    }
}

option_values! {
    /// What an illegal move costs.
    IllegalMove {
        /// It is refused and the player moves again.
        Rejected = "rejected",
        /// His team loses.
        Loses = "loses",
    }
}

option_values! {
    /// Two ends of opposite teams at the same instant.
    Simultaneous {
        /// The first one counts.
        FirstEvent = "first-event",
        /// The match is drawn.
        Draw = "draw",
    }
}

option_values! {
    /// What a draw on one board does to the match.
    BoardDraw {
        /// It ends it.
        EndsMatch = "ends-match",
        /// That board stops, the other plays on.
        PlayOn = "play-on",
    }
}

option_values! {
    /// When a captured piece reaches the partner.
    PassPieces {
        /// When the capturing move is finished by the clock.
        AfterMove = "after-move",
        /// The moment it leaves the board.
        AtOnce = "at-once",
    }
}

/// Why a rule set was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RulesError {
    /// No such preset.
    #[error("unknown rules '{0}': chess, crazyhouse, bughouse, bughouse-otb or bughouse-swedish")]
    UnknownPreset(String),
    /// No such option.
    #[error("unknown rule option '{0}'")]
    UnknownOption(String),
    /// The option does not take this value.
    #[error("rule option {option} cannot be '{value}': it takes {allowed}")]
    BadValue {
        /// The option's name.
        option: &'static str,
        /// What was asked for.
        value: String,
        /// What it takes.
        allowed: String,
    },
    /// The option means nothing in this variant.
    #[error("rule option {option} = {value} does not go with {variant}")]
    NotHere {
        /// The option's name.
        option: &'static str,
        /// What was asked for.
        value: String,
        /// The variant of the rule set.
        variant: Variant,
    },
    /// Something the preset excludes by name.
    #[error("{what} is not combined with {variant}")]
    NotCombined {
        /// What was asked for.
        what: &'static str,
        /// The variant of the rule set.
        variant: Variant,
    },
}

/// A complete rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The game.
    pub variant: Variant,
    /// What a drop may do to the opponent's king.
    pub drop_aggression: DropAggression,
    /// Where pawns may be dropped.
    pub pawn_drop_ranks: PawnDropRanks,
    /// What a pawn on the last rank becomes.
    pub promotion: PromotionRule,
    /// Whether a king that has not moved may castle with any rook of his on its corner.
    pub dropped_rook_castles: bool,
    /// What an illegal move costs.
    pub illegal_move: IllegalMove,
    /// Two ends at the same instant.
    pub simultaneous: Simultaneous,
    /// What a draw on one board does.
    pub board_draw: BoardDraw,
    /// When a captured piece reaches the partner.
    pub pass_pieces: PassPieces,
    /// Single moves after which the game or match is drawn.
    pub move_cap: Option<u16>,
    /// Whether castling is read and written as in Chess960, for clients that ask for it.
    pub chess960: bool,
}

impl Rules {
    /// Standard chess.
    pub const CHESS: Rules = Rules {
        variant: Variant::Chess,
        drop_aggression: DropAggression::MateAllowed,
        pawn_drop_ranks: PawnDropRanks::TwoToSeven,
        promotion: PromotionRule::Upgrade,
        dropped_rook_castles: false,
        illegal_move: IllegalMove::Rejected,
        simultaneous: Simultaneous::FirstEvent,
        board_draw: BoardDraw::EndsMatch,
        pass_pieces: PassPieces::AfterMove,
        move_cap: None,
        chess960: false,
    };

    /// Crazyhouse.
    pub const CRAZYHOUSE: Rules =
        Rules { variant: Variant::Crazyhouse, move_cap: Some(600), ..Rules::CHESS };

    /// Bughouse as played online.
    pub const BUGHOUSE: Rules =
        Rules { variant: Variant::Bughouse, move_cap: Some(800), ..Rules::CHESS };

    /// Bughouse over the board, from a club tournament's regulations.
    pub const BUGHOUSE_OTB: Rules = Rules {
        dropped_rook_castles: true,
        illegal_move: IllegalMove::Loses,
        simultaneous: Simultaneous::Draw,
        board_draw: BoardDraw::PlayOn,
        ..Rules::BUGHOUSE
    };

    /// Bughouse by the Swedish rule page; its stated variations are options.
    pub const BUGHOUSE_SWEDISH: Rules = Rules::BUGHOUSE_OTB;

    /// The presets by name.
    pub const PRESETS: [(&'static str, Rules); 5] = [
        ("chess", Rules::CHESS),
        ("crazyhouse", Rules::CRAZYHOUSE),
        ("bughouse", Rules::BUGHOUSE),
        ("bughouse-otb", Rules::BUGHOUSE_OTB),
        ("bughouse-swedish", Rules::BUGHOUSE_SWEDISH),
    ];

    /// Every option with the values it takes; a `move_cap` is also any number from 1 to 65535.
    pub const OPTIONS: [(&'static str, &'static [&'static str]); 9] = [
        ("drop_aggression", DropAggression::NAMES),
        ("pawn_drop_ranks", PawnDropRanks::NAMES),
        ("promotion", PromotionRule::NAMES),
        ("dropped_rook_castles", &["true", "false"]),
        ("illegal_move", IllegalMove::NAMES),
        ("simultaneous", Simultaneous::NAMES),
        ("board_draw", BoardDraw::NAMES),
        ("pass_pieces", PassPieces::NAMES),
        ("move_cap", &["none"]),
    ];

    /// The preset of that name.
    pub fn preset(name: &str) -> Result<Rules, RulesError> {
        Rules::PRESETS
            .into_iter()
            .find(|(preset, _)| *preset == name)
            .map(|(_, rules)| rules)
            .ok_or_else(|| RulesError::UnknownPreset(name.to_owned()))
    }

    /// The rule set a variant has when nothing else is said.
    pub const fn of(variant: Variant) -> Rules {
        match variant {
            Variant::Chess => Rules::CHESS,
            Variant::Crazyhouse => Rules::CRAZYHOUSE,
            Variant::Bughouse => Rules::BUGHOUSE,
        }
    }

    /// An option's present value as it is written.
    pub fn get(&self, option: &str) -> Option<String> {
        Some(match option {
            "drop_aggression" => self.drop_aggression.to_string(),
            "pawn_drop_ranks" => self.pawn_drop_ranks.to_string(),
            "promotion" => self.promotion.to_string(),
            "dropped_rook_castles" => self.dropped_rook_castles.to_string(),
            "illegal_move" => self.illegal_move.to_string(),
            "simultaneous" => self.simultaneous.to_string(),
            "board_draw" => self.board_draw.to_string(),
            "pass_pieces" => self.pass_pieces.to_string(),
            "move_cap" => self.move_cap.map_or("none".to_owned(), |cap| cap.to_string()),
            _ => return None,
        })
    }

    /// Sets one option; on an error the rule set stays as it was.
    pub fn set(&mut self, option: &str, value: &str) -> Result<(), RulesError> {
        let Some((name, allowed)) = Rules::OPTIONS.into_iter().find(|(name, _)| *name == option)
        else {
            return Err(self.refused(option, value));
        };
        let bad = || RulesError::BadValue {
            option: name,
            value: value.to_owned(),
            allowed: match name {
                "move_cap" => "a number of single moves from 1 to 65535, or none".to_owned(),
                _ => allowed.join(", "),
            },
        };
        fn parsed<T: FromStr>(value: &str, bad: impl Fn() -> RulesError) -> Result<T, RulesError> {
            value.parse().map_err(|_| bad())
        }
        let mut rules = *self;
        match name {
            "drop_aggression" => rules.drop_aggression = parsed(value, bad)?,
            "pawn_drop_ranks" => rules.pawn_drop_ranks = parsed(value, bad)?,
            "promotion" => rules.promotion = parsed(value, bad)?,
            "dropped_rook_castles" => rules.dropped_rook_castles = parsed(value, bad)?,
            "illegal_move" => rules.illegal_move = parsed(value, bad)?,
            "simultaneous" => rules.simultaneous = parsed(value, bad)?,
            "board_draw" => rules.board_draw = parsed(value, bad)?,
            "pass_pieces" => rules.pass_pieces = parsed(value, bad)?,
            _ => {
                rules.move_cap = match value {
                    "none" => None,
                    _ => Some(value.parse().ok().filter(|cap| *cap > 0).ok_or_else(bad)?),
                }
            }
        }
        if rules.promotion == PromotionRule::Exchange && rules.variant != Variant::Bughouse {
            return Err(RulesError::NotHere {
                option: name,
                value: value.to_owned(),
                variant: rules.variant,
            });
        }
        *self = rules;
        Ok(())
    }

    /// Why an option that is none of [`Rules::OPTIONS`] is refused.
    fn refused(&self, option: &str, value: &str) -> RulesError {
        let what = match option {
            "chess960" => "Chess960",
            "three_check" => "Three-check",
            "material_odds" => "material odds",
            _ => return RulesError::UnknownOption(option.to_owned()),
        };
        if value == "false" || value == "none" {
            return RulesError::UnknownOption(option.to_owned());
        }
        RulesError::NotCombined { what, variant: self.variant }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_settable_and_readable() {
        for (option, values) in Rules::OPTIONS {
            for value in values {
                let mut rules = Rules::BUGHOUSE;
                rules.set(option, value).unwrap();
                assert_eq!(rules.get(option).as_deref(), Some(*value));
            }
            let mut rules = Rules::BUGHOUSE;
            let error = rules.set(option, "banana").unwrap_err().to_string();
            assert!(error.contains(option) && error.contains("banana"), "{error}");
            assert_eq!(rules, Rules::BUGHOUSE);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let mut rules = Rules::CRAZYHOUSE;
        assert!(rules.set("promotion", "exchange").is_err());
        assert!(rules.set("move_cap", "0").is_err());
        rules.set("move_cap", "77").unwrap();
        assert_eq!(rules.move_cap, Some(77));
        let error = rules.set("chess960", "true").unwrap_err().to_string();
        assert_eq!(error, "Chess960 is not combined with crazyhouse");
        assert!(Rules::preset("atomic").is_err());
    }
}
