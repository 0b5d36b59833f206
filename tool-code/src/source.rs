//! The text of a program, as far as it is read before it runs.

/// Returns where logical lines and the statements in them begin: the line's number from 1, and the text from there on.
fn statements(source: &str) -> Vec<(usize, &str)> {
    let mut starts = Vec::new();
    let (mut line, mut depth, mut is_start) = (1, 0_usize, true);
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        if is_start && !letter.is_whitespace() && letter != '#' {
            starts.push((line, rest));
            is_start = false;
        }
        let length = match letter {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => string_length(rest, letter),
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => letter.len_utf8(),
        };
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\n' | ';' | ':' if depth == 0 => is_start = true,
            _ => {}
        }
        let (passed, behind) = rest.split_at(length);
        line += passed.matches('\n').count();
        rest = behind;
    }
    starts
}

/// Returns the length of the literal that the text begins with.
fn string_length(text: &str, quote: char) -> usize {
    let triple: String = [quote; 3].iter().collect();
    let (end, mut at) = if text.starts_with(&triple) {
        (&*triple, 3)
    } else {
        (triple.get(..1).unwrap_or_default(), 1)
    };
    while let Some(rest) = text.get(at..) {
        let Some(letter) = rest.chars().next() else {
            break;
        };
        if rest.starts_with(end) {
            return at + end.len();
        }
        // An open literal of one line ends with its line; the interpreter reports it.
        if end.len() == 1 && letter == '\n' {
            return at;
        }
        at += letter.len_utf8();
        if letter == '\\' {
            at += rest.chars().nth(1).map_or(0, char::len_utf8);
        }
    }
    text.len()
}

/// Returns those of the functions that the program defines itself.
pub(crate) fn defined<'f>(source: &str, functions: &[&'f str]) -> Vec<&'f str> {
    let statements = statements(source);
    let is_defined = |function: &&&str| {
        statements.iter().any(|(_, text)| {
            let text = text.strip_prefix("async").map_or(*text, str::trim_start);
            text.strip_prefix("def")
                .is_some_and(|text| calls(text.trim_start(), function))
        })
    };
    functions.iter().filter(is_defined).copied().collect()
}

/// Returns the first statement that calls one of the functions and neither awaits nor keeps it: its line and the function.
pub(crate) fn never_awaited<'f>(source: &str, functions: &[&'f str]) -> Option<(usize, &'f str)> {
    statements(source).into_iter().find_map(|(line, text)| {
        let function = functions.iter().find(|function| calls(text, function))?;
        Some((line, *function))
    })
}

/// Returns true if the text begins with a call of this function.
fn calls(text: &str, function: &str) -> bool {
    text.strip_prefix(function)
        .is_some_and(|rest| rest.trim_start_matches(' ').starts_with('('))
}

#[cfg(test)]
mod tests {
    use super::{defined, never_awaited};

    #[test]
    fn calls_as_statements_are_found_outside_of_brackets_and_strings() {
        let source = "\
x = await gather(
    pay(1),
    pay(2),
)
'''
pay(3)
'''
if x: # pay(4)
    s = \"pay(5)\\\"\"; y = pay(6)
    pay (7)
";
        assert_eq!(never_awaited(source, &["pay"]), Some((10, "pay")));
        assert_eq!(never_awaited("if x: pay(1)", &["pay"]), Some((1, "pay")));
        assert_eq!(
            never_awaited("await pay(1)\npayer(2)\nx = {1: 2}\n(pay(1))", &["pay"]),
            None
        );
    }

    #[test]
    fn functions_of_the_program_are_found() {
        let source =
            "async  def pay(x):\n  return 1\nclass A:\n  def find (self): pass\nundef = find(1)";
        assert_eq!(defined(source, &["pay", "find", "send"]), ["pay", "find"]);
    }
}
