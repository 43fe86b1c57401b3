// The program counts bytes of UTF-8, the editor counts UTF-16 units.

// Returns a function from byte offsets in `text` to units. For ASCII both are equal.
export function units(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length === text.length) return (byte) => Math.min(byte, text.length);
  const starts = new Map();
  let byte = 0;
  let unit = 0;
  for (const letter of text) {
    starts.set(byte, unit);
    const code = letter.codePointAt(0);
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    unit += letter.length;
  }
  return (offset) => {
    let at = Math.min(offset, byte);
    while (at > 0 && at < byte && !starts.has(at)) --at;
    return at === byte ? unit : (starts.get(at) ?? 0);
  };
}
