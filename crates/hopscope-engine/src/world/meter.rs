//! Link layers that measure the use of the channel receive frames.

use super::World;
use crate::record::Recorder;
use hopscope_mac::dcf::Frame;
use hopscope_phy::phy::Arrival;

impl<R: Recorder> World<R> {
    /// Layers that measure the use of the channel learn of a frame: its sender, and those that sense it unless the
    /// channel varies, where it is reported copy by copy.
    pub(super) fn meter(&mut self, frame: &Frame) {
        if !self.wiring.metered {
            return;
        }
        let now = self.now;
        if let Some(layer) = &mut self.wifi[frame.src].port.layer {
            layer.on_air(now, now + frame.airtime);
        }
        // Then `transmit_through_channel` has reported each copy, which may be too weak to be sensed.
        if !(self.channel.is_plain() && self.outages.never()) {
            return;
        }
        for link in self.medium.hearers(frame.src) {
            if link.flags & Arrival::SENSED == 0 {
                continue;
            }
            if let Some(layer) = &mut self.wifi.at(link.place).port.layer {
                let start = now + link.delay();
                let mine = link.to == frame.dst && link.flags & Arrival::DECODABLE != 0;
                layer.on_sensed(start, start + frame.airtime, mine);
            }
        }
    }
}
