use crate::decode::Arena;
use crate::decode::Json;

fn float(text: &str) -> f64 {
    Json::new(text, &Arena::new())
        .float()
        .unwrap_or(f64::INFINITY)
}

#[test]
fn floats_are_those_of_the_standard_library() {
    let table = [
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "-1",
        "0.1",
        "0.3",
        "2.5",
        "1e3",
        "1.5E-7",
        "59.31",
        "123456789012345",
        "1234567890123456",
        "9007199254740993",
        "0.00000000000001",
        "-99999999999.999",
        "12345678.9012345",
        "1e400",
        "4.9e-324",
    ];
    for text in table {
        assert_eq!(
            text.parse().map(f64::to_bits),
            Ok(float(text).to_bits()),
            "{text}"
        );
    }
    for value in 0..100_000_u64 {
        let digits = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
        let text = format!("{}.{}", digits % 100_000, digits / 100_000 % 100_000_000);
        assert_eq!(
            text.parse().map(f64::to_bits),
            Ok(float(&text).to_bits()),
            "{text}"
        );
    }
}
