//! Which node has which link layer.

use super::{Config, LinkConfig};
use hopscope_core::error::{BuildError, BuildErrors};

impl Config {
    /// What is wrong with the link layers of all nodes.
    pub fn check_link_layers(&self) -> Vec<BuildError> {
        let nodes = self.nodes.len();
        let mut found = BuildErrors::default();
        found.note_all(self.link.check("link", nodes));
        // Who has already said what a node's layer is.
        let mut owners: Vec<Option<usize>> = vec![None; nodes];
        for (number, group) in self.layers.iter().enumerate() {
            found.note_all(group.check(&format!("layers.{number}"), nodes));
            let key = format!("layers.{number}.nodes");
            found.require(!group.nodes.is_empty(), key.clone(), || {
                "is empty; a layer of its own needs at least one node".to_string()
            });
            for &node in &group.nodes {
                // A node that does not exist has been reported.
                let other = owners.get_mut(node as usize).and_then(|owner| owner.replace(number));
                found.require(other.is_none(), key.clone(), || match other {
                    Some(other) if other != number => format!("node {node} is in layer {other} as well"),
                    Some(_) | None => format!("node {node} stands twice"),
                });
            }
        }
        // The nodes of [link] may be all: only those that it names can clash.
        let owner = |node: u64| owners.get(node as usize).copied().flatten();
        if let Some((node, number)) = self.link.nodes.iter().find_map(|&node| Some((node, owner(node)?))) {
            found.note(Err(BuildError::new("link.nodes", format!("node {node} is in layer {number} as well"))));
        }
        found.0
    }

    /// True if any node has a link layer that is not plain.
    pub fn has_link_layers(&self) -> bool {
        std::iter::once(&self.link).chain(&self.layers).any(|section| !section.layer.is_plain())
    }

    /// The link layer of each node; none where it is plain.
    pub fn link_layers(&self) -> Vec<Option<&LinkConfig>> {
        let everywhere = self.link.nodes.is_empty().then_some(&self.link);
        let mut layers = vec![everywhere; self.nodes.len()];
        for section in std::iter::once(&self.link).chain(&self.layers) {
            for &node in &section.nodes {
                layers[node as usize] = Some(section);
            }
        }
        layers.into_iter().map(|layer| layer.filter(|section| !section.layer.is_plain())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::presets;
    use hopscope_core::units::Span;
    use hopscope_net::config::link::LinkPart;

    /// Four nodes with this common layer and these of their own.
    fn network(link: LinkConfig, layers: &[LinkConfig]) -> Config {
        let base = presets::base("standard", "wavelan-2M").expect("a profile and a preset");
        let mut config = base.config(vec![[0.0; 2]; 4], Span::from_secs(1));
        (config.link, config.layers) = (link, layers.to_vec());
        config
    }

    fn of(part: LinkPart, nodes: &[u64]) -> LinkConfig {
        LinkConfig { layer: part.into(), nodes: nodes.to_vec(), ..LinkConfig::default() }
    }

    #[test]
    fn a_node_has_its_own_layer_or_the_common_one() {
        let at = |config: &Config| -> Vec<String> {
            config.link_layers().iter().map(|l| l.map_or(String::new(), |l| l.layer.to_string())).collect()
        };
        let plain = LinkConfig::default();
        assert_eq!(at(&network(plain.clone(), &[])), [""; 4]);
        assert_eq!(at(&network(of(LinkPart::Lred, &[2]), &[])), ["", "", "lred", ""]);
        let own = [of(LinkPart::Codel, &[1, 3]), LinkConfig { nodes: vec![0], ..plain }];
        assert_eq!(at(&network(of(LinkPart::Lred, &[]), &own)), ["", "codel", "lred", "codel"]);
        assert_eq!(at(&network(of(LinkPart::Lred, &[2]), &own)), ["", "codel", "lred", "codel"]);
    }

    #[test]
    fn a_node_has_one_layer() {
        let refused = |link: &[u64], own: &[&[u64]]| {
            let own: Vec<LinkConfig> = own.iter().map(|nodes| of(LinkPart::Codel, nodes)).collect();
            let error = network(of(LinkPart::Lred, link), &own).check_link_layers().remove(0);
            (error.key, error.message)
        };
        let error = |key: &str, message: &str| (key.to_string(), message.to_string());
        assert_eq!(refused(&[], &[&[0, 1], &[2, 1]]), error("layers.1.nodes", "node 1 is in layer 0 as well"));
        assert_eq!(refused(&[], &[&[3, 3]]), error("layers.0.nodes", "node 3 stands twice"));
        assert_eq!(refused(&[], &[&[4]]), error("layers.0.nodes", "node 4 does not exist; nodes are 0 to 3"));
        assert_eq!(refused(&[], &[&[0], &[]]).0, "layers.1.nodes");
        assert_eq!(refused(&[2], &[&[0], &[2]]).0, "link.nodes");
        let reversed = LinkConfig { red_max: 1.0, ..of(LinkPart::Red, &[0]) };
        let error = network(LinkConfig::default(), &[reversed]).check_link_layers().remove(0);
        assert_eq!(error.key, "layers.0.red_max");
    }
}
