//! The quality of links: how much comes of a neighbour's OGMs, and how many echoes of one's own.

use hopscope_core::ids::NodeId;

/// The greatest transmission quality (BATADV_TQ_MAX_VALUE).
pub(super) const TQ_MAX: u32 = 255;

/// Which of the last 64 own OGMs a neighbour has echoed (bcast_own).
#[derive(Debug)]
struct Link {
    node: NodeId,
    interface: u8,
    /// The lowest bit stands for the own OGM `newest`.
    echoes: u64,
    newest: u32,
}

/// The neighbours that are heard straight.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<Link>);

impl Links {
    /// Place of a neighbour, in the order of radios and nodes.
    fn place(&self, interface: u8, node: NodeId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(interface, node), |link| (link.interface, link.node))
    }

    /// A neighbour is heard of; from now on its echoes count.
    pub(super) fn add(&mut self, interface: u8, node: NodeId) {
        if let Err(place) = self.place(interface, node) {
            self.0.insert(place, Link { node, interface, echoes: 0, newest: 0 });
        }
    }

    /// A neighbour echoed the own OGM `seq`; `newest` is the last one that was sent (batadv_iv_ogm_process_reply).
    pub(super) fn echo(&mut self, interface: u8, node: NodeId, seq: u32, newest: u32) {
        let Ok(place) = self.place(interface, node) else { return };
        let link = &mut self.0[place];
        link.echoes = link.slid(newest);
        link.newest = newest;
        let age = newest.wrapping_sub(seq);
        if age < u64::BITS {
            link.echoes |= 1 << age;
        }
    }

    /// How many of the last `window` own OGMs a neighbour has echoed.
    pub(super) fn echoed(&self, interface: u8, node: NodeId, newest: u32, window: u32) -> u32 {
        self.place(interface, node).map_or(0, |place| within(self.0[place].slid(newest), window).count_ones())
    }
}

impl Link {
    /// The echoes as they stand when `newest` is the last own OGM.
    fn slid(&self, newest: u32) -> u64 {
        self.echoes.checked_shl(newest.wrapping_sub(self.newest)).unwrap_or(0)
    }
}

/// The part of a window that counts.
pub(super) fn within(bits: u64, window: u32) -> u64 {
    bits & (u64::MAX >> (u64::BITS - window))
}

/// Qualities of a link in the direction of data, from what was received of the neighbour's OGMs and echoed of one's own
/// among `window` (batadv_iv_ogm_calc_tq): that of one's own frames, and the share left by the penalty for asymmetry, both
/// of 255.
pub(super) fn qualities(echoed: u32, received: u32, window: u32) -> (u32, u32) {
    let both = echoed.min(received);
    // What is received and not echoed was lost on the way there: echo quality = receive quality x own quality.
    let own = if both == 0 { 0 } else { TQ_MAX * both / received };
    let missing = window - received;
    // 1 - (1 - x)^3: little for a link that loses little, much for one by which hardly anything comes.
    let penalty = TQ_MAX * missing.pow(3) / window.pow(3);
    (own, TQ_MAX - penalty)
}

/// What is left of a quality behind a hop (batadv_hop_penalty).
pub(super) fn after_hop(tq: u32, penalty: u32) -> u32 {
    tq * (TQ_MAX - penalty) / TQ_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualities_follow_the_formula() {
        // By hand: all there; half of the echoes; half of everything, (32/64)^3 = 1/8, 255/8 = 31.
        assert_eq!(qualities(64, 64, 64), (255, 255));
        assert_eq!(qualities(32, 64, 64), (127, 255));
        assert_eq!(qualities(16, 32, 64), (127, 255 - 31));
        assert_eq!(qualities(64, 32, 64), (255, 224), "never more than all");
        assert_eq!(qualities(0, 64, 64).0, 0);
        assert_eq!(qualities(1, 1, 64), (255, 255 - 255 * 63 * 63 * 63 / 262_144));
        assert_eq!((after_hop(255, 30), after_hop(225, 30), after_hop(255, 0)), (225, 198, 255));
    }

    #[test]
    fn echoes_slide_out_of_the_window() {
        let mut links = Links::default();
        let echoed = |links: &Links, newest| links.echoed(0, NodeId(3), newest, 64);
        links.echo(0, NodeId(3), 5, 5);
        assert_eq!(echoed(&links, 5), 0, "nobody was heard yet");
        links.add(0, NodeId(3));
        for seq in [u32::MAX, 0, 1] {
            links.echo(0, NodeId(3), seq, seq);
        }
        links.echo(0, NodeId(3), 1, 1);
        assert_eq!([1, 62, 63, 64, 65, 10_000].map(|newest| echoed(&links, newest)), [3, 3, 2, 1, 0, 0]);
        links.echo(0, NodeId(3), 1, 65);
        assert_eq!(echoed(&links, 65), 0, "too old");
        assert_eq!(links.echoed(1, NodeId(3), 1, 64), 0, "another radio");
        assert_eq!(links.echoed(0, NodeId(3), 65, 1), 0);
    }
}
