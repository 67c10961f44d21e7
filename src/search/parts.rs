//! The parts of the search by name, and how each is switched off, so that what it is worth can be
//! measured: by its own numbers, which costs nothing in play.

use super::params::{ParamError, Params};

/// A part of the search.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// The numbers that switch it off.
    pub off: &'static [(&'static str, i32)],
}

const fn part(name: &'static str, off: &'static [(&'static str, i32)]) -> Part {
    Part { name, off }
}

/// Every part that can be switched off.
pub const PARTS: &[Part] = &[
    part("aspiration", &[("asp_delta", 32_000)]),
    part("reverse-futility", &[("rfp_depth", 0)]),
    part("razoring", &[("razor_depth", 0)]),
    part("null-move", &[("null_depth", 128)]),
    part("probcut", &[("probcut_depth", 128)]),
    part("probcut-deep", &[("probcut_deep", 0)]),
    part("internal-reduction", &[("iir_depth", 128)]),
    part("late-move-pruning", &[("lmp_depth", 0)]),
    part("futility", &[("fut_depth", 0)]),
    part("history-pruning", &[("hist_prune", 100_000)]),
    part("see-pruning-quiet", &[("see_quiet_depth", -1)]),
    part("see-pruning-captures", &[("see_depth", 0)]),
    part("singular", &[("singular_depth", 128)]),
    part("double-extensions", &[("double_margin", 32_000)]),
    part("multi-cut", &[("multi_cut", 0)]),
    part("negative-extensions", &[("singular_less", 0), ("singular_cut", 0)]),
    part("check-extensions", &[("check_depth", 0)]),
    part("late-move-reductions", &[("lmr_depth", 128)]),
    part("lmr-deep", &[("lmr_deep", 0)]),
    part("lmr-stages", &[("lmr_stage", 128)]),
    part("lmr-cut-nodes", &[("lmr_cut", 0)]),
    part("lmr-pv-nodes", &[("lmr_pv", 0)]),
    part("lmr-checks", &[("lmr_check", 0)]),
    part("lmr-killers", &[("lmr_killer", 0)]),
    part("lmr-history", &[("lmr_history", 2_000_000)]),
    part("lmr-cutoffs", &[("lmr_cutoffs", 0)]),
    part("improving", &[("rfp_improving", 0), ("lmp_worsening", 100), ("lmr_worsening", 0)]),
    part("killers", &[("killers", 0)]),
    part("counter-moves", &[("counters", 0)]),
    part("quiet-history", &[("hist_quiet", 0)]),
    part("reply-history", &[("hist_reply", 0)]),
    part("plan-history", &[("hist_plan", 0), ("hist_older", 0)]),
    part("first-plies-history", &[("hist_low", 0)]),
    part("swing-history", &[("hist_swing", 0)]),
    part("last-move-history", &[("hist_prior", 0)]),
    part("capture-history", &[("hist_capture", 0)]),
    part("correction-pawns", &[("corr_pawns", 0)]),
    part("correction-hands", &[("corr_hands", 0)]),
    part("correction-pieces", &[("corr_pieces", 0)]),
    part("correction", &[("corr_pawns", 0), ("corr_hands", 0), ("corr_pieces", 0)]),
    part("check-order", &[("order_check", 0)]),
    part("ring-order", &[("order_ring", 0)]),
    part("lesser-order", &[("order_unsafe", 0), ("order_escape", 0)]),
    part("root-order", &[("root_order", 0)]),
    part("root-effort", &[("root_effort", 0)]),
    part("quiescence-checks", &[("qs_checks", 0)]),
    part("quiescence-futility", &[("qs_margin", 32_000)]),
    part("quiescence-evasions", &[("qs_evasions", 400)]),
    part("mate-search", &[("mate_share", 0), ("mate_share_hot", 0), ("mate_hot", 40)]),
    part("mate-search-inner", &[("mate_hot", 40)]),
];

impl Params {
    /// Switches a part off.
    pub fn without(&mut self, name: &str) -> Result<(), ParamError> {
        let part = PARTS
            .iter()
            .find(|part| part.name == name)
            .ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        part.off.iter().try_for_each(|&(name, value)| self.set(name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_can_be_switched_off() {
        for part in PARTS {
            let mut params = Params::default();
            assert_eq!(params.without(part.name), Ok(()), "{}", part.name);
            assert_ne!(params, Params::default(), "{}", part.name);
        }
        assert!(Params::default().without("no-such-part").is_err());
    }
}
