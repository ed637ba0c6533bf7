#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| hopscope_fuzz::script(text));
