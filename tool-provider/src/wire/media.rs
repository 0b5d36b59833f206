//! Media types of pictures and sound, as providers take them.

/// Names that servers give to types besides the registered one, and the name in the tables of the wires.
const ALIASES: [(&str, &str); 7] = [
    ("image/jpg", "image/jpeg"),
    ("image/x-png", "image/png"),
    ("audio/mpeg", "audio/mp3"),
    ("audio/x-wav", "audio/wav"),
    ("audio/wave", "audio/wav"),
    ("audio/vnd.wave", "audio/wav"),
    ("audio/x-flac", "audio/flac"),
];

/// Returns the type as the table of a wire has it; `None` if its provider would refuse the request. The model then reads a note
/// that names the type.
pub(super) fn accepted(mime_type: &str, table: &[&'static str]) -> Option<&'static str> {
    let name = mime_type.split(';').next().unwrap_or_default().trim();
    let same = |other: &str| name.eq_ignore_ascii_case(other);
    let alias = ALIASES.iter().find(|(alias, _)| same(alias));
    let found = table
        .iter()
        .find(|own| same(own) || alias.is_some_and(|(_, name)| name == *own));
    found.copied()
}
