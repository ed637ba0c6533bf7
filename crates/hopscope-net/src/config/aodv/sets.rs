//! Named sets of the parameters of AODV, and the older word for all rules together.

use super::AodvConfig;
use super::rules::{
    AnswerRule, AodvRules, Detection, ErrorReach, ErrorRule, FlushCause, HelloSenders, Lifetimes, OwnNumber,
    RepairRule, SearchRule,
};
use hopscope_core::units::Span;

impl AodvConfig {
    /// Names of the parameter sets with what they stand for.
    pub const SETS: &'static [(&'static str, &'static str)] = &[
        ("rfc3561", "RFC 3561 with its section 10 constants."),
        ("aodv-uu", "AODV-UU with HELLO detection, the AODV-HELLO of anastasi2006."),
        ("aodv-uu-ll", "AODV-UU with link-layer feedback, the AODV-LL of anastasi2006."),
        ("ns2", "The AODV agent of ns-2.35 as distributed."),
    ];

    /// The parameter set of that name.
    pub fn set(name: &str) -> Option<AodvConfig> {
        match name {
            "rfc3561" => Some(AodvConfig::default()),
            "aodv-uu" => Some(AodvConfig::aodv_uu()),
            "aodv-uu-ll" => Some(AodvConfig {
                detection: Detection::LinkLayer,
                active_route_timeout: Span::from_secs(10),
                my_route_timeout: Span::from_secs(20),
                delete_period: Span::from_secs(10),
                ttl_start: 1,
                ..AodvConfig::aodv_uu()
            }),
            "ns2" => Some(AodvConfig::ns2()),
            _ => None,
        }
    }

    /// AODV-UU 0.9 with HELLOs (its params.h). A neighbour's hold time has 50 ms of slack.
    fn aodv_uu() -> AodvConfig {
        AodvConfig {
            detection: Detection::Hello,
            ttl_start: 2,
            hello_hold: 1.025,
            hello_senders: HelloSenders::All,
            data_refreshes_neighbour: false,
            buffer_packets: 512,
            buffer_time: Span::from_secs(10),
            ..AodvConfig::default()
        }
    }

    /// ns-2.35 (its aodv.h); the behaviour was checked against traces made for this project.
    fn ns2() -> AodvConfig {
        AodvConfig {
            search: SearchRule::Sweep,
            lifetimes: Lifetimes::Assigned,
            neighbour_routes: false,
            own_number: OwnNumber::Even,
            request_clock: true,
            answers: AnswerRule::Stored,
            replies_confirm: false,
            repair: RepairRule::PastHalf,
            error_reach: ErrorReach::Everybody,
            error_rule: ErrorRule::NotOlder,
            flush_cause: FlushCause::Report,
            messages_break_links: false,
            messages_refresh_neighbour: false,
            broadcast_saves_hello: false,
            neighbour_clock: true,
            over_udp: false,
            time_stamp: true,
            active_route_timeout: Span::from_secs(10),
            my_route_timeout: Span::from_secs(10),
            reverse_route_life: Span::from_secs(6),
            request_memory: Span::from_secs(6),
            net_diameter: 30,
            node_traversal_time: Span::from_millis(30),
            rreq_retries: 3,
            max_rreq_wait: Span::from_secs(10),
            search_pause: Span::from_secs(10),
            ttl_start: 5,
            rreq_ratelimit: None,
            rerr_ratelimit: None,
            rerr_unicast: false,
            local_repair: true,
            hello_jitter: Span::from_millis(250),
            allowed_hello_loss: 3,
            hello_hold: 1.5,
            hello_senders: HelloSenders::All,
            data_refreshes_neighbour: false,
            release_gap: Span::from_millis(10),
            data_ttl: Some(30),
            ..AodvConfig::default()
        }
    }

    /// The parameters with the older word `rules` carried out.
    pub fn resolved(&self) -> AodvConfig {
        match self.rules {
            AodvRules::Named => self.clone(),
            AodvRules::Rfc => self.with_rules_of(&AodvConfig::default()),
            // Under the older word a life of 0 was none: such a route ended in the next sweep.
            AodvRules::Ns2 => AodvConfig {
                reverse_route_life: self.reverse_route_life.max(Span(1)),
                sweep_interval: AodvConfig::default().sweep_interval,
                ..self.with_rules_of(&AodvConfig::ns2())
            },
        }
    }

    /// These numbers with the rules of another set.
    fn with_rules_of(&self, other: &AodvConfig) -> AodvConfig {
        AodvConfig {
            rules: AodvRules::Named,
            search: other.search,
            lifetimes: other.lifetimes,
            neighbour_routes: other.neighbour_routes,
            own_number: other.own_number,
            request_clock: other.request_clock,
            answers: other.answers,
            replies_confirm: other.replies_confirm,
            repair: other.repair,
            error_reach: other.error_reach,
            error_rule: other.error_rule,
            flush_cause: other.flush_cause,
            messages_break_links: other.messages_break_links,
            messages_refresh_neighbour: other.messages_refresh_neighbour,
            broadcast_saves_hello: other.broadcast_saves_hello,
            neighbour_clock: other.neighbour_clock,
            over_udp: other.over_udp,
            time_stamp: other.time_stamp,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parameters that the older word `rules` stands for.
    fn rules(cfg: &AodvConfig) -> Vec<(String, serde_json::Value)> {
        let places = AodvConfig::describe();
        let place = |wanted: &str| places.iter().position(|p| p.name == wanted).expect("a parameter");
        let value = serde_json::to_value(cfg).expect("JSON");
        let chosen = |name: &str| (place("search")..=place("time_stamp")).contains(&place(name));
        let values = value.as_object().expect("an object").clone().into_iter();
        values.filter(|(name, _)| chosen(name)).collect()
    }

    #[test]
    fn an_older_document_keeps_its_meaning() {
        // What an engine wrote that had one word for the rules, and numbers of its own.
        let older = |word: &str| {
            let mut value = serde_json::to_value(AodvConfig::default()).expect("JSON");
            let map = value.as_object_mut().expect("an object");
            for (name, _) in rules(&AodvConfig::default()) {
                map.remove(&name);
            }
            map.remove("sweep_interval");
            map.insert("rules".into(), word.into());
            map.insert("ttl_start".into(), 3.into());
            serde_json::from_value::<AodvConfig>(value).expect("an older document").resolved()
        };
        let ns2 = AodvConfig::set("ns2").expect("a set");
        assert_eq!(ns2.rules, AodvRules::Named);
        assert_eq!(rules(&older("ns2")), rules(&ns2));
        assert_eq!(rules(&older("rfc")), rules(&AodvConfig::default()));
        assert_eq!((older("ns2").ttl_start, older("ns2").rreq_retries), (3, 2), "numbers stay as they were given");
        assert_eq!(older("ns2").reverse_route_life, Span(1), "0 was no life under these rules");
        let other = rules(&AodvConfig::default());
        assert!(rules(&ns2).iter().zip(&other).all(|(a, b)| a != b), "the set differs in each of them");
        assert_eq!(rules(&ns2).len(), 17);
        let word_over_rules = AodvConfig { rules: AodvRules::Rfc, ..ns2.clone() };
        assert_eq!(rules(&word_over_rules.resolved()), rules(&AodvConfig::default()));
        assert_eq!(word_over_rules.resolved().release_gap, ns2.release_gap);
    }
}
