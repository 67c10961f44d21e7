//! Text that is nearly right: what a fuzzer should mostly try.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One way to spoil a text.
#[derive(Clone, Debug)]
enum Mutation {
    Truncate(Index),
    Delete(Index),
    Replace(Index, char),
    Insert(Index, String),
    /// Words exchanged.
    Swap(Index, Index),
    /// A word again.
    Repeat(Index),
    /// A word for another.
    Word(Index, &'static str),
}

/// Words that break readers: extremes, signs, separators, other scripts.
const WORDS: &[&str] = &[
    "",
    "-1",
    "-0",
    "0",
    "00",
    "256",
    "65536",
    "4294967296",
    "9223372036854775808",
    "1e9",
    "+5",
    "3.5",
    "NaN",
    "banana",
    "|",
    "||",
    "moves",
    "fen",
    "startpos",
    "[]",
    "[-]",
    "[QQ",
    "]",
    "~",
    "@",
    "P@",
    "@e4",
    "P@e9",
    "K@e4",
    "e2e4",
    "e7e8k",
    "e1h1",
    "0000",
    "(none)",
    "\t",
    "\u{0}",
    "é",
    "♞",
    "\u{202e}",
    "board",
    "A",
    "C",
    "clock",
    "value",
    "name",
    "1/2-1/2",
    "{",
    "}",
    "[ts=",
    "~~",
    "KQkq",
    "-",
    "w",
    "x",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        at().prop_map(Mutation::Truncate),
        at().prop_map(Mutation::Delete),
        (at(), any::<char>()).prop_map(|(i, c)| Mutation::Replace(i, c)),
        (at(), prop::char::range(' ', '~')).prop_map(|(i, c)| Mutation::Replace(i, c)),
        (at(), "[ -~]{0,4}").prop_map(|(i, text)| Mutation::Insert(i, text)),
        (at(), select(WORDS)).prop_map(|(i, word)| Mutation::Insert(i, word.to_owned())),
        (at(), at()).prop_map(|(i, j)| Mutation::Swap(i, j)),
        at().prop_map(Mutation::Repeat),
        (at(), select(WORDS)).prop_map(|(i, word)| Mutation::Word(i, word)),
    ]
}

fn apply(text: &str, mutation: &Mutation) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let place = |index: &Index| index.index(chars.len() + 1);
    match mutation {
        Mutation::Truncate(i) => chars.truncate(place(i)),
        Mutation::Delete(i) => {
            let i = place(i);
            if i < chars.len() {
                chars.remove(i);
            }
        }
        Mutation::Replace(i, c) => {
            let i = place(i);
            if let Some(place) = chars.get_mut(i) {
                *place = *c;
            }
        }
        Mutation::Insert(i, new) => {
            let i = place(i);
            chars.splice(i..i, new.chars());
        }
        Mutation::Swap(..) | Mutation::Repeat(_) | Mutation::Word(..) => {
            return apply_to_words(text, mutation);
        }
    }
    chars.into_iter().collect()
}

fn apply_to_words(text: &str, mutation: &Mutation) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let count = words.len();
    match mutation {
        Mutation::Swap(i, j) => words.swap(i.index(count), j.index(count)),
        Mutation::Repeat(i) => words.insert(i.index(count), words[i.index(count)]),
        Mutation::Word(i, word) => words[i.index(count)] = word,
        _ => {}
    }
    words.join(" ")
}

/// One of `samples`, whole or spoilt up to four times, or text of no sense at all.
pub fn nearly(samples: Vec<String>) -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (select(samples), vec(mutation(), 0..4))
            .prop_map(|(text, mutations)| {
                mutations.iter().fold(text, |text, mutation| apply(&text, mutation))
            }),
        1 => any::<String>(),
        1 => vec(any::<u8>(), 0..200).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}
