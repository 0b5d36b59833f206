fn main() {
    toolwright_benches_measure::count(&[peer_llm_tool::groups], |run| {
        let counted = allocation_counter::measure(run);
        (counted.count_total, counted.bytes_total)
    });
}
