//! The register of embedded networks, `nets.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use klotz::eval::nnue::Network;
use serde::Deserialize;

use crate::files;

/// Lists the networks of a register and checks those whose file is there.
#[derive(Args)]
#[command(after_help = "Examples:
  klotz-tuning nets
  klotz-tuning nets tuning/nets.toml --networks networks")]
pub struct Options {
    /// The register
    #[arg(default_value = "tuning/nets.toml")]
    register: PathBuf,
    /// Folder of the network files
    #[arg(long, default_value = "networks")]
    networks: PathBuf,
}

/// The whole register, newest first.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Register {
    network: Vec<Entry>,
}

/// How one network was made.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// File name, as long as it is the one embedded.
    file: Option<String>,
    sha256: String,
    hidden: usize,
    /// What it was trained on.
    data: String,
    /// How.
    training: String,
    /// Against what, under which conditions, with which result.
    elo: String,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    check(&options.register, &options.networks)?.iter().for_each(|line| say!("{line}"));
    Ok(())
}

fn check(register: &Path, networks: &Path) -> Result<Vec<String>> {
    let bytes = files::read(register)?;
    let parsed: Register =
        toml::from_slice(&bytes).with_context(|| register.display().to_string())?;
    let mut lines = Vec::new();
    for entry in &parsed.network {
        let Entry { name, sha256, hidden, data, training, elo, .. } = entry;
        if let Some(file) = &entry.file {
            let path = networks.join(file);
            let bytes = files::read(&path)?;
            let network =
                Network::from_bytes(&bytes).with_context(|| path.display().to_string())?;
            ensure!(
                files::sha256(&bytes) == *sha256,
                "{}: not the file that {name} names",
                path.display()
            );
            ensure!(
                network.name() == name,
                "{}: is called {}, not {name}",
                path.display(),
                network.name()
            );
            ensure!(
                network.hidden() == *hidden,
                "{}: {} hidden neurons, not {hidden}",
                path.display(),
                network.hidden()
            );
        }
        let place = entry.file.as_deref().unwrap_or("replaced");
        lines.push(format!("{name} ({place}), {hidden} hidden: {elo}\n  data: {data}\n  training: {training}\n  {sha256}"));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_tells_the_truth() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let lines =
            check(&root.join("nets.toml"), &root.join("../networks")).expect("a true register");
        assert!(!lines.is_empty());
    }
}
