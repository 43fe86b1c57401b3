// Permanent links: the state of the page as JSON, compressed with raw deflate, in base64url after `#r=`.

const PREFIX = '#r=';
const LARGEST = 4 << 20; // bytes of JSON, the program's own limit for a file

async function piped(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LARGEST) throw new RangeError('the link holds more than 4 MiB');
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function toBase64(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

export async function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  return PREFIX + toBase64(await piped(bytes, new CompressionStream('deflate-raw')));
}

const TEXTS = ['text', 'name', 'steps', 'params', 'modules', 'options', 'to', 'loss', 'tab'];

// Returns the state in a fragment, or null if the fragment is not a permanent link. Throws if the link is damaged.
export async function decode(fragment) {
  if (!fragment.startsWith(PREFIX)) return null;
  const bytes = await piped(fromBase64(fragment.slice(PREFIX.length)), new DecompressionStream('deflate-raw'));
  const read = JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
  if (typeof read?.text !== 'string') throw new TypeError('the link holds no recipe');
  return Object.fromEntries(TEXTS.filter((key) => typeof read[key] === 'string').map((key) => [key, read[key]]));
}
