//! What the numbers of the hand-written evaluation are called, and how a tuner walks over them.

/// Declares the numbers, single ones and lists, in the order of [`Weights::flat`].
macro_rules! weights {
    (
        single { $( #[doc = $single_doc:literal] $single:ident; )* }
        lists { $( #[doc = $list_doc:literal] $list:ident[$count:literal]; )* }
    ) => {
        /// The numbers of the hand-written evaluation, in centipawns; those of the king's danger in
        /// its own units. Lists go from pawn to queen or king.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Weights {
            $( #[doc = $single_doc] pub $single: i32, )*
            $( #[doc = $list_doc] pub $list: [i32; $count], )*
        }

        impl Weights {
            /// How many numbers there are.
            pub const COUNT: usize = 0 $( + { let _ = stringify!($single); 1 } )* $( + $count )*;
            /// The names, each with its count of numbers where it is a list.
            pub const NAMES: &[(&str, Option<usize>)] = &[
                $( (stringify!($single), None), )*
                $( (stringify!($list), Some($count)), )*
            ];

            /// All numbers in the order of their names.
            pub fn flat(&self) -> Vec<i32> {
                let mut all = vec![ $( self.$single, )* ];
                $( all.extend(self.$list); )*
                all
            }

            /// The weights of which [`Weights::flat`] gives these numbers.
            pub fn from_flat(numbers: &[i32; Weights::COUNT]) -> Weights {
                let mut numbers = numbers.iter().copied();
                let mut next = || numbers.next().unwrap_or_default();
                Weights {
                    $( $single: next(), )*
                    $( $list: std::array::from_fn(|_| next()), )*
                }
            }
        }
    };
}

weights! {
    single {
        #[doc = "For having the move, which is worth more where pieces can be dropped."]
        tempo;
        #[doc = "Danger: a check that loses the piece."]
        unsafe_check;
        #[doc = "Danger: each attack on a square next to the king."]
        touch;
        #[doc = "Danger: a square near the king that only he guards, and which is attacked."]
        weak;
        #[doc = "Danger: an empty square beside the king that only he guards, for each piece in the other hand."]
        hole;
        #[doc = "Danger less for a pawn before the king."]
        shield;
        #[doc = "Danger less for a piece in the own hand."]
        own_hand;
        #[doc = "Danger: own pieces on the bishops' lines to the king, in quarters."]
        pinned;
        #[doc = "Danger where nothing is seen."]
        base;
        #[doc = "Danger less where the opponent has no queen."]
        no_queen;
    }
    lists {
        #[doc = "Material on the board."]
        material[6];
        #[doc = "What a promoted piece is worth beyond one of its kind."]
        promoted[6];
        #[doc = "A piece in hand."]
        hand[5];
        #[doc = "How much less each further one is worth."]
        hand_step[5];
        #[doc = "A square that can be reached safely."]
        mobility[6];
        #[doc = "Danger: a piece that attacks the king's surroundings."]
        attacker[6];
        #[doc = "Danger: a piece in the attacker's hand."]
        in_hand[5];
        #[doc = "Danger: a safe check by a piece on the board."]
        safe_check[5];
        #[doc = "Danger: a safe check by a drop."]
        drop_check[5];
        #[doc = "Piece squares, role by role, from a1 to h8 as White sees them."]
        squares[384];
    }
}

#[cfg(test)]
mod tests {
    use super::super::NUMBERS;
    use super::*;

    #[test]
    fn numbers_come_back_from_their_list() {
        let flat: [i32; Weights::COUNT] = NUMBERS.flat().try_into().unwrap();
        assert_eq!(Weights::from_flat(&flat), NUMBERS);
        let named: usize = Weights::NAMES.iter().map(|(_, count)| count.unwrap_or(1)).sum();
        assert_eq!(named, Weights::COUNT);
    }
}
