//! Suggestions for names that were misspelled, in `const`.

/// Longer names are not compared.
const MOST: usize = 48;

/// Takes `name` for the nearest to `wrong` if it is nearer than what was so far, and near.
pub const fn nearer<'n>(wrong: &str, name: &'n str, nearest: &mut Option<(&'n str, usize)>) {
    let steps = distance(wrong.as_bytes(), name.as_bytes());
    let limit = match nearest {
        Some((_, steps)) => *steps,
        None => wrong.len() / 3 + 1,
    };
    if steps < limit {
        *nearest = Some((name, steps));
    }
}

/// Levenshtein's distance: how many letters are added, left out or others.
const fn distance(a: &[u8], b: &[u8]) -> usize {
    if b.len() >= MOST {
        return usize::MAX;
    }
    let mut row = [0; MOST];
    let mut cells: &mut [usize] = &mut row;
    let mut column = 0;
    while let [cell, rest @ ..] = cells {
        *cell = column;
        column += 1;
        cells = rest;
    }
    let mut seen = 0;
    let mut letters = a;
    while let [letter, more @ ..] = letters {
        seen += 1;
        let mut others = b;
        let mut cells: &mut [usize] = &mut row;
        let (mut above_left, mut left) = (0, seen);
        if let [cell, rest @ ..] = cells {
            above_left = *cell;
            *cell = seen;
            cells = rest;
        }
        while let ([other, others_rest @ ..], [cell, rest @ ..]) = (others, cells) {
            let above = *cell;
            let replaced = above_left + (*letter != *other) as usize;
            let mut least = if above < left { above } else { left } + 1;
            if replaced < least {
                least = replaced;
            }
            *cell = least;
            (above_left, left) = (above, least);
            (others, cells) = (others_rest, rest);
        }
        letters = more;
    }
    match row.split_at_checked(b.len()) {
        Some((_, [last, ..])) => *last,
        _ => usize::MAX,
    }
}
