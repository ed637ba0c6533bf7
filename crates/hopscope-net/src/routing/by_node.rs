//! A list by node number that has room for those nodes alone that are in it.
//!
//! A node of a large network knows of part of the others, and has several such lists. Each costs two bits for every node
//! of the network, and what is in it.

use hopscope_core::ids::NodeId;

/// Values of nodes.
#[derive(Debug)]
pub(crate) struct ByNode<T> {
    /// Which nodes are in, 64 in each.
    blocks: Vec<Block>,
    /// Their values, in the order of nodes.
    values: Vec<T>,
    /// All nodes below this one are in: in a small network that is all that is asked.
    dense: usize,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    nodes: u64,
    /// How many nodes of earlier blocks are in.
    before: u32,
}

impl Block {
    #[inline]
    fn has(self, node: NodeId) -> bool {
        self.nodes >> (node.0 % 64) & 1 == 1
    }

    /// How many nodes before this one of the block are in.
    #[inline]
    fn rank(self, node: NodeId) -> usize {
        let earlier = self.nodes & ((1 << (node.0 % 64)) - 1);
        (self.before + earlier.count_ones()) as usize
    }
}

impl<T> Default for ByNode<T> {
    fn default() -> Self {
        ByNode { blocks: Vec::new(), values: Vec::new(), dense: 0 }
    }
}

impl<T> ByNode<T> {
    #[inline]
    fn rank(&self, node: NodeId) -> Option<usize> {
        if node.index() < self.dense { Some(node.index()) } else { self.counted(node) }
    }

    fn counted(&self, node: NodeId) -> Option<usize> {
        let block = self.blocks.get(node.index() / 64)?;
        block.has(node).then(|| block.rank(node))
    }

    /// The value of a node that is in.
    #[inline]
    pub(crate) fn get(&self, node: NodeId) -> Option<&T> {
        self.rank(node).map(|rank| &self.values[rank])
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self, node: NodeId) -> Option<&mut T> {
        self.rank(node).map(|rank| &mut self.values[rank])
    }

    /// The values in the order of nodes.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, to change them.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

impl<T: Default> ByNode<T> {
    /// The value of a node, which is in from now on.
    #[inline]
    pub(crate) fn slot(&mut self, node: NodeId) -> &mut T {
        let rank = self.rank(node).unwrap_or_else(|| self.add(node));
        &mut self.values[rank]
    }

    fn add(&mut self, node: NodeId) -> usize {
        let at = node.index() / 64;
        if self.blocks.len() <= at {
            make_room(&mut self.blocks, at + 1);
            self.blocks.resize(at + 1, Block { nodes: 0, before: self.values.len() as u32 });
        }
        let rank = self.blocks[at].rank(node);
        let len = self.values.len();
        make_room(&mut self.values, len + 1);
        self.values.insert(rank, T::default());
        self.blocks[at].nodes |= 1 << (node.0 % 64);
        self.blocks[at + 1..].iter_mut().for_each(|block| block.before += 1);
        while self.counted(NodeId(self.dense as u32)).is_some() {
            self.dense += 1;
        }
        rank
    }
}

/// Adds to the end of a list that is there for every node: to double those would cost much.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) {
    let len = list.len();
    make_room(list, len + 1);
    list.push(value);
}

/// Makes room for so many values: at most one in eight more, and of few sizes, so that what one list leaves fits
/// another.
fn make_room<T>(list: &mut Vec<T>, wanted: usize) {
    if list.capacity() < wanted {
        let step = (wanted.next_power_of_two() / 16).max(4);
        list.reserve_exact(wanted.next_multiple_of(step) - list.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopscope_testing::property;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(property(256))]

        #[test]
        fn it_is_a_list_by_number(values in prop::collection::vec((0u32..500, 1u32..9), 0..200)) {
            let (mut list, mut all) = (ByNode::default(), vec![None; 600]);
            for (node, value) in values {
                prop_assert_eq!(list.get(NodeId(node)).copied(), all[node as usize]);
                *list.slot(NodeId(node)) += value;
                all[node as usize] = Some(all[node as usize].unwrap_or(0) + value);
            }
            for node in 0..600 {
                prop_assert_eq!(list.get(NodeId(node)).copied(), all[node as usize]);
                prop_assert_eq!(list.get_mut(NodeId(node)).copied(), all[node as usize]);
            }
            let all: Vec<u32> = all.into_iter().flatten().collect();
            prop_assert_eq!(list.values(), &all);
            prop_assert_eq!(list.values_mut(), &all);
        }
    }
}
