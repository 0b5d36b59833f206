//! What is measured: groups of rows, each of which does the same work in another way.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context as TaskContext, Poll, Waker};

use toolwright::{Context, Encoder, ToolCall, Toolset};

use crate::tools;
use toolwright_benches_measure::arguments::{ADD, WEATHER, bad_order, index, order};
use toolwright_benches_measure::hand::{
    self, Add, Find, GetWeather, Index, LentFind, LentGetWeather, LentIndex, LentOrder, LentPay,
    Order, Pay,
};
use toolwright_benches_measure::{Group, ID, Row};

/// Collects the rows of a group.
struct Work {
    name: &'static str,
    set: Toolset,
    arguments: String,
    /// What every way answers; `None` for a call in which something is wrong.
    answer: Option<String>,
    rows: Vec<Row>,
}

impl Work {
    fn new(name: &'static str, set: &Toolset, arguments: impl Into<String>) -> Self {
        Self {
            name,
            set: set.clone(),
            arguments: arguments.into(),
            answer: None,
            rows: Vec::new(),
        }
    }

    fn row(mut self, name: &str, target: Option<f64>, run: impl Fn() + 'static) -> Self {
        let row = Row::again(format!("{}/{name}", self.name), run).target(target);
        self.rows.push(row);
        self
    }

    /// The two ways without us.
    fn by_hand(mut self, tool: &'static str) -> Self {
        self.answer = hand::call(tool, &self.arguments).ok();
        let (lent, owned) = (self.arguments.clone(), self.arguments.clone());
        self.row("HAND", None, move || {
            let _ = black_box(hand::call(black_box(tool), black_box(&lent)));
        })
        .row("HAND_OWNED", None, move || {
            let _ = black_box(hand::call_owned(black_box(tool), black_box(&owned)));
        })
    }

    /// From the arguments' text to the answer's.
    fn ours(self, row: &str, tool: &'static str, target: Option<f64>) -> Self {
        let (set, cx) = (self.set.clone(), Context::new());
        let call = ToolCall::new(ID, tool, &*self.arguments);
        let result = set.call_blocking(&call, &cx);
        match &self.answer {
            Some(answer) => assert_eq!(result.content(Encoder::auto()), *answer, "{tool}"),
            None => assert_eq!(result.errors().count(), 4, "{tool}"),
        }
        self.row(row, target, move || {
            let result = set.call_blocking(black_box(&call), &cx);
            black_box(&*result.content(Encoder::auto()));
        })
    }

    /// The same, polled once.
    fn polled(self, row: &str, tool: &'static str) -> Self {
        let (set, cx) = (self.set.clone(), Context::new());
        let call = ToolCall::new(ID, tool, &*self.arguments);
        self.row(row, None, move || {
            let answer = pin!(set.call(black_box(&call), &cx));
            let mut task = TaskContext::from_waker(Waker::noop());
            if let Poll::Ready(result) = answer.poll(&mut task) {
                black_box(&*result.content(Encoder::auto()));
            }
        })
    }

    /// The arguments alone, by hand.
    fn reads<T: for<'de> Reads<'de>, U: for<'de> Reads<'de>>(self) -> Self {
        let (lent, owned) = (self.arguments.clone(), self.arguments.clone());
        self.row("HAND", None, move || T::read(black_box(&lent)))
            .row("HAND_OWNED", None, move || U::read(black_box(&owned)))
    }

    /// The arguments alone.
    fn validates(self, row: &str, tool: &'static str) -> Self {
        self.validates_in(row, tool, None)
    }

    /// The same, in at most so many times what HAND takes.
    fn validates_in(self, row: &str, tool: &'static str, target: Option<f64>) -> Self {
        let (set, cx) = (self.set.clone(), Context::new());
        let call = ToolCall::new(ID, tool, &*self.arguments);
        self.row(row, target, move || {
            let _ = black_box(set.validate(black_box(&call), &cx));
        })
    }

    fn group(self) -> Group {
        Group(self.rows)
    }
}

/// A type with or without a lifetime, to be read as if it were called `T<'de>`.
trait Reads<'de> {
    fn read(arguments: &'de str);
}

macro_rules! reads {
    ($($as:ident $ty:ty;)*) => {$(
        struct $as;

        impl<'de> Reads<'de> for $as {
            fn read(arguments: &'de str) {
                let _ = black_box(serde_json::from_str::<$ty>(arguments));
            }
        }
    )*};
}

reads! {
    ReadAdd Add;
    ReadWeather GetWeather;
    ReadLentWeather LentGetWeather<'de>;
    ReadOrder Order;
    ReadLentOrder LentOrder<'de>;
    ReadIndex Index;
    ReadLentIndex LentIndex<'de>;
    ReadFind Find;
    ReadLentFind LentFind<'de>;
    ReadPay Pay;
    ReadLentPay LentPay<'de>;
}

const FIND: &str = r#"{"key": {"id": 1234567, "name": "Mary Somerville"}}"#;
const PAY: &str = r#"{"payment": {"type": "card", "number": "4242 4242 4242 4242", "check": 123}}"#;

/// The groups of calls.
pub(crate) fn groups() -> Vec<Group> {
    let set = tools::all();
    let work = |name, arguments: &str| Work::new(name, &set, arguments);
    let (order, bad) = (order(), bad_order());
    let (plain, escaped) = (index(false), index(true));
    vec![
        work("add", ADD)
            .by_hand("add")
            .ours("blocking", "add", Some(1.5))
            .polled("polled", "add")
            .polled("polled-async-fn", "add_later")
            .group(),
        work("weather", WEATHER)
            .by_hand("get_weather")
            .ours("blocking", "get_weather", Some(1.45))
            .polled("polled", "get_weather")
            .group(),
        work("order", &order)
            .by_hand("create_order")
            .ours("owned", "order_owned", Some(1.4))
            .ours("owned-bounded", "order_owned_bounded", Some(1.4))
            .ours("borrowed", "order_borrowed", Some(1.1))
            .ours("borrowed-bounded", "order_borrowed_bounded", Some(1.1))
            .polled("polled-borrowed-bounded", "order_borrowed_bounded")
            .group(),
        work("text", &plain)
            .by_hand("index_text")
            .ours("owned", "index_owned", Some(1.2))
            .ours("borrowed", "index_borrowed", Some(1.05))
            .group(),
        work("text-escaped", &escaped)
            .by_hand("index_text")
            .ours("owned", "index_owned", Some(1.2))
            .ours("borrowed", "index_borrowed", Some(1.05))
            .group(),
        work("untagged", FIND)
            .by_hand("find")
            .ours("owned", "find_owned", None)
            .ours("borrowed", "find_borrowed", None)
            .group(),
        work("tagged", PAY)
            .by_hand("pay")
            .ours("owned", "pay_owned", None)
            .ours("borrowed", "pay_borrowed", None)
            .group(),
        work("four-faults", &bad)
            .by_hand("create_order")
            .ours("borrowed-bounded", "order_borrowed_bounded", None)
            .group(),
        work("decode-add", ADD)
            .reads::<ReadAdd, ReadAdd>()
            .validates("ours", "add")
            .group(),
        work("decode-weather", WEATHER)
            .reads::<ReadLentWeather, ReadWeather>()
            .validates("ours", "get_weather")
            .group(),
        work("decode-order", &order)
            .reads::<ReadLentOrder, ReadOrder>()
            .validates("owned", "order_owned")
            .validates("owned-bounded", "order_owned_bounded")
            .validates("borrowed", "order_borrowed")
            .validates("borrowed-bounded", "order_borrowed_bounded")
            .group(),
        work("decode-text", &plain)
            .reads::<ReadLentIndex, ReadIndex>()
            .validates("owned", "index_owned")
            .validates("borrowed", "index_borrowed")
            .group(),
        work("decode-text-escaped", &escaped)
            .reads::<ReadLentIndex, ReadIndex>()
            .validates("owned", "index_owned")
            .validates("borrowed", "index_borrowed")
            .group(),
        work("decode-untagged", FIND)
            .reads::<ReadLentFind, ReadFind>()
            .validates_in("owned", "find_owned", Some(1.3))
            .validates_in("borrowed", "find_borrowed", Some(1.3))
            .group(),
        work("decode-tagged", PAY)
            .reads::<ReadLentPay, ReadPay>()
            .validates_in("owned", "pay_owned", Some(1.5))
            .validates_in("borrowed", "pay_borrowed", Some(1.5))
            .group(),
    ]
}
