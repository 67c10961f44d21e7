//! Bad input to the real binary: one line that says what is wrong, and nothing overwritten.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("klotz-cli-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn run(&self, line: &str) -> (bool, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_klotz-tuning"))
            .args(line.split_ascii_whitespace())
            .current_dir(&self.0)
            .output()
            .expect("the binary runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (output.status.success(), text(output.stdout), text(output.stderr))
    }

    fn refused(&self, line: &str, word: &str) {
        let (good, _, error) = self.run(line);
        assert!(!good, "{line} was accepted");
        assert_eq!(error.lines().count(), 1, "{line}: {error}");
        assert!(error.starts_with("error: ") && error.contains(word), "{line}: {error}");
    }

    fn works(&self, line: &str) -> String {
        let (good, output, error) = self.run(line);
        assert!(good, "{line}: {error}");
        output
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let folder = Folder::new("bad");
    fs::create_dir_all(folder.0.join("empty")).expect("a folder");
    fs::write(folder.0.join("text"), "this is a text, long enough to hold a header")
        .expect("space");
    folder.refused("stats empty", "no .kgames file");
    folder.refused("stats missing", "no such file");
    folder.refused("stats text", "not a file of games");
    folder.refused("train empty --out run", "no .kgames file");
    folder.refused("train text --out run --hidden 65", "--hidden 65");
    folder.refused("train text --out run --result-weight 1.5", "--result-weight 1.5");
    folder.refused("quantise text out.nnue --name x", "not a checkpoint");
    folder.refused("match text classical --games 2", "KLOTZNET");
    folder.refused("match classical classical --variant atomic", "unknown variant 'atomic'");
    folder.refused("datagen text --games 1", "not a file of games");
    folder.refused("datagen out.kgames --net text --games 1", "KLOTZNET");
    folder.refused("datagen out.kgames --book text --games 1", "book");
    folder.refused("datagen out.kgames --nodes 500 --hard-nodes 400", "--hard-nodes");
    folder.refused("nets missing.toml", "missing.toml");
    folder.refused("match classical classical --games 3", "--games 3");
    folder.refused("quantise text out.nnue --name ä", "--name");
    let long = "x".repeat(33);
    folder.refused(&format!("quantise text out.nnue --name {long}"), "from 1 to 32");
    assert!(!folder.0.join("out.nnue").exists() && !folder.0.join("out.kgames").exists());
    let text = fs::read_to_string(folder.0.join("text")).expect("still there");
    assert!(text.starts_with("this is a text"));
}

#[test]
fn games_become_a_network_and_a_killed_generator_goes_on() {
    let folder = Folder::new("whole");
    let make = |file: &str, games: u32| {
        let line = "--nodes 50 --hard-nodes 100 --block-games 4 --threads 2 --seed 3";
        folder.works(&format!("datagen {file} --games {games} {line}"))
    };
    make("whole.kgames", 24);
    make("killed.kgames", 12);
    let path = folder.0.join("killed.kgames");
    let bytes = fs::read(&path).expect("games");
    fs::write(&path, &bytes[..bytes.len() - 100]).expect("space");
    assert!(make("killed.kgames", 24).contains("going on"));
    let read = |file: &str| fs::read(folder.0.join(file)).expect("games");
    assert!(read("whole.kgames") == read("killed.kgames"));
    fs::remove_file(&path).expect("a file");
    assert!(folder.works("stats whole.kgames").contains("6 blocks, 0 damaged"));
    folder.works("train . --out run --hidden 32 --epochs 2 --batch 256");
    folder.works("quantise run/last.ckpt out.nnue --name small");
    assert!(folder.0.join("run/curve.svg").exists());
    folder.refused("train . --out run --hidden 32 --epochs 3 --batch 256", "another run");
    folder.refused("quantise run/last.ckpt no/such/folder.nnue --name small", "can't write");
    let result = folder.works("match out.nnue classical --games 2 --nodes 50 --threads 1");
    assert!(result.contains("small - classical: 2 games"), "{result}");
}
