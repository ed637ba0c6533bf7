//! Closed sets whose members have names in results.

/// Declares an enum whose variants have names in results and indices for tables.
#[macro_export]
macro_rules! named {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$item:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$item])* $variant),+
        }

        impl $name {
            /// Every variant, by its index.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];
            /// Number of variants.
            pub const COUNT: usize = $name::ALL.len();

            /// Name in results.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }
    };
}
