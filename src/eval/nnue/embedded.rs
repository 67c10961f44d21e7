//! The networks inside the program; how each was made stands in `tuning/nets.toml`.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::network::{Network, NetworkError};

const CRAZYHOUSE: &[u8] = include_bytes!("../../../networks/crazyhouse.nnue");

/// The network for crazyhouse, read once.
pub fn crazyhouse() -> Result<&'static Arc<Network>, NetworkError> {
    static NETWORK: OnceCell<Arc<Network>> = OnceCell::new();
    NETWORK.get_or_try_init(|| Network::from_bytes(CRAZYHOUSE).map(Arc::new))
}

/// The network for bughouse: for now the crazyhouse network, which knows the same boards and hands.
pub fn bughouse() -> Result<&'static Arc<Network>, NetworkError> {
    crazyhouse()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_networks_inside_are_good() {
        super::crazyhouse().expect("a good network");
        super::bughouse().expect("a good network");
    }
}
