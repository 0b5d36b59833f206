// Texts of tools and of models, with the characters that nobody sees written out: who says yes has to see what to.

// The server puts the pattern here, of the table by which it writes its own messages.
const HIDDEN = /HIDDEN/gu;

export const visible = (text) => text.replace(HIDDEN, (char, meant) => meant ?? `\\u{${char.codePointAt(0).toString(16)}}`);
