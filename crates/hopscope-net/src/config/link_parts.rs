//! The parts of a link layer, and which of them go together.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use hopscope_core::choice;
use hopscope_core::config::params::{Kind, ParamType};

choice! {
    /// A part of the link layer, in the order in which a packet meets them.
    pub enum LinkPart {
        /// RED on the average length of the interface queue.
        Red = "red",
        /// Neighborhood RED: nodes around a busy channel drop packets in proportion to their share of it.
        Nred = "nred",
        /// Link RED: packets are marked or dropped with the average number of MAC retries.
        Lred = "lred",
        /// CoDel: packets that waited long are marked or dropped at the head of the queue.
        Codel = "codel",
        /// Flow queues served in turn, each under CoDel.
        FqCodel = "fq-codel",
        /// Non-work-conserving scheduler: a timer after each data packet holds the next one back.
        Timer = "timer",
        /// Adaptive pacing: after a success the back-off is longer by one exchange; with Link RED only while that sees few
        /// retries.
        Pacing = "pacing",
    }
}

/// What a link layer without parts is called.
pub const PLAIN: &str = "plain";

/// Two parts that cannot stand in one layer, and why.
type Apart = (LinkPart, LinkPart, &'static str);

const APART: [Apart; 2] = [
    (LinkPart::Codel, LinkPart::FqCodel, "FQ-CoDel orders the queue and has a CoDel for each flow"),
    (LinkPart::Timer, LinkPart::Pacing, "both set the time between packets"),
];

/// The parts of a link layer: their words with `+` between them in any order, or `plain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LinkParts(u8);

impl LinkParts {
    /// No part.
    pub const PLAIN: LinkParts = LinkParts(0);

    /// The same layer with one part more.
    #[must_use]
    pub const fn with(self, part: LinkPart) -> Self {
        LinkParts(self.0 | 1 << part as u8)
    }

    /// True if the part is there.
    pub const fn has(self, part: LinkPart) -> bool {
        self.0 & 1 << part as u8 != 0
    }

    /// True without any part.
    pub const fn is_plain(self) -> bool {
        self.0 == 0
    }

    /// The parts in the order in which a packet meets them.
    pub fn parts(self) -> impl Iterator<Item = LinkPart> {
        LinkPart::ALL.into_iter().filter(move |&part| self.has(part))
    }

    /// Two parts of it that exclude each other, and why.
    fn clash(self) -> Option<Apart> {
        APART.into_iter().find(|&(one, other, _)| self.has(one) && self.has(other))
    }
}

impl From<LinkPart> for LinkParts {
    fn from(part: LinkPart) -> Self {
        LinkParts::PLAIN.with(part)
    }
}

impl fmt::Display for LinkParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(PLAIN);
        }
        for (place, part) in self.parts().enumerate() {
            f.write_str(if place > 0 { "+" } else { "" })?;
            f.write_str(part.word())?;
        }
        Ok(())
    }
}

impl From<LinkParts> for String {
    fn from(parts: LinkParts) -> Self {
        parts.to_string()
    }
}

impl FromStr for LinkParts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = LinkParts::PLAIN;
        if text == PLAIN {
            return Ok(parts);
        }
        for word in text.split('+').map(str::trim) {
            let Some(part) = LinkPart::ALL.into_iter().find(|part| part.word() == word) else {
                let words: Vec<&str> = LinkPart::ALL.map(LinkPart::word).to_vec();
                let allowed = format!("allowed are {PLAIN} alone, or with + between them {}", words.join(", "));
                return Err(format!("found {text:?} with the part {word:?}; {allowed}"));
            };
            if parts.has(part) {
                return Err(format!("found {text:?}: {word} stands twice"));
            }
            parts = parts.with(part);
        }
        match parts.clash() {
            Some((one, other, why)) => {
                Err(format!("found {text:?}: {} and {} exclude each other, as {why}", one.word(), other.word()))
            }
            None => Ok(parts),
        }
    }
}

impl TryFrom<String> for LinkParts {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl ParamType for LinkParts {
    const KIND: Kind = Kind::Parts;
    const CHOICES: &'static [&'static str] = &{
        let mut words = [PLAIN; LinkPart::ALL.len() + 1];
        let mut place = 0;
        while place < LinkPart::ALL.len() {
            words[place + 1] = LinkPart::ALL[place].word();
            place += 1;
        }
        words
    };
    const APART: &'static [[&'static str; 3]] = &{
        let mut pairs = [[""; 3]; APART.len()];
        let mut place = 0;
        while place < pairs.len() {
            let (one, other, why) = APART[place];
            pairs[place] = [one.word(), other.word(), why];
            place += 1;
        }
        pairs
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::LinkConfig;

    #[test]
    fn the_order_of_the_parts_does_not_matter() {
        for text in ["lred+pacing", "pacing+lred", " pacing + lred "] {
            let parts: LinkParts = text.parse().expect("a layer");
            assert_eq!(parts.to_string(), "lred+pacing");
            assert!(parts.has(LinkPart::Lred) && parts.has(LinkPart::Pacing) && !parts.has(LinkPart::Red));
        }
        assert_eq!("plain".parse(), Ok(LinkParts::PLAIN));
        assert_eq!(serde_json::to_value(LinkParts::from(LinkPart::FqCodel)).expect("text"), "fq-codel");
    }

    #[test]
    fn every_set_of_parts_is_a_layer_or_names_the_two_that_exclude_each_other() {
        let mut refused = 0;
        for parts in (0..1u8 << LinkPart::ALL.len()).map(LinkParts) {
            let read: Result<LinkParts, String> = parts.to_string().parse();
            let both = |one, other| parts.has(one) && parts.has(other);
            let apart = both(LinkPart::Codel, LinkPart::FqCodel) || both(LinkPart::Timer, LinkPart::Pacing);
            match read {
                Ok(read) => assert!(read == parts && !apart, "{parts}"),
                Err(message) => assert!(apart && message.contains("exclude each other"), "{parts}: {message}"),
            }
            refused += u32::from(apart);
        }
        assert_eq!(refused, 128 - 72);
    }

    #[test]
    fn what_is_no_layer_is_refused_with_what_is_allowed() {
        let refused = |text: &str| text.parse::<LinkParts>().expect_err("refused");
        assert!(refused("lred+lred").contains("lred stands twice"));
        assert!(refused("plain+lred").contains("the part \"plain\"; allowed are plain alone"));
        assert!(refused("").contains("red, nred, lred, codel, fq-codel, timer, pacing"));
        assert!(refused("lred+").contains("the part \"\""));
        assert!(serde_json::from_str::<LinkConfig>(r#"{"layer": "timer+pacing"}"#).is_err());
    }
}
