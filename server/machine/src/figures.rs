//! Structs of figures whose fields data files set by name.

/// Declares structs of figures, each with a list of its fields' names and a constructor that looks up every figure by
/// its name.
macro_rules! figures {
    ($(
        $(#[$doc:meta])*
        $type:ident $(with $(#[$fixed_doc:meta])* $fixed:ident: $fixed_type:ty = $value:expr;)?
        { $($(#[$field_doc:meta])* $field:ident),* $(,)? }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone)]
            pub struct $type {
                $($(#[$fixed_doc])* pub $fixed: $fixed_type,)?
                $($(#[$field_doc])* pub $field: $crate::Known<u32>,)*
            }

            impl $type {
                /// The names of the figures, as in data files.
                pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

                /// Looks up all figures by their names.
                pub(crate) fn gather<E>(
                    figure: impl Fn(&'static str) -> Result<$crate::Known<u32>, E>,
                ) -> Result<Self, E> {
                    Ok(Self { $($fixed: $value,)? $($field: figure(stringify!($field))?,)* })
                }
            }
        )*
    };
}

pub(crate) use figures;
