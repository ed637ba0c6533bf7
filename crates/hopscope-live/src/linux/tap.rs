//! TAP devices: the kernel's end is a network interface, the other end gives and takes its Ethernet frames (Linux, tuntap.rst).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketType, socket};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::Device;

/// Where the kernel gives them out.
const SOURCE: &str = "/dev/net/tun";

/// Octets of a name with the zero at its end (IFNAMSIZ).
const NAME_SIZE: usize = 16;

/// An open TAP device. The interface is there as long as this is.
pub struct Tap {
    device: SyncDevice,
    name: String,
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tap").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tap {
    /// Makes an interface with a name in the network namespace of the calling thread, which is down and has no addresses.
    ///
    /// # Errors
    /// There are no TAP devices, they are not permitted, or there is an interface with the name already.
    pub fn open(name: &str) -> io::Result<Tap> {
        // A percent sign would have the kernel number the name.
        if name.is_empty()
            || name.len() >= NAME_SIZE
            || name.contains(['/', '%', '\0'])
            || name.contains(char::is_whitespace)
        {
            return Err(Errno::INVAL.into());
        }
        // Before the library looks, which makes the device node where it is missing.
        std::fs::metadata(SOURCE)?;
        let any = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
        // The kernel would attach to a TAP device that is there and free.
        if name_to_index(&any, name).is_ok() {
            return Err(Errno::EXIST.into());
        }
        let builder = DeviceBuilder::new().name(name).layer(Layer::L2).inherit_enable_state();
        let device = builder.build_sync()?;
        device.set_nonblocking(true)?;
        Ok(Tap { device, name: name.to_string() })
    }

    /// The name of the interface.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl AsFd for Tap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl Device for Tap {
    fn receive(&mut self, room: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(room) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.device.send(frame).map(|_| ())
    }
}
