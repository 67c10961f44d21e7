//! The two inner loops, in AVX2 and portable. Both give the same bits: every sum wraps, so the
//! order of adding does not matter.

use super::network::QA;

/// A cache line of weights or accumulator values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lane(pub [i16; Lane::WIDTH]);

impl Lane {
    /// Values in a lane.
    pub const WIDTH: usize = 32;
    /// All zero.
    pub const ZERO: Lane = Lane([0; Lane::WIDTH]);
}

/// Which instructions the inner loops use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simd {
    /// 256-bit vectors, where the processor has them.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes of plain loops.
    Portable,
}

impl Simd {
    /// The best this processor can do.
    pub fn detect() -> Simd {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Simd::Avx2;
        }
        Simd::Portable
    }
}

/// Weight rows of equal length, one an input.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub lanes: &'a [Lane],
    pub stride: usize,
}

impl<'a> Rows<'a> {
    #[inline(always)]
    fn row(self, index: u16) -> &'a [Lane] {
        &self.lanes[usize::from(index) * self.stride..][..self.stride]
    }
}

/// `to = from + rows[added] - rows[removed]`.
#[inline(always)]
pub(super) fn update(
    simd: Simd,
    rows: Rows<'_>,
    from: &[Lane],
    to: &mut [Lane],
    added: &[u16],
    removed: &[u16],
) {
    match simd {
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        // SAFETY: `Simd::Avx2` is made only by `detect`, after the processor said it has AVX2.
        Simd::Avx2 => unsafe { avx2::update(rows, from, to, added, removed) },
        Simd::Portable => portable::update(rows, from, to, added, removed),
    }
}

/// The sum over the hidden neurons of squared clipped activation times output weight.
#[inline(always)]
pub(super) fn output(simd: Simd, values: &[Lane], weights: &[Lane]) -> i32 {
    match simd {
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code)]
        // SAFETY: `Simd::Avx2` is made only by `detect`, after the processor said it has AVX2.
        Simd::Avx2 => unsafe { avx2::output(values, weights) },
        Simd::Portable => portable::output(values, weights),
    }
}

mod portable {
    use super::{Lane, QA, Rows};

    pub fn update(rows: Rows<'_>, from: &[Lane], to: &mut [Lane], added: &[u16], removed: &[u16]) {
        to.copy_from_slice(from);
        for &index in added {
            for (lane, row) in to.iter_mut().zip(rows.row(index)) {
                for (value, weight) in lane.0.iter_mut().zip(row.0) {
                    *value = value.wrapping_add(weight);
                }
            }
        }
        for &index in removed {
            for (lane, row) in to.iter_mut().zip(rows.row(index)) {
                for (value, weight) in lane.0.iter_mut().zip(row.0) {
                    *value = value.wrapping_sub(weight);
                }
            }
        }
    }

    pub fn output(values: &[Lane], weights: &[Lane]) -> i32 {
        let mut sum = 0i32;
        for (values, weights) in values.iter().zip(weights) {
            for (&value, &weight) in values.0.iter().zip(&weights.0) {
                let clipped = value.clamp(0, QA);
                // The network's loader allows no output weight for which this product wraps.
                let product = clipped.wrapping_mul(weight);
                sum = sum.wrapping_add(i32::from(product) * i32::from(clipped));
            }
        }
        sum
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{Lane, QA, Rows};

    /// Both halves of a lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(lane: &Lane) -> [__m256i; 2] {
        let at: *const __m256i = lane.0.as_ptr().cast();
        #[allow(unsafe_code)]
        // SAFETY: a lane is 64 bytes long and 64-aligned.
        unsafe {
            [_mm256_load_si256(at), _mm256_load_si256(at.add(1))]
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(lane: &mut Lane, values: [__m256i; 2]) {
        let at: *mut __m256i = lane.0.as_mut_ptr().cast();
        #[allow(unsafe_code)]
        // SAFETY: a lane is 64 bytes long and 64-aligned.
        unsafe {
            _mm256_store_si256(at, values[0]);
            _mm256_store_si256(at.add(1), values[1]);
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn update(rows: Rows<'_>, from: &[Lane], to: &mut [Lane], added: &[u16], removed: &[u16]) {
        for (index, (from, to)) in from.iter().zip(to).enumerate() {
            let mut values = load(from);
            for &input in added {
                let row = load(&rows.row(input)[index]);
                values = [_mm256_add_epi16(values[0], row[0]), _mm256_add_epi16(values[1], row[1])];
            }
            for &input in removed {
                let row = load(&rows.row(input)[index]);
                values = [_mm256_sub_epi16(values[0], row[0]), _mm256_sub_epi16(values[1], row[1])];
            }
            store(to, values);
        }
    }

    #[target_feature(enable = "avx2")]
    pub fn output(values: &[Lane], weights: &[Lane]) -> i32 {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA));
        let mut sums = [zero; 2];
        for (values, weights) in values.iter().zip(weights) {
            let (values, weights) = (load(values), load(weights));
            for half in 0..2 {
                let clipped = _mm256_min_epi16(_mm256_max_epi16(values[half], zero), one);
                let product = _mm256_mullo_epi16(clipped, weights[half]);
                sums[half] = _mm256_add_epi32(sums[half], _mm256_madd_epi16(product, clipped));
            }
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b01_00_11_10));
        let sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0b10_11_00_01));
        _mm_cvtsi128_si32(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avx2_and_portable_give_the_same_bits() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut lanes = |count: usize, limit: i16| -> Vec<Lane> {
            (0..count).map(|_| Lane(std::array::from_fn(|_| rng.i16(-limit..=limit)))).collect()
        };
        for stride in 1..=8 {
            let table = lanes(stride * 20, 319);
            let rows = Rows { lanes: &table, stride };
            let (from, weights) = (lanes(stride, 600), lanes(stride, 127));
            let (added, removed) = ([3, 4, 19], [0, 3]);
            let mut results = [Simd::Portable, Simd::detect()].map(|simd| {
                let mut to = vec![Lane::ZERO; stride];
                update(simd, rows, &from, &mut to, &added, &removed);
                let sum = output(simd, &to, &weights);
                (to, sum)
            });
            let (first, second) = results.split_at_mut(1);
            assert_eq!(first, second);
        }
    }
}
