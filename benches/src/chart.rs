//! The chart of the README: what a call costs in each, as a ratio to what people write by hand.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::Report;

/// The groups in the chart, and what they are called there.
const TITLES: [(&str, &str); 4] = [
    ("add", "add: two numbers"),
    ("weather", "weather: a string and an enum"),
    ("order", "order: 1.5 KB, ten lines of five fields"),
    ("text", "text: one string of 64 KiB"),
];

const WIDTH: u32 = 820;
/// Where the bars start, and how far the longest may reach.
const LEFT: i32 = 170;
const REACH: f64 = 590.0;
/// Of a bar with what is around it, of a group's title, and of what stands above all groups.
const BAR: i32 = 15;
const TITLE: i32 = 30;
const TOP: i32 = 44;
const OURS: RGBColor = RGBColor(196, 78, 36);
const THEIRS: RGBColor = RGBColor(120, 135, 150);

/// Draws a block of bars for each of four calls, one above the other, on a scale of powers of two.
pub(crate) fn draw(report: &Report, path: &Path) -> Result<(), String> {
    bars(report, path).map_err(|error| format!("{}: {error}", path.display()))
}

/// A group's title, and its bars.
type Block = (&'static str, Vec<(&'static str, f64)>);

fn bars(report: &Report, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let blocks: Vec<Block> = TITLES
        .iter()
        .map(|(group, title)| {
            let bars = report.ways().filter_map(|way| {
                let ratio = report.row(group, way)?.ratio_to_hand?;
                Some((way, ratio))
            });
            (*title, bars.collect())
        })
        .collect();
    let all = || blocks.iter().flat_map(|(_, bars)| bars);
    let longest = all().fold(2.0_f64, |longest, (_, ratio)| longest.max(*ratio));
    // A bar for 0.5 has no length, one for the longest has all.
    #[allow(clippy::cast_possible_truncation)]
    let at =
        |ratio: f64| LEFT + ((ratio.max(0.5) / 0.5).log2() / (longest / 0.5).log2() * REACH) as i32;
    let heights = blocks
        .iter()
        .map(|(_, bars)| Ok(TITLE + BAR * i32::try_from(bars.len())?));
    let height = TOP + heights.sum::<Result<i32, std::num::TryFromIntError>>()? + 16;

    let area = SVGBackend::new(path, (WIDTH, u32::try_from(height)?)).into_drawing_area();
    area.fill(&WHITE)?;
    let text = |size: i32| ("sans-serif", size).into_font().color(&BLACK);
    let beside = |side: HPos| text(14).pos(Pos::new(side, VPos::Center));
    let title = "Arguments' text to answer's text: times as long as by hand with serde (less is better; powers of two)";
    area.draw(&Text::new(title, (14, 12), text(19)))?;
    let hand = at(1.0);
    let label = text(14).pos(Pos::new(HPos::Center, VPos::Top));
    area.draw(&Text::new("by hand", (hand, TOP - 12), label))?;
    let mut y = TOP;
    for (title, bars) in &blocks {
        area.draw(&Text::new(*title, (14, y + 8), text(16)))?;
        y += TITLE;
        for (way, ratio) in bars {
            let ours = way.starts_with("toolwright");
            let color = if ours { OURS } else { THEIRS };
            let middle = y + BAR / 2;
            let bar = [(LEFT, y + 2), (at(*ratio), y + BAR - 1)];
            area.draw(&Rectangle::new(bar, color.filled()))?;
            area.draw(&Text::new(*way, (LEFT - 6, middle), beside(HPos::Right)))?;
            let number = (at(*ratio).max(hand) + 5, middle);
            area.draw(&Text::new(
                format!("{ratio:.2}"),
                number,
                beside(HPos::Left),
            ))?;
            y += BAR;
        }
    }
    let line = [(hand, TOP + 4), (hand, y)];
    area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
    area.present()?;
    Ok(())
}
