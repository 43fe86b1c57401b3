// Files that are dropped on the page.

// Calls `take` with a file that is dropped on an element, before the element handles it.
export function accept_drops(target, take) {
  const with_files = (event) => event.dataTransfer?.types.includes('Files');
  target.addEventListener('dragover', (event) => {
    if (!with_files(event)) return;
    event.preventDefault();
    target.classList.add('dropping');
  }, true);
  target.addEventListener('dragleave', () => target.classList.remove('dropping'), true);
  target.addEventListener('drop', (event) => {
    target.classList.remove('dropping');
    const [file] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    event.stopPropagation();
    take(file);
  }, true);
}

const LARGEST_HEADER = 100 << 20;

// Returns {name, bytes}. Only the header of a .safetensors file is read, which has the names and the shapes.
export async function read_model(file) {
  let part = file;
  if (file.name.endsWith('.safetensors')) {
    const length = new DataView(await file.slice(0, 8).arrayBuffer());
    const header = length.byteLength === 8 ? Number(length.getBigUint64(0, true)) : 0;
    part = file.slice(0, 8 + Math.min(header, LARGEST_HEADER));
  }
  return {name: file.name, bytes: new Uint8Array(await part.arrayBuffer())};
}
