use super::Decimal;

fn key_of(text: &str) -> String {
    let mut key = String::new();
    of(text).write_key(&mut key);
    key
}

fn of(text: &str) -> Decimal<'_> {
    Decimal::of(text).unwrap_or_else(|| panic!("{text} is a number"))
}

#[test]
fn what_is_no_json_number_has_no_value() {
    let table = [
        "",
        "-",
        "+1",
        ".5",
        "1.",
        "-.5",
        "01",
        "-01",
        "00",
        "1e",
        "1e+",
        "1e-",
        "1e1.5",
        "1ee1",
        "1.2.3",
        "0x10",
        "1_000",
        " 1",
        "1 ",
        "NaN",
        "Infinity",
        "-Infinity",
        "--1",
        "1e--1",
        "1.e5",
        "e5",
        "1,5",
        "१",
        "true",
        "\"1\"",
        "1e١",
    ];
    for text in table {
        assert!(Decimal::of(text).is_none(), "{text}");
    }
}

#[test]
fn the_key_is_the_value() {
    let long = format!("1{}", "0".repeat(1000));
    let long_fraction = format!("0.{}1", "0".repeat(999));
    let table = [
        ("0", "0"),
        ("-0", "0"),
        ("0.0", "0"),
        ("-0.000e17", "0"),
        ("0e99999999999999999999999999999999999999999999", "0"),
        ("1", "1e0"),
        ("1.0", "1e0"),
        ("10e-1", "1e0"),
        ("0.1e1", "1e0"),
        ("0.001E+3", "1e0"),
        (
            "1e00000000000000000000000000000000000000000000000000",
            "1e0",
        ),
        ("-1", "-1e0"),
        ("100", "1e2"),
        ("1e2", "1e2"),
        ("1E+2", "1e2"),
        ("1e02", "1e2"),
        ("10203", "10203e0"),
        ("-12.30e+1", "-123e0"),
        ("12.030", "1203e-2"),
        ("0.00120", "12e-4"),
        ("1e400", "1e400"),
        ("100e-402", "1e-400"),
        ("9007199254740993", "9007199254740993e0"),
        (long.as_str(), "1e1000"),
        (long_fraction.as_str(), "1e-1000"),
        ("1e99999999999999999999", "1e99999999999999999999"),
        ("10e99999999999999999998", "1e99999999999999999999"),
        ("1e-99999999999999999999", "1e-99999999999999999999"),
    ];
    for (text, key) in table {
        assert_eq!(key_of(text), key, "{text}");
    }
    let beyond = format!("1e{}", "9".repeat(1000));
    assert!(of(&beyond) > of("9e999999999"));
    assert!(of(&beyond).is_multiple_of(&of("1")));
    let below = format!("1e-{}", "9".repeat(1000));
    assert!(of(&below) > of("0") && of(&below) < of("1e-999999999"));
}

#[test]
fn numbers_are_ordered_by_value() {
    // Each is less than the next.
    let table = [
        "-1e99999999999999999999",
        "-1e400",
        "-18446744073709551616",
        "-100.1",
        "-1e2",
        "-99.999999999999999999999999999",
        "-1.1",
        "-1",
        "-0.99",
        "-1e-400",
        "0",
        "1e-99999999999999999999",
        "1e-400",
        "0.1",
        "0.10000000000000000000000000000000001",
        "0.11",
        "0.2",
        "0.99",
        "1.0",
        "1.00000000000000000000000000000001",
        "9.9e0",
        "10",
        "11",
        "99",
        "1e2",
        "100.5",
        "9007199254740992",
        "9007199254740993",
        "1e400",
        "1.5e400",
        "1e99999999999999999999",
    ];
    for (i, a) in table.iter().enumerate() {
        for (j, b) in table.iter().enumerate() {
            assert_eq!(of(a).cmp(&of(b)), i.cmp(&j), "{a} {b}");
        }
    }
}

#[test]
fn integers_and_multiples() {
    let integers = [
        ("0", true),
        ("-0.0", true),
        ("1.0", true),
        ("1e2", true),
        ("120e-1", true),
        ("1.5", false),
        ("15e-2", false),
        ("1.50e1", true),
        ("1e-99999999999999999999", false),
    ];
    for (text, expected) in integers {
        assert_eq!(of(text).is_multiple_of(&of("1")), expected, "{text}");
    }
    let wide = "123456789012345678901234567890123456789012345678901234567890";
    let table = [
        ("0", "3", true),
        ("0", "0.1", true),
        ("0", "0", true),
        ("1", "0", false),
        ("3", "3", true),
        ("-9", "3", true),
        ("9", "-3", true),
        ("10", "3", false),
        ("0.3", "0.1", true),
        ("0.35", "0.1", false),
        ("1.25", "0.5", false),
        ("1.5", "0.5", true),
        ("1.1", "0.01", true),
        ("0.0075", "0.0001", true),
        ("0.00751", "0.0001", false),
        ("4.2", "2.1", true),
        ("100", "1e2", true),
        ("50", "1e2", false),
        ("150", "100", false),
        ("1e300", "0.1", true),
        ("1e300", "1024", true),
        ("1e300", "3", false),
        ("1e9", "1024", false),
        ("1e10", "1024", true),
        ("3e99999999999999999999", "3", true),
        ("3e99999999999999999999", "7", false),
        ("1e-300", "1e-300", true),
        ("1e-300", "2e-300", false),
        ("1e400", "1e-400", true),
        ("9007199254740993", "2", false),
        ("18446744073709551616", "4294967296", true),
        ("1", "34028236692093846346337460743176821144", false),
        (
            "340282366920938463463374607431768211456",
            "18446744073709551616",
            true,
        ),
        (
            "680564733841876926926749214863536422912",
            "340282366920938463463374607431768211456",
            true,
        ),
        (
            "680564733841876926926749214863536422913",
            "340282366920938463463374607431768211456",
            false,
        ),
        (wide, wide, true),
        (
            "246913578024691357802469135780246913578024691357802469135780",
            wide,
            true,
        ),
        (
            "246913578024691357802469135780246913578024691357802469135781",
            wide,
            false,
        ),
        (
            "1e200",
            "1606938044258990275541962092341162602522202993782792835301376",
            true,
        ),
        (
            "1e199",
            "1606938044258990275541962092341162602522202993782792835301376",
            false,
        ),
    ];
    for (text, divisor, expected) in table {
        let found = of(text).is_multiple_of(&of(divisor));
        assert_eq!(found, expected, "{text} of {divisor}");
    }
}

/// Knuth's, which is random enough for a table.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// A number as some text for it, and a billion times its value.
    fn number(&mut self) -> (String, i128) {
        let digits = u32::try_from(self.below(9)).unwrap_or(0);
        let value = i128::from(self.below(10u64.pow(digits) * 2));
        let value = if self.below(2) == 0 { -value } else { value };
        let scale = i128::from(self.below(10)) - 9;
        let text = match self.below(3) {
            0 => format!("{value}e{scale}"),
            1 => format!("{value}.{}E{scale}", "0".repeat(1 + digits as usize)),
            _ => {
                let sign = if value < 0 { "-" } else { "" };
                let value = value.unsigned_abs();
                format!("{sign}{}.{:03}e{:+}", value / 1000, value % 1000, scale + 3)
            }
        };
        let power = u32::try_from(scale + 9).unwrap_or(0);
        (text, value * 10i128.pow(power))
    }
}

#[test]
fn random_numbers_behave_as_integers_do() {
    let mut random = Random(20_260_131);
    let mut multiples = 0;
    for _ in 0..50_000 {
        let (a, a_value) = random.number();
        let (b, b_value) = random.number();
        let (left, right) = (of(&a), of(&b));
        assert_eq!(left.cmp(&right), a_value.cmp(&b_value), "{a} {b}");
        assert_eq!(key_of(&a) == key_of(&b), a_value == b_value, "{a} {b}");
        assert_eq!(
            left.is_multiple_of(&of("1")),
            a_value % 1_000_000_000 == 0,
            "{a}"
        );
        let is_multiple = a_value == 0 || b_value != 0 && a_value % b_value == 0;
        assert_eq!(left.is_multiple_of(&right), is_multiple, "{a} {b}");
        multiples += usize::from(is_multiple);
        let digits: Vec<u8> = right.digits().collect();
        if b_value != 0 && left.exponent >= right.exponent {
            let zeros = usize::try_from(left.exponent - right.exponent).unwrap_or(0);
            let padded = left.digits().chain(std::iter::repeat_n(b'0', zeros));
            assert_eq!(
                super::divides_slowly(&digits, padded),
                is_multiple,
                "{a} {b}"
            );
        }
    }
    assert!(multiples > 1000, "{multiples}");
}
