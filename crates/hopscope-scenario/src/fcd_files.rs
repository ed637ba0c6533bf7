//! Floating car data of SUMO (`--fcd-output`): XML with the places of vehicles and persons at time steps.
//!
//! Numbers of nodes are given in the order in which the file names them first. A vehicle is there from its first time
//! step on, up to the first step without it; outside of that its radio is off. Between two steps it goes straight; one
//! that comes back begins where it is then.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::columns::{Fault, finite, nanoseconds, shown};
use crate::movement_files::{Movement, Off, Path};
use crate::near::Position;
use crate::read::LONGEST_S;

/// What moves, by the name of its element.
const MOVERS: [&[u8]; 2] = [b"vehicle", b"person"];

/// One vehicle.
struct Track {
    path: Path,
    /// Number of the step that named it last.
    step: usize,
}

#[derive(Default)]
struct Tracks {
    numbers: BTreeMap<String, usize>,
    all: Vec<Track>,
    off: Vec<Off>,
    /// Nanoseconds of the time steps.
    steps: Vec<u64>,
}

/// The movement in the text of a file.
///
/// # Errors
/// It is no floating car data, or a vehicle has a height; the message names the file, `name`, and the line.
pub fn movement(text: &str, name: &str) -> Result<Movement, Fault> {
    let mut reader = Reader::from_str(text);
    // By name, since `depth` only counts them.
    reader.config_mut().check_end_names = true;
    let mut tracks = Tracks::default();
    let (mut line, mut counted, mut depth, mut is_fcd) = (1, 0, 0_usize, false);
    loop {
        let event = reader.read_event();
        let at = (reader.buffer_position() as usize).min(text.len());
        // Counted on from the last event: from the beginning each time, a long file would take the square of its
        // length.
        line += text.as_bytes()[counted.min(at)..at].iter().filter(|byte| **byte == b'\n').count();
        counted = counted.max(at);
        let wrong = |why: String| format!("{name}:{line}: {why}");
        match event.map_err(|error| wrong(format!("is no XML: {error}")))? {
            Event::Eof if depth > 0 => return Err(wrong("the file ends within an element".to_string())),
            Event::Eof => break,
            Event::Start(element) => {
                is_fcd |= depth == 0 && element.name().as_ref() == b"fcd-export";
                depth += 1;
                tracks.element(&element, is_fcd).map_err(wrong)?;
            }
            Event::Empty(element) => tracks.element(&element, is_fcd).map_err(wrong)?,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Text(text) if text.iter().any(|byte| !byte.is_ascii_whitespace()) => {
                return Err(wrong("found text; expected elements <timestep> and <vehicle>".to_string()));
            }
            Event::Comment(comment) => {
                let comment = String::from_utf8_lossy(&comment);
                // SUMO writes its options into a comment at the top; nothing else shows that numbers are degrees.
                if comment.contains("<fcd-output.geo value=\"true\"") {
                    return Err(wrong(
                        "its places are longitudes and latitudes (fcd-output.geo); expected metres".to_string(),
                    ));
                }
            }
            _ => {}
        }
    }
    tracks.finish(name)
}

/// An attribute of an element.
fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let found = element.try_get_attribute(name).map_err(|error| format!("is no XML: {error}"))?;
    found
        .map(|value| {
            value.unescape_value().map(|text| text.into_owned()).map_err(|error| format!("is no XML: {error}"))
        })
        .transpose()
}

fn number(element: &BytesStart<'_>, name: &str) -> Result<Option<f64>, String> {
    let Some(text) = attribute(element, name)? else { return Ok(None) };
    finite(&text).map(Some).ok_or_else(|| format!("{} for {name}; expected a number", shown(&text)))
}

impl Tracks {
    fn element(&mut self, element: &BytesStart<'_>, is_fcd: bool) -> Result<(), String> {
        let name = element.name();
        let shown_name = String::from_utf8_lossy(name.as_ref()).into_owned();
        if !is_fcd {
            return Err(format!("found <{shown_name}>; expected <fcd-export>"));
        }
        match name.as_ref() {
            b"fcd-export" => Ok(()),
            b"timestep" => {
                let seconds = number(element, "time")?.ok_or("found <timestep> without time")?;
                if !(0.0..=LONGEST_S as f64 / 2.0).contains(&seconds) {
                    return Err(format!("found {seconds} s; expected a time of at least 0 s"));
                }
                let at = nanoseconds(seconds);
                if self.steps.last().is_some_and(|last| *last >= at) {
                    return Err(format!("found {seconds} s, which does not come after the step before"));
                }
                self.steps.push(at);
                Ok(())
            }
            mover if MOVERS.contains(&mover) => self.seen(element, &shown_name),
            _ => Err(format!("<{shown_name}> is not followed; expected <timestep>, <vehicle> and <person>")),
        }
    }

    fn seen(&mut self, element: &BytesStart<'_>, kind: &str) -> Result<(), String> {
        let missing = |name: &str| format!("found <{kind}> without {name}");
        let id = attribute(element, "id")?.ok_or_else(|| missing("id"))?;
        let [x, y, z] = ["x", "y", "z"].map(|name| number(element, name));
        let place = [x?.ok_or_else(|| missing("x"))?, y?.ok_or_else(|| missing("y"))?];
        if let Some(height) = z?.filter(|height| *height != 0.0) {
            return Err(format!("found a height of {height} m; movement in three dimensions is not simulated"));
        }
        let step = self.steps.len().checked_sub(1).ok_or_else(|| format!("found <{kind}> outside of a <timestep>"))?;
        // In the order of appearance, not of names: SUMO's ids are no numbers, and `veh10` sorts before `veh2`.
        let node = *self.numbers.entry(id).or_insert(self.all.len());
        let now = self.steps[step];
        let Some(track) = self.all.get_mut(node) else {
            self.all.push(Track { path: vec![(now, place)], step });
            // Before its first step it stands where it will appear, with its radio off: an outage, not a jump.
            if now > 0 {
                self.off.push(Off { node, from: 0, to: Some(now) });
            }
            return Ok(());
        };
        if track.step == step {
            return Err(format!("found <{kind}> twice in one time step"));
        }
        if track.step + 1 < step {
            self.off.push(Off { node, from: self.steps[track.step + 1], to: Some(now) });
            // It waits where it was seen last and is at its new place at once: a straight way would take it through
            // the field.
            let last = track.path.last().map_or(place, |(_, place)| *place);
            track.path.push((now, last));
        }
        track.path.push((now, place));
        track.step = step;
        Ok(())
    }

    fn finish(mut self, name: &str) -> Result<Movement, Fault> {
        if self.all.is_empty() {
            return Err(format!("{name}: holds no vehicle"));
        }
        for (node, track) in self.all.iter().enumerate() {
            // One that the last step still names is there up to the end of the run.
            if let Some(&from) = self.steps.get(track.step + 1) {
                self.off.push(Off { node, from, to: None });
            }
        }
        let first = self.steps.first().copied();
        let paths = self.all.into_iter().map(|track| track.path).collect();
        Ok(Movement { paths, off: self.off, first, other: None })
    }
}

/// Where nothing moves and everything is there: the places.
pub fn places(movement: Movement) -> Option<Vec<Position>> {
    let rests = |path: &Path| path.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let is_still = movement.off.is_empty() && movement.paths.iter().all(rests);
    is_still.then(|| movement.paths.iter().filter_map(|path| path.first()).map(|(_, place)| *place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    const FCD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- generated by hand, in the form of SUMO 1.20 -->
<fcd-export xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
    <timestep time="0.00">
        <vehicle id="a" x="0.00" y="1.60" angle="90.00" type="t" speed="10.00" pos="5.10" lane="e_0" slope="0.00"/>
    </timestep>
    <timestep time="1.00">
        <vehicle id="a" x="10.00" y="1.60" z="0.00"/>
        <vehicle id="late &amp; short" x="5.00" y="0.00"></vehicle>
    </timestep>
    <timestep time="2.00">
        <vehicle id="a" x="20.00" y="1.60"/>
    </timestep>
    <timestep time="3.00"/>
    <timestep time="4.00">
        <vehicle id="a" x="50.00" y="1.60"/>
        <person id="p" x="1.00" y="1.00"/>
    </timestep>
</fcd-export>
"#;

    #[test]
    fn a_vehicle_is_there_from_its_first_step_to_the_first_without_it() {
        let found = movement(FCD, "f").expect("movement");
        let a =
            vec![(0, [0.0, 1.6]), (S, [10.0, 1.6]), (2 * S, [20.0, 1.6]), (4 * S, [20.0, 1.6]), (4 * S, [50.0, 1.6])];
        assert_eq!(found.paths, [a, vec![(S, [5.0, 0.0])], vec![(4 * S, [1.0, 1.0])]]);
        let off = |node, from, to: Option<u64>| Off { node, from: from * S, to: to.map(|to| to * S) };
        assert_eq!(found.off, [off(1, 0, Some(1)), off(0, 3, Some(4)), off(2, 0, Some(4)), off(1, 2, None)]);
        assert_eq!(found.first, Some(0));
    }

    #[test]
    fn what_is_no_floating_car_data_is_refused_with_its_line() {
        let fault = |old: &str, new: &str| movement(&FCD.replacen(old, new, 1), "f").expect_err(new);
        assert_eq!(fault("x=\"0.00\"", "x=\"far\""), "f:5: found \"far\" for x; expected a number");
        assert_eq!(fault("y=\"1.60\"", ""), "f:5: found <vehicle> without y");
        assert_eq!(fault("id=\"a\"", ""), "f:5: found <vehicle> without id");
        assert_eq!(fault("id=\"late &amp; short\"", "id=\"a\""), "f:9: found <vehicle> twice in one time step");
        assert_eq!(
            fault("z=\"0.00\"", "z=\"3\""),
            "f:8: found a height of 3 m; movement in three dimensions is not simulated"
        );
        assert_eq!(fault("time=\"1.00\"", "time=\"00:00:01\""), "f:7: found \"00:00:01\" for time; expected a number");
        assert_eq!(fault("time=\"1.00\"", "time=\"0\""), "f:7: found 0 s, which does not come after the step before");
        assert_eq!(
            fault("<person ", "<tram "),
            "f:17: <tram> is not followed; expected <timestep>, <vehicle> and <person>"
        );
        assert_eq!(fault("fcd-export", "routes"), "f:3: found <routes>; expected <fcd-export>");
        assert!(fault("</timestep>", "</step>").starts_with("f:6: is no XML"));
        assert!(
            fault("generated by hand", "<fcd-output.geo value=\"true\"/>")
                .starts_with("f:2: its places are longitudes")
        );
        let cut = &FCD[..FCD.find("<timestep time=\"1").expect("a step")];
        assert_eq!(movement(cut, "f"), Err("f:7: the file ends within an element".to_string()));
        let cut = &FCD[..FCD.find("speed").expect("an attribute")];
        assert!(movement(cut, "f").expect_err("cut").contains("is no XML"));
        assert_eq!(movement("<fcd-export></fcd-export>", "f"), Err("f: holds no vehicle".to_string()));
    }

    #[test]
    fn entities_are_not_expanded() {
        let bomb = "<!DOCTYPE f [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>".to_string();
        let text = FCD.replace("id=\"a\"", "id=\"&b;\"").replacen("<fcd-export", &(bomb + "<fcd-export"), 1);
        assert!(movement(&text, "f").expect_err("refused").contains("is no XML"));
    }
}
