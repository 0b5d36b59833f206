//! Names of tools and arguments in Python.

/// Python's keywords, from the module `keyword` of 3.14.
const KEYWORDS: &str = "False None True and as assert async await break class continue def del elif else except finally for from \
    global if import in is lambda nonlocal not or pass raise return try while with yield";

/// Functions, modules and types that a program needs under their own names.
const BUILTINS: &str = "Exception abs all any ascii asyncio bin bool bytes callable chr collections dataclasses datetime dict \
    dir divmod enumerate filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter \
    itertools json len list map math max min next object oct open ord os pow print property range re repr reversed round set \
    setattr slice sorted str sum super sys tuple type typing vars zip";

/// Returns the name as an identifier: each character that Python does not take is an underscore.
pub(crate) fn identifier(name: &str) -> String {
    let is_taken = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut identifier: String = name
        .chars()
        .map(|letter| if is_taken(letter) { letter } else { '_' })
        .collect();
    if identifier.is_empty() || identifier.starts_with(|first: char| first.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    identifier
}

/// Returns the name of an argument or member: a keyword gets an underscore behind it.
pub(crate) fn parameter(name: &str) -> String {
    let mut parameter = identifier(name);
    if is_keyword(&parameter) {
        parameter.push('_');
    }
    parameter
}

pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword == name)
}

/// Returns true for names that have a meaning in each program.
pub(crate) fn is_builtin(name: &str) -> bool {
    name.starts_with("__") || BUILTINS.split(' ').any(|builtin| builtin == name)
}

/// Returns the name as that of a class: `list_orders` is `ListOrders`.
pub(crate) fn class(name: &str) -> String {
    let mut class = String::new();
    for part in name.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let mut letters = part.chars();
        class.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        class.push_str(letters.as_str());
    }
    parameter(&class)
}
