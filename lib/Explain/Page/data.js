// The document, out of the page; what leads from a line to the rows of each stage.

/** RFC 1950 and 1951: `packed` as `size` bytes. Browsers of mail programs have no stream for it. */
function inflate(packed, size) {
  const out = new Uint8Array(size);
  let at = 2, held = 0, count = 0, length = 0;
  const bits = n => {
    while (count < n) { held |= packed[at++] << count; count += 8; }
    const value = held & ((1 << n) - 1);
    held >>>= n; count -= n;
    return value;
  };
  const tree = lengths => {
    const counts = Array(16).fill(0), next = [0, 0], symbols = [];
    for (const n of lengths) if (n) counts[n]++;
    for (let i = 1; i < 15; i++) next[i + 1] = next[i] + counts[i];
    lengths.forEach((n, symbol) => { if (n) symbols[next[n]++] = symbol; });
    return {counts, symbols};
  };
  const symbol = ({counts, symbols}) => {
    for (let n = 1, code = 0, first = 0, index = 0; n < 16; n++) {
      code |= bits(1);
      if (code - counts[n] < first) return symbols[index + code - first];
      index += counts[n]; first = (first + counts[n]) << 1; code <<= 1;
    }
    throw Error('the page is damaged');
  };
  // Code `i` of a length or a distance: its least value, and how many bits follow.
  const spread = (i, per, from) => {
    const extra = i < 2 * per ? 0 : (i / per | 0) - 1;
    return [from + (extra ? (per + i % per) << extra : i), extra];
  };
  const plus = ([least, extra]) => least + bits(extra);
  const lengthOf = i => i === 28 ? 258 : plus(spread(i, 4, 3));
  for (let last = 0; !last;) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      held = count = 0;
      const n = packed[at] | packed[at + 1] << 8;
      out.set(packed.subarray(at + 4, at + 4 + n), length);
      at += 4 + n; length += n;
      continue;
    }
    let literals = Array.from({length: 288}, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    let distances = Array(30).fill(5);
    if (kind === 2) {
      const nl = bits(5) + 257, nd = bits(5) + 1, nc = bits(4) + 4, codes = Array(19).fill(0);
      const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
      for (let i = 0; i < nc; i++) codes[order[i]] = bits(3);
      const inner = tree(codes), all = [];
      while (all.length < nl + nd) {
        const s = symbol(inner);
        if (s < 16) { all.push(s); continue; }
        const value = s === 16 ? all[all.length - 1] : 0;
        for (let n = s === 16 ? 3 + bits(2) : s === 17 ? 3 + bits(3) : 11 + bits(7); n; n--) all.push(value);
      }
      literals = all.slice(0, nl); distances = all.slice(nl);
    }
    const l = tree(literals), d = tree(distances);
    for (let s; (s = symbol(l)) !== 256;) {
      if (s < 256) { out[length++] = s; continue; }
      const n = lengthOf(s - 257), back = plus(spread(symbol(d), 2, 1));
      for (let i = 0; i < n; i++, length++) out[length] = out[length - back];
    }
  }
  return out;
}

const $ = id => document.getElementById(id);
const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const packed = $('packed');
const D = JSON.parse(new TextDecoder().decode(inflate(
    Uint8Array.from(atob(packed.textContent), c => c.charCodeAt(0)), +packed.dataset.bytes)));
const list = name => Array.isArray(D[name]) ? D[name] : [];
const fields = value => value && typeof value === 'object' ? value : {};
const stages = fields(D.stages), ops = list('ops'), lines = list('lines'), remarks = list('remarks');

/** A number with its grade; or a bare one, of an older document. */
function graded(number) {
  const {value = number, grade, from} = fields(number);
  const text = typeof value === 'number' ? rounded(value) : value === true ? 'yes' : value === false ? 'no' : value;
  return escaped(text) + (grade ? ` <span class=grade>${escaped(grade)}${from ? ', ' + escaped(from) : ''}</span>` : '');
}
/** Integers as they are, others to three digits. */
const rounded = value => (Number.isInteger(value) ? value : Number(Number(value).toPrecision(3))).toLocaleString('en').replace(/,/g, ' ');
const words = name => String(name).replace(/_/g, ' ');

const lineAt = new Map(lines.map((line, i) => [line.file + ':' + line.line, i]));
const lineOfPlace = place => place ? lineAt.get(place.file + ':' + place.line) : undefined;
const lineOfOp = id => lineOfPlace(fields(ops[id]).place);
/** By stage, the line that each row is of. */
const lineOfRow = Object.fromEntries(Object.keys(stages).map(name => [name, []]));
const codes = ['ptx', 'sass', 'asm'].filter(name => name in stages), [assembly] = codes;
for (const op of ops) {
  const line = lineOfPlace(op.place);
  if (line === undefined) continue;
  if (lineOfRow[op.stage]) lineOfRow[op.stage][op.text_line] = line;
  for (const [first, last] of assembly && op.assembly || [])
    for (let row = first; row <= last; row++) lineOfRow[assembly][row] = line;
}
lines.forEach((line, i) => {
  const {assembly: ranges, sass} = fields(line);
  for (const [name, all] of [[assembly, ranges], ['sass', fields(sass).rows]])
    for (const [first, last] of lineOfRow[name] && all || [])
      for (let row = first; row <= last; row++) lineOfRow[name][row] = i;
});
const remarksOf = line => fields(line).remarks ? line.remarks.map(i => fields(remarks[i])) : [];
const isMissed = remark => remark.kind !== 'applied';
const shareOf = line => { const {value = fields(line).share} = fields(fields(line).share); return +value || 0; };
const nameOf = i => { const l = lines[i]; return l && l.file >= 0 ? (l.file ? l.file + ':' : '') + l.line : ''; };
const link = i => i === undefined ? '' : `<button data-go="${i}">line ${nameOf(i)}</button>`;
