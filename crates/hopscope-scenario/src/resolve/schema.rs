//! The keys by table, as the resolver looks them up: the engine's schema with the defaults of each table made once.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use hopscope_engine::config::schema::{self, APPS, ENGINE_SECTIONS, Key, Kind, PROTOCOLS, TOPOLOGIES, Table, When};

use super::values::Values;

/// An application: its word, the keys that it uses, the engine's word, and the defaults that are not those of the keys.
pub(super) struct Application {
    pub(super) word: &'static str,
    pub(super) keys: &'static [&'static str],
    pub(super) engine: &'static str,
    pub(super) defaults: Values,
}

/// Every key of a file.
pub struct Schema {
    tables: Vec<Table>,
    defaults: BTreeMap<&'static str, Arc<Values>>,
    topologies: Vec<(&'static str, Vec<Key>)>,
    kind: Key,
    applications: Vec<Application>,
    routing: BTreeMap<&'static str, Vec<Key>>,
}

static ENGINE: LazyLock<Schema> = LazyLock::new(|| Schema::of(schema::tables()));

impl Schema {
    /// That of the engine.
    pub fn engine() -> &'static Schema {
        &ENGINE
    }

    /// The schema of these tables.
    pub fn of(tables: Vec<Table>) -> Schema {
        let defaults = tables.iter().map(|table| (table.name, Arc::new(defaults(&table.keys)))).collect();
        let application = |app: &schema::App| Application {
            word: app.name,
            keys: app.keys,
            engine: app.engine,
            defaults: app.default_values().into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        };
        let routing = tables.iter().find(|table| table.name == "routing").map_or(&[][..], |table| &table.keys);
        let of_protocol = |protocol: &schema::Protocol| {
            let sets = protocol.sets.iter().map(|(name, _)| *name);
            let narrowed = |key: &Key| match &*key.name {
                // So that a message lists the sets of the protocol that was chosen.
                "parameters" => key.clone().choices(sets.clone()),
                _ => key.clone(),
            };
            (protocol.word, routing.iter().map(narrowed).collect())
        };
        Schema {
            routing: PROTOCOLS.iter().map(of_protocol).collect(),
            tables,
            defaults,
            topologies: TOPOLOGIES.iter().map(|kind| (kind.name, kind.keys())).collect(),
            kind: schema::topology(),
            applications: APPS.iter().map(application).collect(),
        }
    }

    /// The keys of a table; `""` is the top of the file.
    pub(super) fn table(&self, name: &str) -> &[Key] {
        self.tables.iter().find(|table| table.name == name).map_or(&[], |table| &table.keys)
    }

    /// The defaults of a table.
    pub(super) fn defaults(&self, name: &str) -> Arc<Values> {
        self.defaults.get(name).cloned().unwrap_or_default()
    }

    /// A key of a table.
    pub(super) fn key(&self, table: &str, name: &str) -> Option<&Key> {
        self.table(table).iter().find(|key| key.name == name)
    }

    /// The keys of a table inside a table.
    pub(super) fn inner(&self, table: &str, name: &str) -> &[Key] {
        self.key(table, name).map_or(&[], |key| &key.fields)
    }

    /// Keys of `[routing]` for a protocol: `parameters` takes its sets alone.
    pub(super) fn routing(&self, protocol: Option<&str>) -> &[Key] {
        protocol.and_then(|word| self.routing.get(word)).map_or_else(|| self.table("routing"), Vec::as_slice)
    }

    /// The key that names the kind of topology.
    pub(super) fn kind(&self) -> &Key {
        &self.kind
    }

    /// The kinds of topologies with their keys.
    pub(super) fn topologies(&self) -> &[(&'static str, Vec<Key>)] {
        &self.topologies
    }

    /// The application of a word, else the first.
    pub(super) fn application(&self, word: &str) -> &Application {
        // A wrong word is a problem of its own; the rest of the flow is read as if it were the usual one.
        self.applications.iter().find(|app| app.word == word).unwrap_or(&self.applications[0])
    }

    /// What can stand at the top of a file: its keys, then its tables.
    pub(super) fn top_names(&self) -> Vec<&str> {
        let keys = self.table("").iter().map(|key| key.name.as_str());
        let many = self.tables.iter().filter(|table| table.many).map(|table| table.name);
        let tables = std::iter::once("topology").chain(ENGINE_SECTIONS.iter().copied()).chain(many);
        keys.chain(tables).chain(["mobility", "series", "sweep"]).collect()
    }

    /// When the keys of a table have an effect; none: always.
    pub(super) fn condition(&self, name: &str) -> Option<&When> {
        self.tables.iter().find(|table| table.name == name).and_then(|table| table.when.as_ref())
    }

    /// The name of a table that stands once, or of a routing protocol, as the schema has it.
    pub(super) fn section_name(&self, name: &str) -> Option<&'static str> {
        let tables = self.tables.iter().filter(|table| !table.many).map(|table| table.name);
        let protocols = PROTOCOLS.iter().map(|protocol| protocol.word);
        tables.chain(protocols).chain(["topology"]).find(|known| *known == name)
    }

    /// The dotted keys that end in a name, those of topologies left out; N stands for the number of a table.
    pub(super) fn homes(&self, name: &str) -> Vec<String> {
        let order = ["", "flow", "outage", "mobility", "series"].into_iter().chain(ENGINE_SECTIONS.iter().copied());
        let many = |table: &str| self.tables.iter().any(|known| known.name == table && known.many);
        let places: Vec<(String, &[Key])> = order
            .map(|table| match table {
                "" => (String::new(), self.table("")),
                _ if many(table) => (format!("{table}.N."), self.table(table)),
                _ => (format!("{table}."), self.table(table)),
            })
            .collect();
        // Inner tables of a flow repeat keys of [tcp] and of the flow: to name them as well would double the message.
        let inner = places.iter().filter(|(at, _)| at != "flow.N.").flat_map(|(at, keys)| {
            keys.iter()
                .filter(|key| !key.fields.is_empty())
                .map(move |key| (format!("{at}{}.", key.name), &key.fields[..]))
        });
        let inner: Vec<(String, &[Key])> = inner.collect();
        let has = |(_, keys): &&(String, &[Key])| keys.iter().any(|key| key.name == name);
        places.iter().chain(&inner).filter(has).map(|(at, _)| format!("{at}{name}")).collect()
    }
}

/// The defaults of keys, null where there is none; tables have none.
pub(super) fn defaults(keys: &[Key]) -> Values {
    let plain = keys.iter().filter(|key| key.kind != Kind::Table);
    plain.map(|key| (key.name.clone(), key.default.clone())).collect()
}
