//! Elo, error bars and the sequential test over blocks of games.
//!
//! The unit is a *block*: one game, a pair with sides swapped, or the four or eight games that a
//! bughouse table with two openings needs. A block of `g` games scores 0 to `2g` half points, so
//! its outcomes are a multinomial of `2g + 1` kinds: tri-, penta- or k-nomial by one and the same
//! code. Games of a block are correlated; blocks are not.

/// Ratio of normalised Elo to the normalised score difference.
const NELO: f64 = 347.435_585_522_601_5;
/// The 97.5 % quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// How a difference in strength is expressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// By the expected score, as rating lists do.
    Logistic,
    /// By the expected score over its deviation per game, which does not depend on draws.
    Normalized,
}

/// Outcomes of finished blocks, counted by the half points the first side scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    counts: Vec<u64>,
}

/// An estimate with the half width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value; infinite when one side won everything.
    pub value: f64,
    /// Half of the interval's width.
    pub error: f64,
}

impl Counts {
    /// No block yet, blocks of `games` games.
    pub fn new(games: usize) -> Counts {
        Counts { counts: vec![0; 2 * games.max(1) + 1] }
    }

    /// Known counts, fewest half points first; their number must be odd and at least three.
    pub fn from_counts(counts: &[u64]) -> Option<Counts> {
        (counts.len() >= 3 && counts.len() % 2 == 1).then(|| Counts { counts: counts.to_vec() })
    }

    /// Adds a block in which the first side scored `half_points`.
    pub fn add(&mut self, half_points: usize) {
        if let Some(count) = self.counts.get_mut(half_points) {
            *count += 1;
        }
    }

    /// The counts, fewest half points first.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Games in a block.
    pub fn games_per_block(&self) -> usize {
        (self.counts.len() - 1) / 2
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Mean score of a block in 0..=1 and its variance.
    fn moments(&self) -> Option<(f64, f64)> {
        let n = self.blocks() as f64;
        if n == 0.0 {
            return None;
        }
        let top = (self.counts.len() - 1) as f64;
        let weighted = |f: &dyn Fn(f64) -> f64| -> f64 {
            self.counts.iter().enumerate().map(|(i, &c)| f(i as f64 / top) * c as f64).sum::<f64>()
                / n
        };
        let mean = weighted(&|a| a);
        Some((mean, weighted(&|a| (a - mean) * (a - mean))))
    }

    /// Mean score per game in 0..=1.
    pub fn score(&self) -> Option<f64> {
        self.moments().map(|(mean, _)| mean)
    }

    /// Logistic Elo with its 95 % interval.
    pub fn elo(&self) -> Option<Estimate> {
        let (mean, var) = self.moments()?;
        let half = Z95 * (var / self.blocks() as f64).sqrt();
        let (low, high) = (elo_of_score(mean - half), elo_of_score(mean + half));
        Some(Estimate { value: elo_of_score(mean), error: (high - low) / 2.0 })
    }

    /// Normalised Elo with its 95 % interval.
    pub fn nelo(&self) -> Option<Estimate> {
        let (mean, var) = self.moments()?;
        if var == 0.0 {
            let value = if mean == 0.5 { 0.0 } else { (mean - 0.5).signum() * f64::INFINITY };
            return Some(Estimate { value, error: f64::NAN });
        }
        let per_game = NELO / (var * self.games_per_block() as f64).sqrt();
        let half = Z95 * (var / self.blocks() as f64).sqrt();
        Some(Estimate { value: (mean - 0.5) * per_game, error: half * per_game })
    }

    /// Likelihood that the first side is the stronger one.
    pub fn los(&self) -> Option<f64> {
        let (mean, var) = self.moments()?;
        let deviation = (var / self.blocks() as f64).sqrt();
        Some(if deviation == 0.0 {
            if mean > 0.5 {
                1.0
            } else if mean < 0.5 {
                0.0
            } else {
                0.5
            }
        } else {
            normal_cdf((mean - 0.5) / deviation)
        })
    }

    /// Logarithm of the likelihood ratio of `elo1` to `elo0`, both under their most likely
    /// distributions (Van den Bergh's generalised sequential probability ratio test).
    pub fn llr(&self, model: Model, elo0: f64, elo1: f64) -> f64 {
        if self.blocks() == 0 {
            return 0.0;
        }
        let top = (self.counts.len() - 1) as f64;
        // An outcome not seen yet is not impossible.
        let weights: Vec<f64> =
            self.counts.iter().map(|&c| if c == 0 { 1e-3 } else { c as f64 }).collect();
        let n: f64 = weights.iter().sum();
        let seen: Vec<(f64, f64)> =
            weights.iter().enumerate().map(|(i, w)| (i as f64 / top, w / n)).collect();
        let fit = |elo: f64| match model {
            Model::Logistic => constrained_by_mean(&seen, score_of_elo(elo)),
            Model::Normalized => {
                constrained_by_t(&seen, elo / NELO * (self.games_per_block() as f64).sqrt())
            }
        };
        let (p0, p1) = (fit(elo0), fit(elo1));
        n * seen
            .iter()
            .zip(p0.iter().zip(&p1))
            .map(|((_, p), (q0, q1))| p * (q1 / q0).ln())
            .sum::<f64>()
    }
}

/// The expected score of a logistic Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The logistic Elo difference of an expected score.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        -400.0 * (1.0 / score - 1.0).log10()
    }
}

/// The root of `sum p·a / (1 + x·a)`, which is monotone between the poles.
fn secular(values: &[(f64, f64)]) -> f64 {
    let smallest = values.iter().map(|v| v.0).fold(f64::INFINITY, f64::min);
    let largest = values.iter().map(|v| v.0).fold(f64::NEG_INFINITY, f64::max);
    if smallest >= 0.0 || largest <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let inset = (high - low) * 1e-12;
    low += inset;
    high -= inset;
    let f = |x: f64| values.iter().map(|(a, p)| p * a / (1.0 + x * a)).sum::<f64>();
    for _ in 0..100 {
        let mid = (low + high) / 2.0;
        if mid == low || mid == high {
            break;
        }
        if f(mid) > 0.0 { low = mid } else { high = mid }
    }
    (low + high) / 2.0
}

/// The most likely distribution with the mean `s`.
fn constrained_by_mean(seen: &[(f64, f64)], s: f64) -> Vec<f64> {
    let shifted: Vec<(f64, f64)> = seen.iter().map(|(a, p)| (a - s, *p)).collect();
    let x = secular(&shifted);
    shifted.iter().map(|(a, p)| p / (1.0 + x * a)).collect()
}

/// The most likely distribution with `(mean − 1/2) / deviation = t`.
fn constrained_by_t(seen: &[(f64, f64)], t: f64) -> Vec<f64> {
    let mut fit = vec![1.0 / seen.len() as f64; seen.len()];
    for _ in 0..30 {
        let mean: f64 = seen.iter().zip(&fit).map(|((a, _), q)| a * q).sum();
        let var: f64 = seen.iter().zip(&fit).map(|((a, _), q)| (a - mean) * (a - mean) * q).sum();
        let sigma = var.sqrt();
        let tangent: Vec<(f64, f64)> = seen
            .iter()
            .map(|(a, p)| {
                let z = (mean - a) / sigma;
                (a - 0.5 - t * sigma * (1.0 + z * z) / 2.0, *p)
            })
            .collect();
        let x = secular(&tangent);
        let next: Vec<f64> = tangent.iter().map(|(a, p)| p / (1.0 + x * a)).collect();
        let change = fit.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        fit = next;
        if change < 1e-9 {
            break;
        }
    }
    fit
}

/// The normal distribution function, by the complementary error function's Chebyshev fit
/// (error below 1.2e-7).
fn normal_cdf(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * z);
    const FIT: [f64; 10] = [
        -1.26551223,
        1.00002368,
        0.37409196,
        0.09678418,
        -0.18628806,
        0.27886807,
        -1.13520398,
        1.48851587,
        -0.82215223,
        0.17087277,
    ];
    let poly = FIT.iter().rev().fold(0.0, |acc, c| acc * t + c);
    let erfc = t * (-z * z + poly).exp();
    if x >= 0.0 { 1.0 - erfc / 2.0 } else { erfc / 2.0 }
}

/// A sequential test's settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Elo under the null hypothesis.
    pub elo0: f64,
    /// Elo under the alternative.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 holds.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 holds.
    pub beta: f64,
    /// What the Elo values mean.
    pub model: Model,
}

/// What a sequential test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    Open,
    /// The null hypothesis is accepted.
    H0,
    /// The alternative is accepted.
    H1,
}

impl Sprt {
    /// Wald's bounds: below the first H0 is accepted, above the second H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio and what it decides.
    pub fn judge(&self, counts: &Counts) -> (f64, Verdict) {
        let llr = counts.llr(self.model, self.elo0, self.elo1);
        let (lower, upper) = self.bounds();
        let verdict = if llr >= upper {
            Verdict::H1
        } else if llr <= lower {
            Verdict::H0
        } else {
            Verdict::Open
        };
        (llr, verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_vectors() {
        let mut rows = 0;
        for line in include_str!("../../engine-tests/sprt-vectors.tsv").lines() {
            if line.starts_with('#') {
                continue;
            }
            let cells: Vec<&str> = line.split('\t').collect();
            let counts: Vec<u64> = cells[1].split(' ').map(|c| c.parse().unwrap()).collect();
            let model = if cells[0] == "normalized" { Model::Normalized } else { Model::Logistic };
            let number = |i: usize| cells[i].parse::<f64>().unwrap();
            let llr = Counts::from_counts(&counts).unwrap().llr(model, number(2), number(3));
            // Published to two or to five digits: the last one may be rounded.
            let digits = cells[4].split('.').nth(1).map_or(0, str::len) as i32;
            let slack = (number(4).abs() * 0.001).max(0.500_001 * 10f64.powi(-digits));
            assert!((llr - number(4)).abs() <= slack, "{line}: {llr}");
            rows += 1;
        }
        assert_eq!(rows, 12);
    }

    /// A block drawn from a distribution over half points.
    fn draw(rng: &mut fastrand::Rng, probabilities: &[f64]) -> usize {
        let mut x = rng.f64();
        for (i, p) in probabilities.iter().enumerate() {
            if x < *p {
                return i;
            }
            x -= p;
        }
        probabilities.len() - 1
    }

    /// Two independent games with a given expected score and share of draws, as a pair.
    fn pair(score: f64, draws: f64) -> [f64; 5] {
        let (win, loss) = (score - draws / 2.0, 1.0 - score - draws / 2.0);
        [
            loss * loss,
            2.0 * loss * draws,
            2.0 * loss * win + draws * draws,
            2.0 * win * draws,
            win * win,
        ]
    }

    #[test]
    fn intervals_cover() {
        let mut rng = fastrand::Rng::with_seed(7);
        for (elo, draws) in [(0.0, 0.0), (35.0, 0.1), (-60.0, 0.4)] {
            let distribution = pair(score_of_elo(elo), draws);
            let mut hits = 0;
            for _ in 0..2000 {
                let mut counts = Counts::new(2);
                (0..300).for_each(|_| counts.add(draw(&mut rng, &distribution)));
                let estimate = counts.elo().unwrap();
                hits += usize::from((estimate.value - elo).abs() <= estimate.error);
            }
            let covered = hits as f64 / 2000.0;
            assert!((0.93..=0.97).contains(&covered), "{elo} Elo, {draws} draws: {covered}");
        }
    }

    #[test]
    fn sequential_test_keeps_its_error_rates() {
        let mut rng = fastrand::Rng::with_seed(11);
        let sprt = Sprt { elo0: 0.0, elo1: 30.0, alpha: 0.05, beta: 0.05, model: Model::Logistic };
        for (truth, wrong) in [(sprt.elo0, Verdict::H1), (sprt.elo1, Verdict::H0)] {
            let distribution = pair(score_of_elo(truth), 0.1);
            let mut errors = 0;
            for _ in 0..1000 {
                let mut counts = Counts::new(2);
                let verdict = loop {
                    counts.add(draw(&mut rng, &distribution));
                    if let (_, v @ (Verdict::H0 | Verdict::H1)) = sprt.judge(&counts) {
                        break v;
                    }
                };
                errors += usize::from(verdict == wrong);
            }
            // 5 % and three standard deviations of the count.
            assert!(errors <= 71, "{errors} of 1000 at {truth} Elo");
        }
    }

    #[test]
    fn edges_are_numbers() {
        let empty = Counts::new(1);
        assert_eq!((empty.elo(), empty.llr(Model::Logistic, 0.0, 5.0)), (None, 0.0));
        let won = Counts::from_counts(&[0, 0, 9]).unwrap();
        assert_eq!(won.elo().unwrap().value, f64::INFINITY);
        assert_eq!(won.los(), Some(1.0));
        assert!(won.llr(Model::Normalized, 0.0, 5.0).is_finite());
        assert!((normal_cdf(1.959_963_985) - 0.975).abs() < 1e-6);
        assert!(Counts::from_counts(&[1, 2]).is_none());
    }
}
