//! Duplicate filter (IEEE 802.11-2020 10.3.2.14): the last sequence number of each neighbour.

use smallvec::SmallVec;

use crate::ids::NodeId;

/// Last sequence number heard from each neighbour.
#[derive(Debug, Default)]
pub struct Dedup {
    last: SmallVec<[(NodeId, u16); 4]>,
}

impl Dedup {
    /// Notes a frame; true when it repeats the last one of that neighbour.
    pub fn is_duplicate(&mut self, from: NodeId, seq: u16) -> bool {
        match self.last.iter_mut().find(|(node, _)| *node == from) {
            Some((_, last)) if *last == seq => true,
            Some((_, last)) => {
                *last = seq;
                false
            }
            None => {
                self.last.push((from, seq));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_frame_of_a_neighbour_is_a_duplicate() {
        let mut dedup = Dedup::default();
        assert!(!dedup.is_duplicate(NodeId(1), 7));
        assert!(dedup.is_duplicate(NodeId(1), 7));
        assert!(!dedup.is_duplicate(NodeId(2), 7));
        assert!(!dedup.is_duplicate(NodeId(1), 8));
        assert!(!dedup.is_duplicate(NodeId(1), 7), "an older number counts as new");
    }
}
