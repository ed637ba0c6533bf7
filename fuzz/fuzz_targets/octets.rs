#![no_main]

libfuzzer_sys::fuzz_target!(|octets: &[u8]| hopscope_fuzz::octets(octets));
