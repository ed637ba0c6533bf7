//! The curves of OFDM against those of ns-3 3.44, at 20 MHz with one stream and a guard interval of 800 ns.

use super::error_rate::Detection;
use super::modes::Mode;
use crate::config::layout::{ChannelWidth, GuardInterval, Layout, PpduFormat};
use crate::config::radio::{CckDetection, OfdmDecoding};

/// MCS, bytes of the frame, and the ratios in dB at which it is lost with the probabilities of `LOSSES`.
type Curve = (u8, f64, [f64; 4]);

const LOSSES: [f64; 4] = [0.9, 0.5, 0.1, 0.01];

/// Where the measured rows begin below that loss, or none was asked for.
const NONE: f64 = f64::NAN;

// Measured by asking ns-3's error models every 0.5 dB (`reference/ns3-ht.csv`, case p-per): MCS 0 to 7 in HT, 8 to 11
// in HE, and for `TABLE` as well. Between two rows the logarithm of -ln(1 - loss) is a straight line.

#[rustfmt::skip]
const HARD: [Curve; 36] = [
    (0, 32.0, [NONE, 2.32, 2.85, 3.53]),
    (0, 100.0, [2.30, 2.64, 3.18, 3.86]),
    (1, 32.0, [5.00, 5.33, 5.86, 6.54]),
    (1, 100.0, [5.31, 5.65, 6.19, 6.87]),
    (1, 1534.0, [6.09, 6.44, 6.98, 7.60]),
    (1, 4000.0, [6.37, 6.71, 7.23, 7.84]),
    (2, 32.0, [7.83, 8.16, 8.70, 9.41]),
    (2, 1458.0, [8.92, 9.29, 9.85, 10.52]),
    (2, 1534.0, [8.93, 9.30, 9.87, 10.53]),
    (2, 4000.0, [9.23, 9.59, 10.15, 10.78]),
    (3, 32.0, [11.31, 11.67, 12.27, 13.04]),
    (3, 4000.0, [12.84, 13.22, 13.80, 14.45]),
    (4, 32.0, [14.44, 14.79, 15.37, 16.13]),
    (4, 100.0, [14.77, 15.14, 15.74, 16.50]),
    (4, 400.0, [15.20, 15.58, 16.19, 16.92]),
    (4, 1458.0, [15.61, 16.00, 16.60, 17.30]),
    (4, 1534.0, [15.63, 16.02, 16.62, 17.31]),
    (4, 4000.0, [15.94, 16.32, 16.91, 17.58]),
    (5, 400.0, [19.92, 20.32, 20.93, 21.67]),
    (5, 4000.0, [20.68, 21.07, 21.65, 22.33]),
    (6, 32.0, [20.32, 20.69, 21.31, 22.12]),
    (6, 100.0, [20.67, 21.06, 21.70, 22.50]),
    (6, 1458.0, [21.56, 21.98, 22.61, 23.34]),
    (7, 32.0, [21.55, 21.89, 22.48, 23.28]),
    (7, 100.0, [21.87, 22.24, 22.87, 23.66]),
    (7, 1534.0, [22.75, 23.16, 23.79, 24.52]),
    (8, 1458.0, [27.38, 27.81, 28.48, 29.24]),
    (8, 1534.0, [27.40, 27.83, 28.50, 29.25]),
    (9, 32.0, [27.36, 27.73, 28.35, 29.18]),
    (9, 400.0, [28.15, 28.57, 29.24, 30.04]),
    (9, 4000.0, [28.96, 29.39, 30.02, 30.73]),
    (10, 100.0, [32.18, 32.62, 33.33, 34.21]),
    (10, 400.0, [32.69, 33.14, 33.86, 34.69]),
    (10, 1458.0, [33.18, 33.63, 34.33, 35.11]),
    (10, 1534.0, [33.20, 33.65, 34.34, 35.13]),
    (11, 400.0, [33.99, 34.42, 35.12, 35.94]),
];

#[expect(clippy::approx_constant, reason = "a ratio of 6.28 dB is not two pi")]
#[rustfmt::skip]
const YANS: [Curve; 36] = [
    (0, 100.0, [-1.81, -1.04, -0.05, 0.96]),
    (0, 400.0, [-0.93, -0.30, 0.57, 1.47]),
    (0, 1458.0, [-0.25, 0.31, 1.08, 1.89]),
    (0, 4000.0, [0.23, 0.74, 1.45, 2.20]),
    (1, 32.0, [0.15, 1.12, 2.31, 3.47]),
    (1, 100.0, [1.07, 1.88, 2.91, 3.94]),
    (1, 1458.0, [2.71, 3.28, 4.07, 4.89]),
    (2, 100.0, [4.39, 5.05, 5.93, 6.84]),
    (2, 1534.0, [5.78, 6.28, 6.97, 7.71]),
    (2, 4000.0, [6.18, 6.64, 7.29, 7.99]),
    (3, 100.0, [6.81, 7.85, 9.12, 10.32]),
    (3, 400.0, [8.00, 8.82, 9.87, 10.91]),
    (3, 1458.0, [8.88, 9.56, 10.47, 11.39]),
    (3, 1534.0, [8.91, 9.59, 10.49, 11.41]),
    (3, 4000.0, [9.46, 10.07, 10.89, 11.74]),
    (4, 100.0, [10.83, 11.57, 12.54, 13.52]),
    (4, 400.0, [11.67, 12.30, 13.14, 14.01]),
    (4, 4000.0, [12.81, 13.30, 14.00, 14.73]),
    (5, 32.0, [12.85, 14.24, 15.85, 17.34]),
    (5, 100.0, [14.18, 15.27, 16.62, 17.94]),
    (5, 400.0, [15.43, 16.30, 17.43, 18.59]),
    (5, 1458.0, [16.36, 17.10, 18.10, 19.13]),
    (6, 100.0, [16.53, 17.35, 18.41, 19.46]),
    (6, 4000.0, [18.70, 19.23, 19.97, 20.74]),
    (7, 100.0, [18.23, 19.06, 20.13, 21.20]),
    (7, 1458.0, [19.91, 20.52, 21.34, 22.19]),
    (7, 1534.0, [19.94, 20.54, 21.36, 22.21]),
    (8, 1534.0, [25.16, 25.79, 26.63, 27.51]),
    (9, 100.0, [25.17, 26.05, 27.18, 28.31]),
    (9, 400.0, [26.17, 26.91, 27.88, 28.87]),
    (9, 1458.0, [26.96, 27.59, 28.45, 29.33]),
    (9, 4000.0, [27.50, 28.07, 28.85, 29.67]),
    (10, 1458.0, [30.83, 31.51, 32.40, 33.32]),
    (10, 1534.0, [30.86, 31.54, 32.43, 33.34]),
    (10, 4000.0, [31.40, 32.01, 32.82, 33.67]),
    (11, 100.0, [30.87, 31.81, 33.01, 34.17]),
];

#[rustfmt::skip]
const TABLE: [Curve; 36] = [
    (0, 400.0, [NONE, -0.18, 0.47, 1.17]),
    (0, 1534.0, [-0.11, 0.30, 0.88, 1.54]),
    (0, 4000.0, [0.22, 0.60, 1.16, 1.78]),
    (1, 100.0, [1.61, 2.24, 3.03, 3.79]),
    (1, 1458.0, [2.86, 3.28, 3.89, 4.54]),
    (1, 4000.0, [3.21, 3.61, 4.18, 4.79]),
    (3, 100.0, [6.89, 7.65, 8.56, 9.50]),
    (3, 1458.0, [8.39, 8.92, 9.63, 10.45]),
    (3, 1534.0, [8.41, 8.94, 9.65, 10.47]),
    (3, 4000.0, [8.83, 9.31, 10.00, 10.78]),
    (4, 32.0, [9.20, 10.17, 11.22, 12.17]),
    (4, 400.0, [NONE, 11.51, 12.25, 13.09]),
    (4, 1534.0, [11.57, 12.04, 12.74, 13.55]),
    (5, 400.0, [NONE, 15.58, 16.46, 17.47]),
    (5, 1458.0, [15.62, 16.20, 17.02, 17.96]),
    (5, 1534.0, [15.65, 16.22, 17.05, 17.98]),
    (6, 400.0, [NONE, 16.90, 17.78, 18.73]),
    (6, 1534.0, [16.98, 17.54, 18.34, 19.24]),
    (6, 4000.0, [17.43, 17.97, 18.72, 19.59]),
    (7, 100.0, [16.78, 17.58, 18.65, 19.74]),
    (7, 400.0, [NONE, 18.20, 19.03, 19.99]),
    (7, 1458.0, [18.24, 18.78, 19.59, 20.50]),
    (7, 1534.0, [18.27, 18.80, 19.61, 20.52]),
    (7, 4000.0, [18.70, 19.21, 19.98, 20.88]),
    (8, 100.0, [20.32, 21.22, 22.33, 23.50]),
    (8, 400.0, [NONE, 22.06, 23.06, 24.12]),
    (8, 1458.0, [22.11, 22.75, 23.65, 24.70]),
    (9, 32.0, [20.88, 22.03, 23.24, 24.42]),
    (9, 100.0, [21.99, 22.81, 23.84, 24.95]),
    (9, 400.0, [NONE, 23.59, 24.51, 25.56]),
    (9, 1458.0, [23.64, 24.24, 25.10, 26.10]),
    (9, 4000.0, [24.15, 24.71, 25.54, 26.49]),
    (10, 100.0, [28.81, 29.83, 31.07, 32.26]),
    (11, 400.0, [31.94, 32.71, 33.73, 34.75]),
    (11, 1458.0, [32.77, 33.43, 34.32, 35.23]),
    (11, 1534.0, [32.80, 33.46, 34.34, 35.25]),
];

// Worked out apart from the engine: ns-3 has no such model.
#[rustfmt::skip]
const SOFT: [Curve; 12] = [
    (0, 1458.0, [NONE, 0.67, NONE, 1.82]),
    (1, 1458.0, [NONE, 3.68, NONE, 4.83]),
    (2, 1458.0, [NONE, 6.38, NONE, 7.58]),
    (3, 1458.0, [NONE, 9.54, NONE, 10.94]),
    (4, 1458.0, [NONE, 12.75, NONE, 14.11]),
    (5, 1458.0, [NONE, 17.02, NONE, 18.53]),
    (6, 1458.0, [NONE, 18.37, NONE, 19.90]),
    (7, 1458.0, [NONE, 19.63, NONE, 21.10]),
    (8, 1458.0, [NONE, 23.83, NONE, 25.54]),
    (9, 1458.0, [NONE, 25.24, NONE, 26.86]),
    (10, 1458.0, [NONE, 29.26, NONE, 31.16]),
    (11, 1458.0, [NONE, 30.84, NONE, 32.59]),
];

/// How far a curve may lie from a point between two rows, dB.
const SLACK: f64 = 0.02;

fn layout(format: PpduFormat, width: ChannelWidth) -> Layout {
    Layout { format, width, guard: GuardInterval::Ns800 }
}

/// The mode that was measured.
fn mode(mcs: u8) -> Mode {
    let format = if mcs < 8 { PpduFormat::Ht } else { PpduFormat::He };
    Mode::of_mcs(layout(format, ChannelWidth::Mhz20), mcs, 1).expect("a mode")
}

fn loss(ofdm: OfdmDecoding, mode: Mode, bytes: f64, db: f64) -> f64 {
    let detection = Detection { cck: CckDetection::CodeWords, ofdm };
    -detection.log_success(mode, 10f64.powf(db / 10.0), 8.0 * bytes).exp_m1()
}

/// True when the loss passes `wanted` within `slack` of a ratio.
fn passes(ofdm: OfdmDecoding, curve: (Mode, f64), wanted: f64, (db, slack): (f64, f64)) -> bool {
    let at = |db| loss(ofdm, curve.0, curve.1, db);
    at(db - slack) > wanted && at(db + slack) < wanted
}

#[test]
fn curves_pass_where_they_were_measured() {
    let words: [(OfdmDecoding, &[Curve]); 4] = [
        (OfdmDecoding::Hard, &HARD),
        (OfdmDecoding::Soft, &SOFT),
        (OfdmDecoding::Yans, &YANS),
        (OfdmDecoding::Table, &TABLE),
    ];
    let mut compared = 0;
    for (ofdm, curves) in words {
        for &(mcs, bytes, ratios) in curves {
            for (wanted, db) in LOSSES.into_iter().zip(ratios).filter(|(_, db)| !db.is_nan()) {
                compared += 1;
                assert!(
                    passes(ofdm, (mode(mcs), bytes), wanted, (db, SLACK)),
                    "{ofdm:?}, MCS {mcs}, {bytes} bytes: {wanted} not within {SLACK} dB of {db}"
                );
            }
        }
    }
    assert_eq!(compared, 448);
}

#[test]
fn rates_of_one_modulation_and_code_have_one_curve() {
    // 6, 12, 18, 24, 36, 48, 54 Mbit/s are MCS 0 to 6 but for the subcarriers: 48 of 4 us, 52 in HT.
    for (mcs, rate) in [6, 12, 18, 24, 36, 48, 54].into_iter().enumerate() {
        let non_ht = Mode::of(rate * 1_000_000).expect("a rate");
        for db in -4..30 {
            let losses = |ofdm, shift: f64| {
                let db = f64::from(db);
                (loss(ofdm, non_ht, 1_000.0, db), loss(ofdm, mode(mcs as u8), 1_000.0, db + shift))
            };
            let (old, new) = losses(OfdmDecoding::Table, 0.0);
            assert_eq!(old, new, "{rate} Mbit/s at {db} dB");
            let (old, new) = losses(OfdmDecoding::Yans, 10.0 * (52f64 / 48.0).log10());
            assert!((old - new).abs() < 1e-9, "{rate} Mbit/s at {db} dB: {old}, {new}");
        }
    }
    // 9 Mbit/s has no MCS, and what ns-3's table has for it are its Yans curves: measured apart from the formula.
    let nine = Mode::of(9_000_000).expect("a rate");
    for db in 2..14 {
        let at = |ofdm| loss(ofdm, nine, 1_000.0, f64::from(db) / 2.0);
        assert!((at(OfdmDecoding::Table) / at(OfdmDecoding::Yans) - 1.0).abs() < 0.01, "{} dB", f64::from(db) / 2.0);
    }
}

#[test]
fn the_ratio_is_that_of_the_channel_and_streams_change_nothing() {
    let wide = |width, streams| Mode::of_mcs(layout(PpduFormat::He, width), 5, streams).expect("a mode");
    for ofdm in OfdmDecoding::ALL {
        for db in [12.0, 16.0, 20.0] {
            let at = |mode| loss(ofdm, mode, 1_000.0, db);
            let narrow = at(wide(ChannelWidth::Mhz20, 1));
            assert_eq!(at(wide(ChannelWidth::Mhz20, 4)), narrow, "{ofdm:?} at {db} dB");
            // 234 subcarriers in 20 MHz, 468 in 40.
            assert_eq!(at(wide(ChannelWidth::Mhz40, 1)), narrow, "{ofdm:?} at {db} dB");
        }
    }
}

#[test]
fn losses_fall_with_the_ratio_and_rise_with_the_mcs() {
    for ofdm in OfdmDecoding::ALL {
        let he = |mcs| Mode::of_mcs(layout(PpduFormat::He, ChannelWidth::Mhz20), mcs, 1).expect("a mode");
        let curve = |mcs| (-40..100).map(move |db| loss(ofdm, he(mcs), 1_458.0, f64::from(db) / 2.0));
        for mcs in 0..12 {
            let losses: Vec<f64> = curve(mcs).collect();
            assert!(losses.windows(2).all(|pair| pair[1] <= pair[0]), "{ofdm:?}, MCS {mcs}: {losses:?}");
            assert!(losses[0] > 0.999 && losses[139] < 1e-9, "{ofdm:?}, MCS {mcs}");
            assert!(
                mcs == 0 || curve(mcs - 1).zip(losses).all(|(lower, higher)| lower <= higher + 1e-6),
                "{ofdm:?}, MCS {mcs}"
            );
        }
    }
}
