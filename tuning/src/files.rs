//! Writing whole files safely.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Writes beside the target and renames, so that the target is either old or complete.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name =
        path.file_name().with_context(|| format!("{}: no file name", path.display()))?.to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write()
        .inspect_err(|_| drop(std::fs::remove_file(&temporary)))
        .with_context(|| format!("{}: can't write", path.display()))
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{}: can't read", path.display()))
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of games named, folders standing for all `.kgames` files in them.
pub fn games(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
                .with_context(|| format!("{}: can't read", path.display()))?
                .filter_map(|entry| entry.ok().map(|entry| entry.path()))
                .filter(|path| path.extension().is_some_and(|extension| extension == "kgames"))
                .collect();
            inside.sort();
            anyhow::ensure!(
                !inside.is_empty(),
                "{}: no .kgames file in this folder",
                path.display()
            );
            found.append(&mut inside);
        } else {
            anyhow::ensure!(path.exists(), "{}: no such file or folder", path.display());
            found.push(path.clone());
        }
    }
    Ok(found)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A folder of its own for a test, removed with it.
    pub struct Scratch(PathBuf);

    impl Scratch {
        pub fn new(name: &str) -> Scratch {
            let path =
                std::env::temp_dir().join(format!("klotz-tuning-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a temporary folder");
            Scratch(path)
        }

        pub fn file(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let scratch = Scratch::new("replace");
        let path = scratch.file("out");
        replace(&path, b"one").expect("space on the disk");
        replace(&path, b"two").expect("space on the disk");
        assert_eq!(read(&path).expect("just written"), b"two");
        assert_eq!(std::fs::read_dir(&scratch.0).expect("a folder").count(), 1);
        assert!(replace(&scratch.file("no/such/folder"), b"x").is_err());
        assert!(games(std::slice::from_ref(&scratch.0)).is_err());
    }
}
