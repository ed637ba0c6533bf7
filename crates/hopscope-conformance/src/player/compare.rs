//! What goes out against what a script expects.

use hopscope_packet::Ecn;
use hopscope_packet::tcp::TcpSegment;

use super::Player;
use crate::script::{Packet, TcpOption};

impl Player {
    /// The first thing in which a segment is not the one expected. PSH is not looked at (the engine sets it for receivers
    /// that mind it), nor are MSS and window scale, which it takes from the script, nor the window unless `--buffer` says what it is of. `part`: more of the expected one follows.
    pub(super) fn difference(
        &mut self,
        wanted: &Packet,
        found: &TcpSegment,
        first: bool,
        part: bool,
    ) -> Option<String> {
        let flags = found.flags;
        let pairs = [
            ('S', flags.syn),
            ('R', flags.rst),
            // Of the parts of a segment the last one has the FIN, and the first one CWR.
            ('F', flags.fin || (part && wanted.has('F'))),
            ('.', flags.ack),
            ('E', flags.ece),
            ('W', flags.cwr || (!first && wanted.has('W'))),
        ];
        if let Some((flag, _)) = pairs.into_iter().find(|(flag, set)| wanted.has(*flag) != *set) {
            return Some(format!("flag {flag}"));
        }
        if (wanted.seq, wanted.len) != (found.seq, u64::from(found.len)) {
            return Some("sequence numbers".to_string());
        }
        if wanted.has('.') && wanted.ack.is_some_and(|ack| ack != found.ack) {
            return Some("acknowledgement".to_string());
        }
        if let Some(ecn) = wanted.ecn.as_deref() {
            let as_wanted = match ecn {
                "noecn" => found.ecn == Ecn::NotEct,
                "ce" => found.ecn == Ecn::Ce,
                // The engine does not distinguish ECT(0) and ECT(1).
                _ => found.ecn == Ecn::Ect,
            };
            if !as_wanted {
                return Some("ECN field".to_string());
            }
        }
        // The window is the script's where its buffer is.
        if let (Some(_), Some(window)) = (self.setup.buffer, wanted.win)
            && !flags.syn
            && window != u64::from(found.window)
        {
            return Some(format!("window {}", found.window));
        }
        self.option_difference(wanted, found)
    }

    fn option_difference(&mut self, wanted: &Packet, found: &TcpSegment) -> Option<String> {
        if found.flags.rst {
            return None; // answers to segments of no connection know of no options
        }
        let options = wanted.options.as_ref();
        // A script that names no options expects none, except in a SYN, where it leaves them to the system.
        let options = options.or(if wanted.has('S') { None } else { Some(const { &Vec::new() }) })?;
        let blocks: Vec<(u64, u64)> = found.sack_blocks().iter().map(|block| (block.start, block.end)).collect();
        let named = options
            .iter()
            .find_map(|option| if let TcpOption::Sack(blocks) = option { Some(blocks.clone()) } else { None });
        if named.unwrap_or_default() != blocks && !wanted.has('S') {
            return Some("SACK blocks".to_string());
        }
        let stamps = options
            .iter()
            .find_map(|option| if let TcpOption::Stamps(value, echo) = option { Some((*value, *echo)) } else { None });
        if wanted.has('S') && !self.setup.stamps {
            return None; // offered and not answered
        }
        match (stamps, found.timestamps) {
            (Some((value, echo)), Some(found)) => {
                // The first stamp ties the clock of the script to that of the end; the others have to follow.
                if let (Some(value), None) = (value, self.stamp_shift) {
                    self.stamp_shift = Some(found.value.wrapping_sub(value));
                }
                let shift = self.stamp_shift.unwrap_or(0);
                let off = value.map_or(0, |value| found.value.wrapping_sub(shift).wrapping_sub(value) as i32);
                // Stamps count milliseconds, and an instant may fall to either side of a tick.
                let tolerance = (self.setup.tolerance / 1_000).max(1) as i32;
                if off.abs() > tolerance {
                    return Some(format!("timestamp {}", found.value.wrapping_sub(shift)));
                }
                (echo.is_some_and(|echo| echo != found.echo)).then(|| format!("echoed timestamp {}", { found.echo }))
            }
            (Some(_), None) => Some("no timestamps".to_string()),
            (None, Some(_)) if wanted.options.is_some() => Some("timestamps".to_string()),
            _ => None,
        }
    }
}

/// A segment as the language writes it.
pub(super) fn describe(segment: &TcpSegment) -> String {
    let flags = segment.flags;
    let mut text: String = [
        (flags.syn, 'S'),
        (flags.fin, 'F'),
        (flags.rst, 'R'),
        (flags.psh, 'P'),
        (flags.ece, 'E'),
        (flags.cwr, 'W'),
        (flags.ack, '.'),
    ]
    .into_iter()
    .filter_map(|(set, letter)| set.then_some(letter))
    .collect();
    let end = segment.seq + u64::from(segment.len);
    text += &format!(" {}:{end}({})", segment.seq, segment.len);
    if flags.ack {
        text += &format!(" ack {}", segment.ack);
    }
    if segment.n_sack > 0 {
        let blocks: Vec<String> =
            segment.sack_blocks().iter().map(|block| format!("{}:{}", block.start, block.end)).collect();
        text += &format!(" <sack {}>", blocks.join(" "));
    }
    format!("`{text}`")
}

/// What a script expects, shortly.
pub(super) fn shown(packet: &Packet) -> String {
    let mut text = format!("{} {}:{}({})", packet.flags, packet.seq, packet.end(), packet.len);
    if let Some(ack) = packet.ack {
        text += &format!(" ack {ack}");
    }
    if let Some(blocks) =
        packet.option(|option| if let TcpOption::Sack(blocks) = option { Some(blocks.clone()) } else { None })
    {
        let blocks: Vec<String> = blocks.iter().map(|(start, end)| format!("{start}:{end}")).collect();
        text += &format!(" <sack {}>", blocks.join(" "));
    }
    format!("`{text}`")
}
