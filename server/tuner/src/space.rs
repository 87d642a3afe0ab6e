//! Spaces of tuning parameters, and samples of them (section 4).

use rand::Rng;

/// A parameter's name and the values that it may take.
pub type Parameter = (&'static str, &'static [u32]);

/// A space of tuning parameters. Its points are all combinations of the parameters' values, legal and illegal.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    pub parameters: &'static [Parameter],
}

impl Space {
    /// The number of possible points.
    pub fn size(&self) -> f64 {
        self.parameters.iter().map(|(_, values)| values.len() as f64).product()
    }

    /// A random point of the space, uniformly distributed.
    pub fn uniform(&self, random: &mut impl Rng) -> Vec<u32> {
        self.parameters.iter().map(|(_, values)| values[random.random_range(0..values.len())]).collect()
    }

    /// Calls `found` with all points whose prefixes are accepted, in lexical order. `accepts` receives the
    /// values chosen so far.
    pub fn search(&self, accepts: &mut dyn FnMut(&[u32]) -> bool, found: &mut dyn FnMut(&[u32])) {
        self.search_from(&[], accepts, found);
    }

    /// Like [`Self::search`], restricted to the points that begin with these values.
    pub fn search_from(
        &self,
        beginning: &[u32],
        accepts: &mut dyn FnMut(&[u32]) -> bool,
        found: &mut dyn FnMut(&[u32]),
    ) {
        if (1..=beginning.len()).all(|length| accepts(&beginning[..length])) {
            let mut point = Vec::with_capacity(self.parameters.len());
            point.extend_from_slice(beginning);
            self.search_after(&mut point, accepts, found);
        }
    }

    /// All combinations of values of the first `length` parameters, used to divide a search.
    pub fn beginnings(&self, length: usize) -> Vec<Vec<u32>> {
        let mut all = Vec::new();
        let first = Self { parameters: &self.parameters[..length] };
        first.search(&mut |_| true, &mut |values| all.push(values.to_vec()));
        all
    }

    fn search_after(
        &self,
        point: &mut Vec<u32>,
        accepts: &mut dyn FnMut(&[u32]) -> bool,
        found: &mut dyn FnMut(&[u32]),
    ) {
        let Some((_, values)) = self.parameters.get(point.len()) else {
            found(point);
            return;
        };
        for value in *values {
            point.push(*value);
            if accepts(point) {
                self.search_after(point, accepts, found);
            }
            point.pop();
        }
    }
}

/// Declares the tuning parameters of a kind of problem with their values: the type `Tiling`, the [`Space`] of all
/// tilings, and the conversions between its points and tilings.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident: $values:expr),* $(,)?) => {
        /// The division of a kernel's work. All parameters except the stages are powers of two.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct Tiling {
            $($(#[$doc])* pub $name: u32,)*
        }

        /// The values that tuning parameters may take, in the order of [`Tiling::values`].
        pub const SPACE: $crate::Space = $crate::Space { parameters: &[$((stringify!($name), &$values)),*] };

        impl Tiling {
            /// The tiling of a point of [`SPACE`].
            pub const fn from_values(values: [u32; SPACE.parameters.len()]) -> Self {
                let [$($name),*] = values;
                Self { $($name),* }
            }

            /// The tiling that begins with these values, with 1 for the remaining parameters.
            pub(super) fn beginning(values: &[u32]) -> Self {
                let mut all = [1; SPACE.parameters.len()];
                all[..values.len()].copy_from_slice(values);
                Self::from_values(all)
            }

            /// The values with the names used in data files and by `--emit`.
            pub const fn values(&self) -> [(&'static str, u32); SPACE.parameters.len()] {
                [$((stringify!($name), self.$name)),*]
            }
        }
    };
}

pub(crate) use parameters;

/// A model that generates points: its parameters are independent categorical variables (section 4.1).
#[derive(Debug, Clone)]
pub struct Categorical {
    space: Space,
    /// Counts of accepted points by value of each parameter, added to a Dirichlet prior.
    counts: Vec<Vec<f64>>,
}

/// Pseudo-count of each value in the Dirichlet prior. Source: the ISAAC paper, section 4.1.
const PRIOR: f64 = 100.0;

impl Categorical {
    /// Learns from uniform samples until `accepted` samples are accepted.
    pub fn learn(
        space: Space,
        accepted: usize,
        random: &mut impl Rng,
        accepts: &dyn Fn(&[u32]) -> bool,
    ) -> Self {
        let mut counts: Vec<Vec<f64>> =
            space.parameters.iter().map(|(_, values)| vec![PRIOR; values.len()]).collect();
        let mut left = accepted;
        while left > 0 {
            let point = space.uniform(random);
            if !accepts(&point) {
                continue;
            }
            left -= 1;
            for (at, (counts, (_, values))) in counts.iter_mut().zip(space.parameters).enumerate() {
                if let Some(value) = values.iter().position(|value| *value == point[at]) {
                    counts[value] += 1.0;
                }
            }
        }
        Self { space, counts }
    }

    /// Returns a random point of the model, which may be illegal.
    pub fn sample(&self, random: &mut impl Rng) -> Vec<u32> {
        let pick = |counts: &Vec<f64>, values: &[u32], random: &mut dyn FnMut() -> f64| {
            let mut left = random() * counts.iter().sum::<f64>();
            for (count, value) in counts.iter().zip(values) {
                left -= count;
                if left < 0.0 {
                    return *value;
                }
            }
            values[values.len() - 1]
        };
        let mut next = || random.random::<f64>();
        self.counts
            .iter()
            .zip(self.space.parameters)
            .map(|(counts, (_, values))| pick(counts, values, &mut next))
            .collect()
    }
}

/// The fraction of `tries` samples that are accepted (Table 1).
pub fn acceptance(
    tries: usize,
    sample: &mut dyn FnMut() -> Vec<u32>,
    accepts: &dyn Fn(&[u32]) -> bool,
) -> f64 {
    (0..tries).filter(|_| accepts(&sample())).count() as f64 / tries as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    const SPACE: Space = Space { parameters: &[("x", &[1, 2, 4, 8]), ("y", &[1, 2, 4, 8])] };

    #[test]
    fn what_is_accepted_more_often_is_generated_more_often() {
        let accepts = |point: &[u32]| point[0] == 8 && point[1] > 1;
        let mut random = StdRng::seed_from_u64(1);
        let model = Categorical::learn(SPACE, 2000, &mut random, &accepts);
        let uniform = acceptance(10_000, &mut || SPACE.uniform(&mut StdRng::from_rng(&mut random)), &accepts);
        let mut random = StdRng::seed_from_u64(2);
        let generated = acceptance(10_000, &mut || model.sample(&mut random), &accepts);
        assert!((uniform - 3.0 / 16.0).abs() < 0.02, "{uniform}");
        assert!(generated > 0.7, "{generated}");
    }

    #[test]
    fn a_search_leaves_out_what_a_beginning_rules_out() {
        let (mut asked, mut found) = (0, Vec::new());
        SPACE.search(
            &mut |point| {
                asked += 1;
                point[0] == 2
            },
            &mut |point| found.push(point.to_vec()),
        );
        assert_eq!(found, [[2, 1], [2, 2], [2, 4], [2, 8]]);
        assert_eq!(asked, 8);
    }

    #[test]
    fn a_divided_search_finds_the_same() {
        let accepts = &mut |point: &[u32]| point[0] != 4 && point.iter().sum::<u32>() < 9;
        let (mut whole, mut parts) = (Vec::new(), Vec::new());
        SPACE.search(accepts, &mut |point| whole.push(point.to_vec()));
        for beginning in SPACE.beginnings(1) {
            SPACE.search_from(&beginning, accepts, &mut |point| parts.push(point.to_vec()));
        }
        assert_eq!(whole, parts);
        assert_eq!(SPACE.beginnings(2).len(), 16);
    }
}
