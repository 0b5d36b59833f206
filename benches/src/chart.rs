//! The charts of the README: what a call costs in each library, and what the compiler costs. Bars begin at zero.

use std::fs;
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::compile::Table;
use crate::report::Report;

const WIDTH: i32 = 820;
/// Where the bars start, and how far the axis reaches.
const LEFT: i32 = 170;
const REACH: f64 = 560.0;
/// Heights: of a bar with what is around it, of a group's title, of its axis, and of what stands above all groups.
const BAR: i32 = 17;
const TITLE: i32 = 26;
const AXIS: i32 = 30;
const TOP: i32 = 40;
const OURS: RGBColor = RGBColor(208, 86, 40);
const THEIRS: RGBColor = RGBColor(120, 135, 150);
const GRID: RGBColor = RGBColor(128, 128, 129);
/// Stands for the page's colour of text, until [`for_dark_and_light`].
const INK: RGBColor = RGBColor(1, 2, 3);

/// Bars on an axis of their own.
struct Group {
    title: &'static str,
    /// A line across the bars, such as what code by hand takes.
    mark: Option<(f64, &'static str)>,
    decimals: usize,
    /// Without a number: not measured.
    bars: Vec<(String, Option<f64>)>,
}

/// Draws a group of bars for each of four calls, as ratios to code by hand.
pub(crate) fn draw_calls(report: &Report, path: &Path) -> Result<(), String> {
    let titles = [
        ("add", "add: two numbers"),
        ("weather", "weather: a string and an enum"),
        ("order", "order: 1.5 KB, ten lines of five fields"),
        ("text", "text: one string of 64 KiB"),
    ];
    let groups = titles.map(|(row, title)| Group {
        title,
        mark: Some((1.0, "by hand")),
        decimals: 2,
        bars: report
            .ways()
            .filter_map(|way| Some((way.to_owned(), Some(report.row(row, way)?.ratio_to_hand?))))
            .collect(),
    });
    draw(
        "Time of a call, as a multiple of code by hand with serde (less is better)",
        &groups,
        path,
    )
}

/// Draws what users wait for: a clean build, a check after an edit; and what a build brings.
pub(crate) fn draw_compile(table: &Table, path: &Path) -> Result<(), String> {
    let of_all = |title, decimals, value: &dyn Fn(&str) -> Option<f64>| Group {
        title,
        mark: None,
        decimals,
        bars: table
            .ways
            .iter()
            .map(|way| (way.way.clone(), value(&way.way)))
            .collect(),
    };
    let whole = |way: &str| table.ways.iter().find(|it| it.way == way);
    let hundred = |way: &str| {
        let mut rows = table.crates.iter();
        rows.find(|row| row.way == way && row.tools == 100 && row.types == "mixed")
    };
    #[allow(clippy::cast_precision_loss)]
    let groups = [
        of_all("cargo check after an edit, 100 tools, seconds", 2, &|way| {
            Some(hundred(way)?.check_edited.clock_s)
        }),
        of_all(
            "cargo build, 100 tools, dependencies built, seconds",
            2,
            &|way| Some(hundred(way)?.build.clock_s),
        ),
        of_all(
            "clean debug build of one tool with all dependencies, seconds",
            1,
            &|way| Some(whole(way)?.clean_build.as_ref()?.clock_s),
        ),
        of_all("crates that come along", 0, &|way| {
            Some(whole(way)?.dependencies as f64)
        }),
    ];
    draw("What the compiler takes (less is better)", &groups, path)
}

fn draw(title: &str, groups: &[Group], path: &Path) -> Result<(), String> {
    bars(title, groups, path).map_err(|error| format!("{}: {error}", path.display()))
}

#[allow(clippy::cast_possible_truncation)]
fn bars(title: &str, groups: &[Group], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let around = (TITLE + AXIS) * i32::try_from(groups.len())?;
    let height = TOP + BAR * i32::try_from(bars)? + around;
    let size = (u32::try_from(WIDTH)?, u32::try_from(height)?);
    let area = SVGBackend::new(path, size).into_drawing_area();
    let text = |size: i32| ("sans-serif", size).into_font().color(&INK);
    let at_side = |side: HPos| text(14).pos(Pos::new(side, VPos::Center));
    area.draw(&Text::new(title.to_owned(), (14, 12), text(18)))?;
    let mut y = TOP;
    for group in groups {
        let longest = group
            .bars
            .iter()
            .filter_map(|(_, value)| *value)
            .fold(0.0, f64::max);
        let step = step(longest);
        let end = (longest / step).ceil().max(1.0);
        let x = |value: f64| LEFT + (value / (end * step) * REACH) as i32;
        area.draw(&Text::new(group.title, (14, y + 4), text(15)))?;
        let (first, last) = (
            y + TITLE,
            y + TITLE + BAR * i32::try_from(group.bars.len())?,
        );
        for tick in 0..=end as i32 {
            let value = f64::from(tick) * step;
            let line = [(x(value), first), (x(value), last + 4)];
            area.draw(&PathElement::new(line, GRID.mix(0.4).stroke_width(1)))?;
            let below = text(12).pos(Pos::new(HPos::Center, VPos::Top));
            area.draw(&Text::new(
                format!("{}", (value * 100.0).round() / 100.0),
                (x(value), last + 5),
                below,
            ))?;
        }
        for (row, (name, value)) in group.bars.iter().enumerate() {
            let top = first + BAR * i32::try_from(row)?;
            let middle = top + BAR / 2;
            area.draw(&Text::new(
                name.clone(),
                (LEFT - 6, middle),
                at_side(HPos::Right),
            ))?;
            let color = if name.starts_with("toolwright") {
                OURS
            } else {
                THEIRS
            };
            let (length, number) = match value {
                Some(value) => (*value, format!("{value:.*}", group.decimals)),
                None => (0.0, "not measured".to_owned()),
            };
            let bar = [(LEFT, top + 2), (x(length), top + BAR - 2)];
            area.draw(&Rectangle::new(bar, color.filled()))?;
            area.draw(&Text::new(
                number,
                (x(length) + 5, middle),
                at_side(HPos::Left),
            ))?;
        }
        if let Some((value, name)) = group.mark {
            let line = [(x(value), first - 4), (x(value), last)];
            area.draw(&PathElement::new(line, INK.stroke_width(1)))?;
            let above = text(12).pos(Pos::new(HPos::Center, VPos::Bottom));
            area.draw(&Text::new(name, (x(value), first - 4), above))?;
        }
        y = last + AXIS;
    }
    area.present()?;
    drop(area);
    fs::write(path, for_dark_and_light(&fs::read_to_string(path)?))?;
    Ok(())
}

/// The distance of ticks: 1, 2 or 5 times a power of ten, so that there are at most eight.
fn step(longest: f64) -> f64 {
    let power = 10_f64.powf((longest / 8.0).max(0.01).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    steps
        .into_iter()
        .find(|step| longest / step <= 8.0)
        .unwrap_or(power)
}

/// Text and lines have the colour that the viewer's scheme wants.
fn for_dark_and_light(svg: &str) -> String {
    let style = "<style>.ink{fill:#1f2328}.line{stroke:#1f2328}\
        @media(prefers-color-scheme:dark){.ink{fill:#e6edf3}.line{stroke:#e6edf3}}</style>";
    let svg = svg.replace("fill=\"#010203\"", "class=\"ink\"");
    let svg = svg.replace("stroke=\"#010203\"", "class=\"line\"");
    svg.replacen(">\n", &format!(">\n{style}\n"), 1)
}
