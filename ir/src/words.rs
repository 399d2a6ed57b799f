//! Enums whose variants are words.

/// An enum with a word for each variant: the list of all, word and back, and `Display`.
#[macro_export]
macro_rules! words {
    ($(#[$m:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $word:literal,)* }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every one with its word, in order.
            pub const ALL: &'static [($name, &'static str)] = &[$(($name::$variant, $word)),*];

            /// Every one, in order.
            pub fn all() -> impl Iterator<Item = $name> + Clone { $name::ALL.iter().map(|(v, _)| *v) }

            /// Its word.
            pub fn name(self) -> &'static str { match self { $($name::$variant => $word,)* } }

            /// What a word stands for.
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($word => Some($name::$variant),)* _ => None }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result { f.write_str(self.name()) }
        }
    };
}
