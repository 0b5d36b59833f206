//! The chart of the README: what a call costs in each, as a ratio to what people write by hand.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::{Report, SUMMARY};

const SIZE: (u32, u32) = (860, 620);
/// Where the bars start, and how far the longest may reach.
const LEFT: i32 = 190;
const WIDTH: f64 = 590.0;
const OURS: RGBColor = RGBColor(196, 78, 36);
const THEIRS: RGBColor = RGBColor(120, 135, 150);

/// Draws a block of bars for each of four calls, one above the other, on a scale of powers of two.
pub(crate) fn draw(report: &Report, path: &Path) -> Result<(), String> {
    bars(report, path).map_err(|error| format!("{}: {error}", path.display()))
}

fn bars(report: &Report, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let ratios = report.ratios();
    let longest = ratios
        .iter()
        .flat_map(|(_, ratios)| ratios.iter().flatten());
    let longest = longest.fold(2.0_f64, |longest, &ratio| longest.max(ratio));
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size: i32| ("sans-serif", size).into_font().color(&BLACK);
    let right = |size: i32| text(size).pos(Pos::new(HPos::Right, VPos::Center));
    let title = "Arguments' text to answer's text: times as long as written by hand with serde (less is better)";
    area.draw(&Text::new(title, (14, 12), text(15)))?;
    // A bar for 0.5 has no length, one for the longest has all.
    #[allow(clippy::cast_possible_truncation)]
    let at =
        |ratio: f64| LEFT + ((ratio.max(0.5) / 0.5).log2() / (longest / 0.5).log2() * WIDTH) as i32;
    let rows: i32 = i32::try_from(ratios.len())? * 4 + 4;
    let height = (i32::try_from(SIZE.1)? - 60) / rows.max(1);
    let mut y = 42;
    for (index, (group, _)) in SUMMARY.iter().enumerate().take(4) {
        area.draw(&Text::new(TITLES[index].1, (14, y), text(13)))?;
        debug_assert_eq!(*group, TITLES[index].0);
        y += height;
        for (name, ratios) in &ratios {
            let Some(ratio) = ratios[index] else { continue };
            let color = if name.starts_with("toolwright") {
                OURS
            } else {
                THEIRS
            };
            let (top, bottom) = (y + 1, y + height - 1);
            area.draw(&Rectangle::new(
                [(LEFT, top), (at(ratio), bottom)],
                color.filled(),
            ))?;
            area.draw(&Text::new(
                name.clone(),
                (LEFT - 6, i32::midpoint(top, bottom)),
                right(11),
            ))?;
            let beside = text(11).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(
                format!("{ratio:.2}"),
                (at(ratio) + 5, i32::midpoint(top, bottom)),
                beside,
            ))?;
            y += height;
        }
    }
    let hand = at(1.0);
    area.draw(&PathElement::new(
        [(hand, 40), (hand, y)],
        BLACK.stroke_width(1),
    ))?;
    area.draw(&Text::new("by hand", (hand + 4, y + 2), text(11)))?;
    area.present()?;
    Ok(())
}

/// What the groups are called in the chart.
const TITLES: [(&str, &str); 4] = [
    ("add", "add: two numbers"),
    ("weather", "weather: a string and an enum"),
    ("order", "order: 1.5 KB, ten lines of five fields"),
    ("text", "text: one string of 64 KiB"),
];
