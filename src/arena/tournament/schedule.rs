//! Who plays whom, and the games of a block.

use super::book::Book;
use super::config::{Config, Format};
use crate::types::{Seat, Team};

/// Two sides that meet; one encounter is one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The round, counted from 1.
    pub round: usize,
    /// The side whose view the results take.
    pub first: usize,
    /// The other.
    pub second: usize,
}

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSpec {
    /// Its place in the tournament, counted from 0.
    pub index: usize,
    /// Its block.
    pub block: usize,
    /// The meeting it belongs to.
    pub encounter: Encounter,
    /// The team of the first side: One sits on WhiteA and BlackB, or has White on one board.
    pub first_team: Team,
    /// The engine on each seat, in the order of [`Seat::ALL`].
    pub seats: [usize; 4],
    /// The start positions.
    pub opening: Option<(String, Option<String>)>,
}

/// Games of a block.
pub fn block_size(config: &Config, encounter: &Encounter) -> usize {
    let double = super::book::is_double(config.rules);
    let mixed = double
        && [encounter.first, encounter.second].iter().any(|side| config.teams[*side].is_mixed());
    config.games.unwrap_or(match (double, mixed, config.openings.is_some()) {
        (true, true, true) => 8,
        // With equal positions on both boards a swap of the teams renames the boards, no more.
        (true, true, false) => 4,
        _ => 2,
    })
}

/// All encounters that do not depend on results, in the order of play.
pub fn encounters(config: &Config) -> Vec<Encounter> {
    let sides = config.teams.len();
    let mut all = Vec::new();
    for round in 1..=config.rounds {
        match config.format {
            Format::Gauntlet => {
                all.extend((1..sides).map(|second| Encounter { round, first: 0, second }));
            }
            Format::RoundRobin => {
                for first in 0..sides {
                    all.extend((first + 1..sides).map(|second| Encounter { round, first, second }));
                }
            }
            Format::Swiss => {}
        }
    }
    all
}

/// The games of a block, the first of which has the given place in the tournament.
pub fn games(
    config: &Config,
    book: &Book,
    block: usize,
    index: usize,
    encounter: Encounter,
) -> Vec<GameSpec> {
    let double = super::book::is_double(config.rules);
    let size = block_size(config, &encounter);
    let opening = book.block(block, double);
    let mixed =
        [encounter.first, encounter.second].iter().any(|side| config.teams[*side].is_mixed());
    let same_boards = opening.as_ref().is_none_or(|(a, b)| b.as_ref().is_none_or(|b| a == b));
    let game = |part: usize| {
        // The swap of the teams comes first, then the members of one team, then of the other.
        let (swap, first_turn, second_turn) =
            if double && mixed && same_boards && config.games.is_none() {
                (false, part & 1, part >> 1 & 1)
            } else {
                (part & 1 == 1, part >> 1 & 1, part >> 2 & 1)
            };
        let first_team = if swap && !config.noswap { Team::Two } else { Team::One };
        let mut seats = [0; 4];
        for (team, side, turn) in [
            (first_team, encounter.first, first_turn),
            (first_team.other(), encounter.second, second_turn),
        ] {
            let members = config.teams[side].members;
            let white = if team == Team::One { Seat::WhiteA } else { Seat::WhiteB };
            if double {
                seats[white.index()] = members[turn];
                seats[white.partner().index()] = members[1 - turn];
            } else {
                let seat = if team == Team::One { Seat::WhiteA } else { Seat::BlackA };
                seats[seat.index()] = members[0];
            }
        }
        GameSpec {
            index: index + part,
            block,
            encounter,
            first_team,
            seats,
            opening: opening.clone(),
        }
    };
    (0..size).map(game).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(line: &str) -> Config {
        let tokens: Vec<String> = line.split_whitespace().map(String::from).collect();
        Config::read(&tokens).unwrap()
    }

    const FOUR: &str = "-engine name=A -engine name=B -engine name=C -engine name=D -each tc=1";

    #[test]
    fn formats() {
        let all = encounters(&config(&format!("{FOUR} -rounds 2")));
        assert_eq!(all.len(), 12);
        let gauntlet = encounters(&config(&format!("{FOUR} -tournament gauntlet")));
        assert_eq!(
            gauntlet.iter().map(|e| (e.first, e.second)).collect::<Vec<_>>(),
            [(0, 1), (0, 2), (0, 3)]
        );
    }

    #[test]
    fn a_pair_swaps_colours() {
        let config = config(&format!("{FOUR} -rounds 1"));
        let encounter = encounters(&config)[1];
        let games = games(&config, &Book::default(), 1, 2, encounter);
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].seats[0], games[0].seats[1]), (0, 2));
        assert_eq!((games[1].seats[0], games[1].seats[1], games[1].index), (2, 0, 3));
        assert_eq!(games[1].first_team, Team::Two);
    }

    #[test]
    fn mixed_teams_sit_in_every_way_once() {
        let config = config(&format!(
            "{FOUR} -variant bughouse -team a=A b=B -team a=C b=D -openings file=x.epd"
        ));
        let one = |fen: &str| super::super::book::Opening { first: fen.into(), second: None };
        let book = Book { openings: vec![one("p"), one("q")], checksum: 0 };
        let games = games(&config, &book, 0, 0, encounters(&config)[0]);
        assert_eq!(games.len(), 8);
        let mut seatings: Vec<_> = games.iter().map(|g| g.seats).collect();
        seatings.sort_unstable();
        seatings.dedup();
        assert_eq!(seatings.len(), 8);
        for game in games {
            let (white_a, black_b) = (game.seats[0], game.seats[3]);
            assert_eq!((white_a < 2), (black_b < 2), "partners are of one team");
            assert_ne!(white_a, black_b);
        }
    }
}
