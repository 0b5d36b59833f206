use std::process::ExitCode;

fn main() -> ExitCode {
    toolwright_benches_measure::main(&[peer_synaptic::groups])
}
