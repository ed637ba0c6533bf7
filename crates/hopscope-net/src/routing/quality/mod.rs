//! How good a link is: what is measured of it, and what a packet over it costs.
//!
//! | file | idea |
//! |---|---|
//! | `window.rs` | the share of a neighbour's broadcasts that comes |
//!
//! ETX (De Couto et al. 2003) is the number of transmissions of a packet: 1 / (d_f d_r) of the shares that arrive in the two
//! directions. ETT (Draves et al. 2004) is their time: ETX S / B for packets of S bits at rate B. Costs of links add up along
//! a path.

pub(crate) mod window;

/// Transmissions of a packet over a link that delivers these shares there and back; infinite where one is 0.
pub fn etx(forward: f64, backward: f64) -> f64 {
    if forward > 0.0 && backward > 0.0 { 1.0 / (forward * backward) } else { f64::INFINITY }
}

/// Seconds on the air until a packet of so many bits has come over, at a rate in bit/s.
pub fn ett(etx: f64, bits: f64, rate: f64) -> f64 {
    etx * bits / rate
}

/// Seconds of the airtime metric of 802.11s: `overhead` in seconds and a frame of so many bits at a rate in bit/s, for each
/// frame that is not lost (IEEE 802.11-2020 14.9).
pub fn airtime(overhead: f64, bits: f64, rate: f64, loss: f64) -> f64 {
    if loss < 1.0 { (overhead + bits / rate) / (1.0 - loss) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_those_worked_out_by_hand() {
        assert_eq!(etx(0.5, 0.8), 2.5);
        assert_eq!([etx(0.0, 1.0), etx(1.0, 0.0)], [f64::INFINITY; 2]);
        // 1,024 bytes at 11 Mbit/s, 2.5 times: 2.5 x 744.7 us.
        assert!((ett(2.5, 8192.0, 11e6) - 1.861_818e-3).abs() < 1e-9);
        // 94 us and 8,192 bits at 24 Mbit/s make 435.3 us, without losses 42.5 units of 10.24 us; with half lost twice that.
        assert!((airtime(94e-6, 8192.0, 24e6, 0.0) / 10.24e-6 - 42.513).abs() < 1e-3);
        assert!((airtime(94e-6, 8192.0, 24e6, 0.5) / 10.24e-6 - 85.026).abs() < 1e-3);
        assert_eq!(airtime(94e-6, 8192.0, 24e6, 1.0), f64::INFINITY);
    }
}
