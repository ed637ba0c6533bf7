//! Draws of a field's or a pattern's own seed: the Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), seeded and
//! read as Python's `random.Random(seed).random()`, so that a seed means the same field as ever.

/// Words of the state.
const N: usize = 624;
/// Distance of the words that are mixed.
const M: usize = 397;

/// A stream of numbers from 0 to below 1.
pub struct Draws {
    state: [u32; N],
    next: usize,
}

impl Draws {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Draws {
        let key = [seed as u32, (seed >> 32) as u32];
        // Python cuts zeros off the top of the key, and init_by_array() depends on its length.
        let key = if key[1] == 0 { &key[..1] } else { &key[..] };
        let mut state = [0_u32; N];
        // init_by_array() of the authors: a fixed start, then the key is mixed in, then the index.
        state[0] = 19_650_218;
        for i in 1..N {
            state[i] = mixed(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        let mut i = 1;
        let mut step = |i: &mut usize, factor: u32, plus: u32| {
            state[*i] = (state[*i] ^ mixed(state[*i - 1], factor)).wrapping_add(plus);
            *i += 1;
            if *i == N {
                state[0] = state[N - 1];
                *i = 1;
            }
        };
        for k in 0..N {
            let j = k % key.len();
            step(&mut i, 1_664_525, key[j].wrapping_add(j as u32));
        }
        for _ in 1..N {
            let minus = (i as u32).wrapping_neg();
            step(&mut i, 1_566_083_941, minus);
        }
        // Of the first word only the highest bit counts; set, it keeps the state from being all zeros.
        state[0] = 0x8000_0000;
        Draws { state, next: N }
    }

    fn word(&mut self) -> u32 {
        if self.next == N {
            for k in 0..N {
                let y = (self.state[k] & 0x8000_0000) | (self.state[(k + 1) % N] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[k] = self.state[(k + M) % N] ^ (y >> 1) ^ odd;
            }
            self.next = 0;
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// The next number, with 53 random bits.
    pub fn number(&mut self) -> f64 {
        // 27 and 26 bits: genrand_res53(), as Python takes two words for a double.
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }
}

/// A word of the state as the next one is made of it.
fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_what_it_does_in_python() {
        let first = |seed| {
            let mut draws = Draws::new(seed);
            [draws.number(), draws.number()]
        };
        assert_eq!(first(0), [0.8444218515250481, 0.7579544029403025]);
        assert_eq!(first(1), [0.13436424411240122, 0.8474337369372327]);
        assert_eq!(first(1 << 62), PYTHON_LARGE);
        let mut draws = Draws::new(1);
        let last = (0..1000).map(|_| draws.number()).last();
        assert_eq!(last, Some(PYTHON_LATE));
    }

    const PYTHON_LARGE: [f64; 2] = [0.21122940420330605, 0.7071943696867057];
    const PYTHON_LATE: f64 = 0.7062615472551386;
}
