//! The networks inside the program; how each was made stands in `tuning/nets.toml`.

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::network::{Network, NetworkError};

const CRAZYHOUSE: &[u8] = include_bytes!("../../../networks/crazyhouse.nnue");
const BUGHOUSE: &[u8] = include_bytes!("../../../networks/bughouse.nnue");

/// The network for crazyhouse, read once.
pub fn crazyhouse() -> Result<&'static Arc<Network>, NetworkError> {
    static NETWORK: OnceCell<Arc<Network>> = OnceCell::new();
    NETWORK.get_or_try_init(|| Network::from_bytes(CRAZYHOUSE).map(Arc::new))
}

/// The network for bughouse, trained on from a crazyhouse network; read once.
pub fn bughouse() -> Result<&'static Arc<Network>, NetworkError> {
    static NETWORK: OnceCell<Arc<Network>> = OnceCell::new();
    NETWORK.get_or_try_init(|| Network::from_bytes(BUGHOUSE).map(Arc::new))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_networks_inside_are_good() {
        super::crazyhouse().expect("a good network");
        super::bughouse().expect("a good network");
    }
}
