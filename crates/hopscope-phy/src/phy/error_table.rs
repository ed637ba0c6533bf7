//! Frame errors of OFDM from a table (`error = { kind = "sinr", ofdm = "table" }`): what ns-3.44 takes for its receiver.
//!
//! Measured for this project by asking ns-3's error model for the loss of frames of 14, 20, 112, 1064 and 1536 bytes every 0.5 dB
//! at the non-HT rates, of 32, 100, 400, 1458, 1534 and 4000 bytes at MCS 7, 8 and 9 (`reference/ns3-ht.csv`, case p-per). Frames
//! below 400 bytes have one error rate a bit, the others another: ns-3 knows two lengths.

use hopscope_core::math;

/// Curves of frames shorter than 400 bytes and of longer ones: the ratio in dB of the first point, and every 0.5 dB from there
/// on the logarithm to base 10 of the rate at which bits fail, -ln(1 - loss) / bits.
type Curves = [(f64, &'static [f64]); 2];

/// Ratio between two points, dB.
const STEP: f64 = 0.5;
/// Bits of a frame from which the second curve holds.
const LONG: f64 = 400.0 * 8.0;

/// Of the non-HT rates in order, then of MCS 7, 8 and 9.
#[rustfmt::skip]
const TABLE: [Curves; 11] = [
    [
        (-3.0, &[-1.684, -1.957, -2.166, -2.459, -2.842, -3.281, -3.864, -4.477, -5.232, -6.028, -6.454]),
        (-0.5, &[-3.358, -3.835, -4.531, -5.231, -6.015, -6.890, -7.891, -9.067]),
    ],
    [
        (-3.5, &[-1.013, -1.174, -1.349, -1.541, -1.752, -1.985, -2.242, -2.526, -2.841, -3.190, -3.578, -4.008, -4.485, -5.015, -5.604, -6.259, -6.988, -7.798, -8.702, -9.708, -10.829]),
        (1.0, &[-3.191, -3.578, -4.008, -4.485, -5.015, -5.604, -6.259, -6.988, -7.798, -8.702, -9.708, -10.829, -12.080]),
    ],
    [
        (0.0, &[-1.723, -1.875, -2.153, -2.461, -2.827, -3.309, -3.839, -4.477, -5.204, -5.993, -6.931]),
        (2.5, &[-3.303, -3.868, -4.513, -5.188, -5.985, -6.890, -7.705]),
    ],
    [
        (2.5, &[-1.699, -1.905, -2.128, -2.447, -2.835, -3.313, -3.871, -4.514, -5.204, -5.961, -6.505]),
        (5.0, &[-3.273, -3.915, -4.513, -5.222, -5.978, -6.705, -7.523, -8.465]),
    ],
    [
        (4.5, &[-1.569, -1.615, -1.867, -2.074, -2.278, -2.612, -2.935, -3.350, -3.819, -4.330, -4.902, -5.527, -6.178, -6.931]),
        (8.0, &[-3.358, -3.803, -4.311, -4.882, -5.486, -6.130, -6.788, -7.510, -8.368]),
    ],
    [
        (8.5, &[-1.569, -1.938, -2.203, -2.455, -2.794, -3.175, -3.662, -4.206, -4.805, -5.367, -5.977, -6.454]),
        (11.5, &[-3.649, -4.209, -4.762, -5.389, -6.023, -6.651, -7.454, -8.067]),
    ],
    [
        (12.0, &[-1.615, -1.882, -2.052, -2.291, -2.536, -2.846, -3.174, -3.584, -4.021, -4.509, -5.046, -5.569, -6.153, -6.806, -7.107]),
        (15.0, &[-3.228, -3.596, -4.031, -4.518, -5.018, -5.536, -6.106, -6.705, -7.261, -7.836, -8.766]),
    ],
    [
        (13.5, &[-1.744, -1.892, -2.145, -2.344, -2.614, -2.945, -3.323, -3.734, -4.206, -4.717, -5.204, -5.817, -6.367, -7.107]),
        (16.5, &[-3.343, -3.741, -4.209, -4.697, -5.247, -5.793, -6.403, -6.953, -7.705, -8.766]),
    ],
    [
        (15.0, &[-1.799, -1.952, -2.133, -2.405, -2.648, -3.007, -3.337, -3.755, -4.166, -4.683, -5.129, -5.692, -6.204, -6.806]),
        (18.0, &[-3.483, -3.938, -4.452, -4.947, -5.509, -6.065, -6.635, -7.368, -8.113, -9.067]),
    ],
    [
        (18.5, &[-1.817, -1.987, -2.171, -2.358, -2.643, -2.917, -3.251, -3.620, -4.014, -4.447, -4.902, -5.417, -5.890, -6.262, -6.806]),
        (21.5, &[-3.273, -3.618, -4.021, -4.429, -4.896, -5.380, -5.876, -6.350, -6.890, -7.510, -8.222]),
    ],
    [
        (19.5, &[-1.615, -1.753, -1.902, -2.090, -2.289, -2.548, -2.849, -3.190, -3.592, -4.010, -4.477, -4.945, -5.408, -6.178, -6.262, -7.107]),
        (23.0, &[-3.228, -3.589, -4.005, -4.471, -4.942, -5.446, -5.950, -6.510, -7.153, -8.067, -8.766, -9.067]),
    ],
];

/// Logarithm of the probability that `bits` bits sent at a ratio `snr` (linear) are all received, by the curves at a place of the
/// table. Between two points and beyond the last the logarithm of the error rate is a straight line.
pub(super) fn log_success(curves: usize, snr: f64, bits: f64) -> f64 {
    let (first, points) = TABLE[curves][usize::from(bits >= LONG)];
    let along = (10.0 * math::log10(snr) - first) / STEP;
    let left = (along.max(0.0) as usize).min(points.len() - 2);
    let slope = points[left + 1] - points[left];
    // A worse ratio than any of the table loses every frame; the line goes on as far as that shows.
    let fails = (points[left] + slope * (along - left as f64)).min(1.0);
    -bits * math::pow(10.0, fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loss of a frame of so many bytes.
    fn loss(curves: usize, bytes: f64, db: f64) -> f64 {
        -log_success(curves, 10f64.powf(db / 10.0), bytes * 8.0).exp_m1()
    }

    #[test]
    fn it_gives_what_was_measured() {
        // Curves of 6, 24 and 36 Mbit/s and of MCS 7 to 9, bytes, ratio in dB, loss.
        let measured = [
            (0, 14.0, -2.0, 0.534_575),
            (4, 1536.0, 9.0, 0.451_077),
            (4, 1536.0, 12.0, 5.267_48e-5),
            (5, 1536.0, 12.0, 0.532_301),
            (5, 1536.0, 13.0, 0.048_925_8),
            (5, 1064.0, 12.5, 0.136_827),
            (8, 100.0, 19.0, 0.0530752),
            (8, 4000.0, 20.0, 0.0944062),
            (9, 400.0, 23.5, 0.0397998),
            (10, 32.0, 24.0, 0.0247),
            (10, 1458.0, 25.0, 0.1248),
        ];
        for (curves, bytes, db, wanted) in measured {
            let found = loss(curves, bytes, db);
            assert!(
                (found / wanted - 1.0).abs() < 0.01,
                "curves {curves}, {bytes} bytes, {db} dB: {found}, measured {wanted}"
            );
        }
    }

    #[test]
    fn a_better_ratio_never_loses_more() {
        for curves in 0..TABLE.len() {
            for bytes in [14.0, 399.0, 400.0, 1536.0] {
                let curve: Vec<f64> = (-400..800).map(|n| loss(curves, bytes, f64::from(n) / 20.0)).collect();
                assert!(curve.windows(2).all(|pair| pair[1] <= pair[0]), "curves {curves}, {bytes} bytes");
                assert!(curve[0] > 0.999_9 && curve[curve.len() - 1] < 1e-9);
            }
        }
    }
}
