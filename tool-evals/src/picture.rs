use std::fmt::Write;

/// Width of the names, and of a whole bar.
const NAMES: usize = 240;
const BAR: f64 = 300.0;
const ROW: usize = 24;
/// Characters of a name that fit.
const MOST: usize = 34;

/// Draws a bar for each number from 0 to 1, as SVG.
pub(super) fn bars(title: &str, numbers: &[(&str, f64)]) -> String {
    let (width, height) = (NAMES + 360, ROW * (numbers.len() + 1) + 12);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif" font-size="13">"#
    );
    let _ = writeln!(svg, "<title>{}</title>", SvgText(title));
    let _ = writeln!(svg, r##"<rect width="100%" height="100%" fill="#fff"/>"##);
    let _ = writeln!(
        svg,
        r#"<text x="8" y="18" font-weight="bold">{}</text>"#,
        SvgText(title)
    );
    for (row, (name, value)) in (1..).zip(numbers) {
        let (top, text) = (row * ROW + 4, row * ROW + 18);
        let length = value.clamp(0.0, 1.0) * BAR;
        let end = NAMES + 12;
        let mut shown: String = name.chars().take(MOST).collect();
        if shown.len() < name.len() {
            shown.push('…');
        }
        let _ = writeln!(
            svg,
            r##"<text x="{NAMES}" y="{text}" text-anchor="end">{}<title>{}</title></text><rect x="{end}" y="{top}" width="{BAR}" height="18" fill="#e8edf2"/><rect x="{end}" y="{top}" width="{length:.1}" height="18" fill="#2f6f9f"/><text x="{}" y="{text}">{value:.3}</text>"##,
            SvgText(&shown),
            SvgText(name),
            end + 306,
        );
    }
    svg.push_str("</svg>\n");
    svg
}

struct SvgText<'t>(&'t str);

impl std::fmt::Display for SvgText<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for it in self.0.chars() {
            match it {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // XML has no way to write most of them.
                _ if it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}') => {
                    f.write_char(' ')?;
                }
                _ => f.write_char(it)?,
            }
        }
        Ok(())
    }
}
