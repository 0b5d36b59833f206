//! Types of std, and of `serde_json`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{
    NonZeroI8, NonZeroI64, NonZeroI128, NonZeroU8, NonZeroU32, NonZeroUsize, Saturating, Wrapping,
};
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::schemas::enums::Speed;
use crate::schemas::row::{Row, rows};
use crate::schemas::structs::Point;

pub(crate) fn rows() -> Vec<Row> {
    rows! {
        u8 => "[0, 255, 1.0, 1e2]", "[-1, 256, 1.5, \"1\", null, [1], true]";
        u16 => "[0, 65535]", "[-1, 65536]";
        u32 => "[0, 4294967295]", "[-1, 4294967296]";
        u64 => "[0, 18446744073709551615]", "[-1, 18446744073709551616]";
        u128 => "[0, 18446744073709551615]", "[-1]";
        usize => "[0, 7]", "[-1]";
        i8 => "[-128, 127]", "[-129, 128]";
        i16 => "[-32768, 32767]", "[-32769, 32768]";
        i32 => "[-2147483648, 2147483647]", "[-2147483649, 2147483648]";
        i64 => "[-9223372036854775808, 9223372036854775807]", "[9223372036854775808]";
        i128 => "[-1, 1]", "[\"1\"]";
        isize => "[-7, 7]", "[\"7\"]";
        f32 => "[0, 1.5, -3e38]", "[1e40, \"1\", null]";
        f64 => "[0, 1.5, 1e300]", "[\"1\", null]";
        bool => "[true, false]", "[\"true\", 1, null]";
        char => "[\"a\", \"é\"]", "[\"\", \"ab\", 1]";
        String => "[\"\", \"text\"]", "[1, null, [\"a\"]]";
        &str => "[\"text\"]", "[1]";
        Cow<'_, str> => "[\"text\"]", "[1]";
        Box<str> => "[\"text\"]", "[1]";
        Arc<str> => "[\"text\"]", "[1]";
        Box<u8> => "[1]", "[256]";
        Rc<Vec<u8>> => "[[1]]", "[[256]]";
        Arc<[u8]> => "[[1]]", "[[256]]";
        Cow<'_, [u8]> => "[[1]]", "[[256]]";
        Cell<u8> => "[1]", "[256]";
        RefCell<u8> => "[1]", "[256]";
        Mutex<u8> => "[1]", "[256]";
        RwLock<u8> => "[1]", "[256]";
        Reverse<u8> => "[1]", "[256]";
        Wrapping<u8> => "[1]", "[256]";
        -no Saturating<u8> => "[1]", "[\"1\"]";
        PhantomData<u8> => "[null]", "[1]";
        Option<u32> => "[1, null]", "[\"1\", -1]";
        Option<String> => "[\"a\", null]", "[1]";
        Option<bool> => "[true, null]", "[1]";
        Option<Point> => "[{\"x\":1,\"y\":2}, null]", "[{}, {\"x\":1}]";
        Option<Speed> => "[\"fast\", null]", "[\"Fast\"]";
        Option<Vec<u8>> => "[[1], null]", "[1]";
        Option<Option<u8>> => "[1, null]", "[256]";
        Option<Value> => "[1, null, {}]", "[]";
        Option<()> => "[null]", "[1]";
        Option<(u8, String)> => "[[1, \"a\"], null]", "[[1]]";
        Option<HashMap<String, u8>> => "[{\"a\":1}, null]", "[{\"a\":256}]";
        Result<u8, String> => "[{\"Ok\":1}, {\"Err\":\"no\"}]", "[1, {\"Ok\":1,\"Err\":\"no\"}, {}]";
        Vec<u8> => "[[], [1, 2]]", "[[256], {}, \"a\"]";
        Vec<Option<u8>> => "[[1, null]]", "[[\"a\"]]";
        Vec<Vec<String>> => "[[[\"a\"], []]]", "[[\"a\"]]";
        Vec<Point> => "[[{\"x\":1,\"y\":2}]]", "[[[1, 2]]]";
        Vec<Value> => "[[1, \"a\", null]]", "[{}]";
        VecDeque<u8> => "[[1]]", "[[256]]";
        LinkedList<u8> => "[[1]]", "[[256]]";
        BinaryHeap<u8> => "[[1]]", "[[256]]";
        HashSet<u8> => "[[1, 2]]", "[[256], [1, 1]]";
        BTreeSet<String> => "[[\"a\", \"b\"]]", "[[1], [\"a\", \"a\"]]";
        [u8; 0] => "[[]]", "[[1]]";
        [u8; 3] => "[[1, 2, 3]]", "[[1, 2], [1, 2, 3, 4]]";
        [Point; 2] => "[[{\"x\":1,\"y\":2}, {\"x\":1,\"y\":2}]]", "[[]]";
        (u8,) => "[[1]]", "[[], [1, 2], 1]";
        (u8, String) => "[[1, \"a\"]]", "[[1], [\"a\", 1], [1, \"a\", 2]]";
        (f64, f64) => "[[1, 2]]", "[[1]]";
        -no (u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8)
            => "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]]", "[[0]]";
        () => "[null]", "[{}, []]";
        HashMap<String, u32> => "[{}, {\"a\":1}]", "[{\"a\":-1}, []]";
        HashMap<String, Value> => "[{}, {\"a\":null}]", "[[]]";
        BTreeMap<String, Vec<Point>> => "[{\"a\":[{\"x\":1,\"y\":2}]}]", "[{\"a\":[1]}]";
        HashMap<u32, String> => "[{\"0\":\"a\",\"10\":\"b\"}]", "[{\"a\":\"b\"}, {\"-1\":\"b\"}, {\"01\":\"b\"}]";
        BTreeMap<i64, u8> => "[{\"-1\":1,\"0\":2}]", "[{\"-0\":1}, {\"1.0\":1}]";
        BTreeMap<Speed, u8> => "[{}, {\"slow\":1}]", "[{\"Slow\":1}, {\"slow\":256}]";
        -no HashMap<char, u8> => "[{\"a\":1}]", "[{\"ab\":1}]";
        -no HashMap<bool, u8> => "[{\"true\":1}]", "[{\"yes\":1}]";
        NonZeroU8 => "[1, 255]", "[0, 256]";
        NonZeroU32 => "[1]", "[0]";
        NonZeroUsize => "[1]", "[0]";
        NonZeroI8 => "[-1, 1]", "[0, 128]";
        NonZeroI64 => "[-1, 1]", "[0]";
        NonZeroI128 => "[-1, 1]", "[0]";
        Duration => "[{\"secs\":1,\"nanos\":5}]", "[1, {\"secs\":1}, {\"secs\":-1,\"nanos\":0}]";
        SystemTime => "[{\"secs_since_epoch\":910692730084,\"nanos_since_epoch\":5}]", "[1, {\"secs_since_epoch\":910692730085,\"nanos_since_epoch\":5}]";
        Range<u8> => "[{\"start\":1,\"end\":5}]", "[{\"start\":1}, [1, 5]]";
        RangeInclusive<u8> => "[{\"start\":1,\"end\":5}]", "[{\"start\":1}]";
        -no RangeFrom<u8> => "[{\"start\":1}]", "[{}]";
        -no RangeTo<u8> => "[{\"end\":1}]", "[{}]";
        Bound<u8> => "[\"Unbounded\", {\"Included\":1}, {\"Excluded\":1}]", "[1, {\"Included\":256}]";
        PathBuf => "[\"/tmp\"]", "[1]";
        Ipv4Addr => "[\"127.0.0.1\"]", "[\"::1\", 1]";
        Ipv6Addr => "[\"::1\"]", "[\"127.0.0.1\"]";
        IpAddr => "[\"127.0.0.1\", \"::1\"]", "[\"localhost\"]";
        SocketAddr => "[\"127.0.0.1:80\", \"[::1]:80\"]", "[80]";
        SocketAddrV4 => "[\"127.0.0.1:80\"]", "[80]";
        SocketAddrV6 => "[\"[::1]:80\"]", "[80]";
        Value => "[null, 1, [], {\"a\":1}]", "[]";
        Map<String, Value> => "[{}, {\"a\":1}]", "[[], null]";
        Number => "[1, 1.5]", "[\"1\"]";
        Box<RawValue> => "[null, 1, [], {\"a\":1}]", "[]";
    }
}
