//! Pairing by standings: nobody meets the same side twice, nobody sits out twice, and a pairing is
//! taken only if the remaining rounds can still be paired.

/// Tries that a search for a pairing may take before it settles for what it has.
const EFFORT: usize = 200_000;

/// A round's meetings, best placed first; `None` in a pair is a bye.
pub type Round = Vec<(usize, Option<usize>)>;

/// Pairs a round. `order` lists the sides by standing, `met` holds earlier meetings (a bye is a
/// meeting with `None`), `left` counts the rounds after this one.
pub fn pair(order: &[usize], met: &[(usize, Option<usize>)], left: usize) -> Option<Round> {
    let sides = order.len();
    // The bye is one more side, at the end of every standing, whom everybody meets once at most.
    let total = sides + sides % 2;
    let mut table = vec![vec![false; total]; total];
    for &(a, b) in met {
        let b = b.unwrap_or(total - 1);
        if a < total && b < total {
            table[a][b] = true;
            table[b][a] = true;
        }
    }
    let mut seeds = order.to_vec();
    seeds.extend(sides..total);
    let mut effort = EFFORT;
    let pairs = search(&seeds, &mut table, left, &mut effort, &mut Vec::new())?;
    let bye = |side: usize| (side < sides).then_some(side);
    Some(pairs.into_iter().map(|(a, b)| (a, bye(b))).collect())
}

/// The first pairing in order of preference after which the remaining rounds can be paired.
fn search(
    free: &[usize],
    met: &mut Vec<Vec<bool>>,
    left: usize,
    effort: &mut usize,
    pairs: &mut Vec<(usize, usize)>,
) -> Option<Vec<(usize, usize)>> {
    if *effort == 0 {
        return None;
    }
    *effort -= 1;
    let Some((&first, rest)) = free.split_first() else {
        return completable(pairs, met, left, effort).then(|| pairs.clone());
    };
    for (i, &second) in rest.iter().enumerate() {
        if met[first][second] {
            continue;
        }
        let others: Vec<usize> =
            rest.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, s)| *s).collect();
        pairs.push((first, second));
        let found = search(&others, met, left, effort, pairs);
        pairs.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn completable(
    pairs: &[(usize, usize)],
    met: &mut Vec<Vec<bool>>,
    left: usize,
    effort: &mut usize,
) -> bool {
    if left == 0 {
        return true;
    }
    let mark = |met: &mut Vec<Vec<bool>>, value: bool| {
        for &(a, b) in pairs {
            met[a][b] = value;
            met[b][a] = value;
        }
    };
    mark(met, true);
    let all: Vec<usize> = (0..met.len()).collect();
    let possible = search(&all, met, left - 1, effort, &mut Vec::new()).is_some();
    mark(met, false);
    // Out of effort is no proof that it cannot be done.
    possible || *effort == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a whole tournament in which the lower number always wins, or at random.
    fn tournament(sides: usize, rounds: usize, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut points = vec![0; sides];
        let mut met: Round = Vec::new();
        for round in 0..rounds {
            let mut order: Vec<usize> = (0..sides).collect();
            order.sort_by_key(|s| (std::cmp::Reverse(points[*s]), *s));
            let pairs = pair(&order, &met, rounds - 1 - round).expect("a pairing");
            let mut seen = vec![false; sides];
            for &(a, b) in &pairs {
                assert!(!met.contains(&(a, b)) && b.is_none_or(|b| !met.contains(&(b, Some(a)))));
                for side in [Some(a), b].into_iter().flatten() {
                    assert!(!std::mem::replace(&mut seen[side], true));
                }
                let winner = if b.is_none() || rng.bool() { a } else { b.unwrap_or(a) };
                points[winner] += 2;
            }
            assert!(seen.into_iter().all(|s| s));
            met.extend(pairs);
        }
    }

    #[test]
    fn every_round_can_be_paired() {
        for seed in 0..20 {
            tournament(8, 7, seed);
            tournament(9, 7, seed);
            tournament(7, 7, seed);
            tournament(20, 7, seed);
            tournament(2, 1, seed);
        }
    }

    #[test]
    fn neighbours_in_the_standings_meet() {
        let pairs = pair(&[3, 1, 0, 2], &[], 0).unwrap();
        assert_eq!(pairs, [(3, Some(1)), (0, Some(2))]);
        assert_eq!(pair(&[0, 1], &[(0, Some(1))], 0), None);
        assert_eq!(pair(&[2, 0, 1], &[(1, None)], 0).unwrap().len(), 2);
    }
}
