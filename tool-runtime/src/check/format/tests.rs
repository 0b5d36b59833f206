use super::admits;

#[track_caller]
fn check(format: &str, admitted: &[&str], refused: &[&str]) {
    for text in admitted {
        assert!(admits(format, text), "{format} admits {text:?}");
    }
    for text in refused {
        assert!(!admits(format, text), "{format} refuses {text:?}");
    }
}

#[test]
fn date() {
    check(
        "date",
        &[
            "2026-01-31",
            "2024-02-29",
            "2000-02-29",
            "0000-02-29",
            "0000-01-01",
            "9999-12-31",
            "2026-04-30",
        ],
        &[
            "",
            "2026-02-29",
            "2100-02-29",
            "1900-02-29",
            "2024-02-30",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "2026-01-32",
            "2026-1-01",
            "26-01-01",
            "+2026-01-01",
            "-2026-01-01",
            "12026-01-01",
            "20260131",
            "2026-01-31Z",
            " 2026-01-31",
            "2026-01-31 ",
            "2026-01-31T00:00:00Z",
            "2026/01/31",
            "2026-W05-6",
            "2026-031",
            "२०२६-01-31",
            "2026-01-3१",
        ],
    );
}

#[test]
fn time() {
    check(
        "time",
        &[
            "00:00:00Z",
            "23:59:59Z",
            "12:00:00z",
            "12:00:00.5Z",
            "12:00:00.123456789012345Z",
            "12:00:00+00:00",
            "12:00:00-00:00",
            "12:00:00+23:59",
            "23:59:60Z",
            "23:59:60.9z",
            "23:59:60+00:00",
            "15:59:60-08:00",
            "00:29:60+00:30",
            "01:29:60+01:30",
            "00:00:60+00:01",
        ],
        &[
            "",
            "12:00:00",
            "12:00Z",
            "24:00:00Z",
            "12:60:00Z",
            "12:00:61Z",
            "22:59:60Z",
            "23:58:60Z",
            "23:59:60+01:00",
            "23:59:60-08:00",
            "12:00:00.Z",
            "12:00:00,5Z",
            "12:00:00+24:00",
            "12:00:00+01:60",
            "12:00:00+0100",
            "12:00:00+01",
            "12:00:00+1:00",
            "12:00:00 Z",
            "12:00:00ZZ",
            "1:00:00Z",
            "12-00-00Z",
            "T12:00:00Z",
            "12:00:00−01:00",
            "१2:00:00Z",
        ],
    );
}

#[test]
fn date_time() {
    check(
        "date-time",
        &[
            "2026-01-31T12:00:00Z",
            "2026-01-31t12:00:00z",
            "2026-01-31T12:00:00.000+05:30",
            "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00",
            "1991-01-01T00:59:60+01:00",
            "2024-02-29T00:00:00-00:00",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
        ],
        &[
            "",
            "2026-01-01T24:00:00Z",
            "2100-02-29T12:00:00Z",
            "2026-01-31 12:00:00Z",
            "2026-01-31T12:00:00",
            "2026-01-31T12:00Z",
            "2026-01-31",
            "2026-01-31T",
            "12:00:00Z",
            "1990-12-31T22:59:60Z",
            "1990-12-31T23:59:61Z",
            "2026-01-31T12:00:00+25:00",
            "2026-01-31TT12:00:00Z",
            "2026-01-31T12:00:00Z ",
            "20260131T120000Z",
            "2026-01-31T12:00:00 +01:00",
            "2026-01-3éT12:00:00Z",
        ],
    );
}

#[test]
fn duration() {
    check(
        "duration",
        &[
            "P1Y",
            "P1Y2M3DT4H5M6S",
            "P1M",
            "P3D",
            "PT1H",
            "PT1M",
            "PT1S",
            "PT36H",
            "P0D",
            "P4W",
            "P1Y2M",
            "P1M2D",
            "P1DT12H",
            "PT1H30M",
            "P1YT1M",
            "P007D",
            "p1dt2h",
        ],
        &[
            "", "P", "PT", "P1", "1D", "P1DT", "P1Y2D", "PT1H6S", "P2D1Y", "P1D1D", "P1W1D",
            "P1Y1W", "PT1D", "P1H", "P1S", "P1.5D", "PT0.5S", "P-1D", "-P1D", "+P1D", "P 1D",
            "P1D ", "PD", "P1YMT1H", "PT1HT1M", "P1WT1H", "P१D",
        ],
    );
}

#[test]
fn email() {
    let local = "a".repeat(64);
    let label = "b".repeat(63);
    let long = format!("{label}.{label}.{label}.{label}");
    check(
        "email",
        &[
            "a@b",
            "joe.bloggs@example.com",
            "te~st@example.com",
            "!#$%&'*+-/=?^_`{|}~@x.y",
            "\"joe bloggs\"@example.com",
            "\"joe..bloggs\"@example.com",
            "\"joe@bloggs\"@example.com",
            "\"\"@example.com",
            r#""a\"b"@example.com"#,
            r#""a\\"@example.com"#,
            "a@1.2",
            "joe@[127.0.0.1]",
            "joe@[127.0.0.001]",
            "joe@[IPv6:::1]",
            "joe@[ipv6:1:2:3:4:5:6:7:8]",
            "joe@[IPv6:1:2:3:4:5:6::]",
            "a@xn--bcher-kva.example",
            &format!("{local}@b"),
            &format!("a@{label}"),
            &format!("a@{long}"),
        ],
        &[
            "",
            "@",
            "a",
            "a@",
            "@b",
            "a@b@c",
            ".a@b",
            "a.@b",
            "a..b@c",
            "a b@c",
            "a@b c",
            "a@b.",
            "a@.b",
            "a@b..c",
            "a@-b",
            "a@b-",
            "a@b_c",
            "a@bé",
            "é@b",
            "joe@[127.0.0.300]",
            "joe@[127.0.0]",
            "joe@[::1]",
            "joe@[IPv6:1:2:3:4:5:6:7::]",
            "joe@[IPv6:::1%eth0]",
            "joe@[1.2.3.4",
            "joe@1.2.3.4]",
            "joe@[x:y]",
            "\"a@b",
            "a\"@b",
            "\"a\"b@c",
            "\"a\"\"@b",
            "\"a\\\"@b",
            "\"a\nb\"@c",
            "\"é\"@b",
            "a@b,c",
            "Joe <a@b>",
            "a@b (c)",
            " a@b",
            "a@b ",
            &format!("{local}a@b"),
            &format!("a@{label}b"),
            &format!("a@{long}.b"),
        ],
    );
}

#[test]
fn hostname() {
    let label = "a".repeat(63);
    let longest = format!("{label}.{label}.{label}.{}", "a".repeat(61));
    check(
        "hostname",
        &[
            "a",
            "localhost",
            "www.example.com",
            "EXAMPLE.com",
            "3com.com",
            "a-b.c--d",
            "1",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.a",
            "xn--4gbwdl.xn--wgbh1c",
            &label,
            &longest,
        ],
        &[
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "-a",
            "a-",
            "a.-b",
            "a-.b",
            "a_b",
            "a b",
            "a\n",
            "é.de",
            "1.2.3.4",
            "999.1.1.1",
            "::1",
            "a:80",
            "http://a",
            "a/b",
            "a。b",
            &format!("{label}a"),
            &format!("{longest}a"),
        ],
    );
}

#[test]
fn ipv4() {
    check(
        "ipv4",
        &["0.0.0.0", "127.0.0.1", "255.255.255.255", "1.2.3.4"],
        &[
            "",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.04",
            "1.2.3.00",
            "0x7f.0.0.1",
            "1.2.3.-4",
            "1.2.3.+4",
            "1.2.3.",
            ".1.2.3",
            "1..2.3",
            " 1.2.3.4",
            "1.2.3.4 ",
            "1.2.3.4/8",
            "2130706433",
            "1.2.3.४",
            "::1",
        ],
    );
}

#[test]
fn ipv6() {
    check(
        "ipv6",
        &[
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7:8",
            "::ffff:1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "ABCD::abcd",
            "0001::",
            "1::2:3:4:5:6:7",
        ],
        &[
            "",
            ":",
            ":::",
            "1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:8:9",
            "1:2:3:4::5:6:7:8",
            "1::2::3",
            "12345::",
            "g::",
            "::ffff:1.2.3.04",
            "::ffff:1.2.3",
            "::1.2.3.4:5",
            "1.2.3.4::",
            "fe80::1%eth0",
            "fe80::1%1",
            "[::1]",
            "::1/64",
            " ::1",
            "::1 ",
            ":1:2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:",
            "-1::",
        ],
    );
}

const URIS: &[&str] = &[
    "http://example.com",
    "http://example.com/a/b?c=d&e#f",
    "HTTPS://user:pw@host:8080/",
    "a:",
    "a:b",
    "urn:isbn:0451450523",
    "mailto:a@b.c",
    "tel:+1-816-555-1212",
    "file:///etc/hosts",
    "http://",
    "http:///a",
    "http://a:",
    "http://@a",
    "http://[::1]:80/",
    "http://[::ffff:1.2.3.4]",
    "http://[v1.a:b]",
    "http://1.2.3.04",
    "a:/b",
    "a:b//c",
    "a+b-c.1:d",
    "http://a/%C3%A9%20",
    "http://a%20b",
    "http://a?b?c/d",
    "http://a#b?c/d",
    "http://a//b///",
    "a:?",
    "a:#",
    "http://a/!$&'()*+,;=:@-._~",
    "news:comp.x",
    "ldap://[2001:db8::7]/c=GB?objectClass?one",
];

const RELATIVE_REFERENCES: &[&str] = &[
    "",
    "a",
    "/",
    "//",
    "//a",
    "//a:80/b?c#d",
    "/a:b",
    "./a:b",
    "a/b:c",
    "?",
    "?a",
    "#",
    "#a",
    "..",
    "../a",
    "a//b",
    "%41",
    "a?b:c",
    "#b:c",
    "@",
    "*",
    "//[::1]",
];

const NO_REFERENCES: &[&str] = &[
    ":",
    ":a",
    "1a:b",
    "-a:b",
    "a_b:c",
    "a b:c",
    "é:a",
    "http://a b",
    "http://a/ b",
    "http://a/é",
    "http://é",
    "http://a/%",
    "http://a/%4",
    "http://a/%4g",
    "http://a/%é1",
    "http://a/%%41",
    "%",
    "a#b#c",
    "##",
    "http://a/[b]",
    "http://a?[b]",
    "http://a/<b>",
    "http://a/\"",
    "http://a\\b",
    "http://a/{b}",
    "http://a/b|c",
    "http://a/^",
    "http://a/`",
    "http://a:b",
    "http://a:80:80",
    "http://a@b@c",
    "http://[::1",
    "http://::1]",
    "http://[::1]a",
    "http://a[::1]",
    "http://[]",
    "http://[1.2.3.4]",
    "http://[fe80::1%25eth0]",
    "http://[v.a]",
    "http://[v1.]",
    "http://[vg.a]",
    "http://[v1.%41]",
    "http://u[@a",
    "http://a\n",
    "//a:b",
    "%3a:b",
    "//[::1]]",
];

#[test]
fn uri() {
    check("uri", URIS, &[]);
    check("uri-reference", URIS, &[]);
    check("uri", &[], RELATIVE_REFERENCES);
    check("uri-reference", RELATIVE_REFERENCES, &[]);
    check("uri", &[], NO_REFERENCES);
    check("uri-reference", &[], NO_REFERENCES);
}

#[test]
fn uuid() {
    check(
        "uuid",
        &[
            "00000000-0000-0000-0000-000000000000",
            "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "2EB8AA08-AA98-11EA-B4AA-73B441D16380",
            "2Eb8aA08-aa98-11ea-b4Aa-73b441d16380",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
        &[
            "",
            "2eb8aa08aa9811eab4aa73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
            "2eb8aa08-aa98-11ea-b4aa-73b441d163800",
            "2eb8aa0-8aa98-11ea-b4aa-73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d16380-",
            "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
            "urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
            "2eb8aa08_aa98_11ea_b4aa_73b441d16380",
            " 2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "2eb8aa08-aa98-11ea-b4aa-73b441d1638é",
            "----",
        ],
    );
}

#[test]
fn json_pointer() {
    check(
        "json-pointer",
        &[
            "", "/", "/a", "/a/b", "//", "/a//b", "/~0", "/~1", "/~01", "/~0~1", "/a~1b/0", "/é",
            "/ ", "/%", "/\"\\", "/#", "/\0",
        ],
        &[
            "a", "a/b", "#", "#/a", "/~", "/~2", "/a~", "/~~0", "/~/a", "/a/~a", " /a", "0",
            "/~0~", "/~é",
        ],
    );
}

#[test]
fn what_is_not_known_admits_everything() {
    for format in ["", "regex", "iri", "idn-email", "Date", "color", "uuid4"] {
        assert!(admits(format, "["), "{format}");
    }
}
