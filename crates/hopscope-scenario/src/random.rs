//! The Mersenne Twister (Matsumoto and Nishimura 1998) as Python seeds it: fields and pairs drawn from a seed are those of
//! every version of the scenario package.

const N: usize = 624;
const M: usize = 397;

/// A stream of numbers from 0 up to 1.
pub struct Random {
    state: [u32; N],
    at: usize,
}

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let key: &[u32] = if high == 0 { &[low] } else { &[low, high] };
        let mut state = [0u32; N];
        state[0] = 19_650_218;
        for i in 1..N {
            state[i] = mixed(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        let (mut i, mut j) = (1, 0);
        for _ in 0..N.max(key.len()) {
            state[i] = (state[i] ^ mixed(state[i - 1], 1_664_525)).wrapping_add(key[j]).wrapping_add(j as u32);
            i = next(&mut state, i);
            j = (j + 1) % key.len();
        }
        for _ in 0..N - 1 {
            state[i] = (state[i] ^ mixed(state[i - 1], 1_566_083_941)).wrapping_sub(i as u32);
            i = next(&mut state, i);
        }
        state[0] = 0x8000_0000;
        Random { state, at: N }
    }

    /// The next number, of 53 random bits.
    pub fn draw(&mut self) -> f64 {
        let (a, b) = (self.word() >> 5, self.word() >> 6);
        (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0
    }

    fn word(&mut self) -> u32 {
        if self.at == N {
            for i in 0..N {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }
}

fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

/// The place after `i`; the first word follows the last one.
fn next(state: &mut [u32; N], i: usize) -> usize {
    if i + 1 < N {
        return i + 1;
    }
    state[0] = state[N - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_python() {
        // random.Random(seed).random(), twice, of CPython 3.11.
        for (seed, numbers) in [
            (1, [0.134_364_244_112_401_22, 0.847_433_736_937_232_7]),
            (7, [0.323_832_764_833_167_64, 0.150_849_175_194_503_67]),
            (1 << 40, [0.1036394562812375, 0.6705558677439764]),
        ] {
            let mut random = Random::new(seed);
            assert_eq!([random.draw(), random.draw()], numbers, "{seed}");
        }
    }
}
