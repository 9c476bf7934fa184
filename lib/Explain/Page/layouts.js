// Layouts by lane, warp and register; tiles in shared memory by bank.

const colours = ['lane', 'warp', 'register'];
let layout = 0, colour = 0;

/** A tile of shared memory, out of its type: offsets of elements for each bit of a place. */
function tileOf(buffer) {
  const found = /x((?:bf|f|i)\d+\w*), #ttg\.shared_linear<\{offsets = \[([\d, ]+)\], shape = \[([\d, ]+)\]/.exec(buffer.type);
  const numbers = text => text.split(',').map(Number);
  return found && {buffer, bytes: Math.max(1, +/\d+/.exec(found[1])[0] / 8), element: found[1],
                   offsets: numbers(found[2]), shape: numbers(found[3])};
}
const drawn = list('layouts').filter(l => fields(l.bases).lane && Array.isArray(l.shape))
    .map((l, i) => ({...l, id: list('layouts').indexOf(l)}));
const tiles = list('buffers').map(tileOf).filter(tile => tile && tile.shape.length === 2 &&
    tile.offsets[Math.round(Math.log2(tile.shape[0]))] === 1); // whose rows lie in chunks of 16 bytes

/** The layout of the line's largest tile; banks of what it has in shared memory. */
function followLayout(i) {
  const size = l => l.shape.reduce((product, extent) => product * extent, 1);
  const own = (fields(lines[i]).ops ?? []).map(id => fields(ops[id]).layout);
  const best = drawn.filter(l => own.includes(l.id)).sort((a, b) => size(b) - size(a))[0];
  if (best) layout = drawn.indexOf(best);
  drawLayout();
}

/** Who holds each element of the part that is shown, at most 64 x 64 or 4096 in rows of 64. */
function holders({shape, bases}) {
  const flat = shape.length === 1, columns = Math.min(shape[shape.length - 1], 64);
  const rows = Math.min(flat ? Math.ceil(shape[0] / 64) : shape[shape.length - 2], 64);
  const held = new Map(), size = name => 1 << (bases[name] ?? []).length;
  const place = (name, v) => (bases[name] ?? []).reduce((sum, b, i) => v >> i & 1 ? sum.map((x, d) => x ^ b[d]) : sum, shape.map(() => 0));
  const registers = Array.from({length: size('register')}, (_, v) => place('register', v));
  const lanes = Array.from({length: size('lane')}, (_, v) => place('lane', v));
  const warps = Array.from({length: size('warp')}, (_, v) => place('warp', v));
  warps.forEach((w, warp) => lanes.forEach((l, lane) => registers.forEach((r, register) => {
    const at = w.map((x, d) => x ^ l[d] ^ r[d]), last = at[at.length - 1];
    if (at.slice(0, -2).some(x => x)) return;
    const x = flat ? last % 64 : last, y = flat ? last / 64 | 0 : at[at.length - 2];
    if (x >= columns || y >= rows) return;
    const key = y * columns + x, found = held.get(key);
    if (found) found.copies++; else held.set(key, {lane, warp, register, copies: 1});
  })));
  return {held, columns, rows, flat, counts: {lane: lanes.length, warp: warps.length, register: registers.length}};
}

function paint(canvas, part) {
  const dark = document.documentElement.dataset.theme === 'dark', g = canvas.getContext('2d'), name = colours[colour];
  for (const [key, holder] of part.held) {
    const v = holder[name], x = key % part.columns * 8, y = (key / part.columns | 0) * 8;
    g.fillStyle = `hsl(${v * 360 / part.counts[name]} 55% ${(dark ? 34 : 62) + v % 2 * 10}%)`;
    g.fillRect(x, y, 7.5, 7.5);
  }
  canvas.onmousemove = event => {
    const box = canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * part.columns | 0, y = (event.clientY - box.top) / box.height * part.rows | 0;
    const h = part.held.get(y * part.columns + x);
    if (h) $('element').textContent = `[${part.flat ? y * 64 + x : y + ', ' + x}]  warp ${h.warp}  lane ${h.lane}  register ${h.register}` +
        (h.copies > 1 ? `, held ${h.copies} times` : '');
  };
}

function drawLayout() {
  const l = drawn[layout];
  if (!l) {
    $('layout').innerHTML = '<h2>Layouts</h2><span class=dim>no tile is spread over threads here</span>';
    drawBanks();
    return;
  }
  const part = holders(l), bases = Object.entries(l.bases).map(([name, b]) => `<tr><td>${escaped(name)}<td><code>${escaped(JSON.stringify(b))}</code>`);
  $('layout').innerHTML = `<h2>Layout ${layout + 1} of ${drawn.length} <button id=next title="l">next</button></h2>` +
      `<code>${escaped(l.attribute)}</code><div class=dim>a tile of ${l.shape.join(' × ')}; shown ${part.rows} × ${part.columns}${part.flat ? ', in rows of 64' : ''}. Colour by ` +
      colours.map((name, i) => `<button data-colour=${i} aria-pressed=${i === colour}>${name}</button>`).join(' ') + '</div>' +
      `<canvas id=canvas width=${part.columns * 8} height=${part.rows * 8} style="width:${part.columns * Math.min(16, 384 / part.rows)}px" role=img aria-label="who holds each element"></canvas>` +
      `<div id=element class=dim>point at an element</div><details><summary>as numbers</summary><table>${bases.join('')}</table></details>`;
  paint($('canvas'), part);
  drawBanks();
}

/** Eight rows of chunks of 16 bytes, each where its banks are; the first chunk of each, as one pass of eight reads it. */
function drawBanks() {
  const tile = tiles.find(t => lineOfOp(t.buffer.op) === chosen) ?? tiles[0];
  if (!tile) { $('banks').innerHTML = '<h2>Banks</h2><span class=dim>no tile of two dimensions in shared memory</span>'; return; }
  const rowBits = Math.round(Math.log2(tile.shape[0])), per = 16 / tile.bytes;
  const offset = (row, column) => tile.offsets.reduce((sum, o, i) =>
      (i < rowBits ? row >> i : column >> i - rowBits) & 1 ? sum ^ o : sum, 0) * tile.bytes;
  const used = new Set();
  let svg = '';
  for (let group = 0; group < 8; group++) svg += `<text class=d x=${40 + group * 60} y=12>bank ${group * 4}–${group * 4 + 3}</text>`;
  for (let row = 0; row < Math.min(8, tile.shape[0]); row++) {
    svg += `<text class=d x=0 y=${33 + row * 22}>row ${row}</text>`;
    for (let chunk = 0; chunk < Math.min(8, tile.shape[1] / per); chunk++) {
      const group = offset(row, chunk * per) / 16 % 8 | 0;
      if (!chunk) used.add(group);
      svg += `<rect x=${36 + group * 60} y=${18 + row * 22} width=59 height=21 fill="var(--c${chunk ? 2 : 0})" opacity=${chunk ? .45 : 1} />` +
          `<text class="${chunk ? '' : 'w'}" x=${40 + group * 60} y=${33 + row * 22}>${chunk ? '' : '▸ '}${chunk * per}–${chunk * per + per - 1}</text>`;
    }
  }
  const passes = Math.ceil(Math.min(8, tile.shape[0]) / used.size);
  $('banks').innerHTML = `<h2>Banks of a tile of ${tile.shape.join(' × ')} × ${tile.element} ${link(lineOfOp(tile.buffer.op))}</h2>` +
      `<svg viewBox="0 0 520 200" role=img aria-label="columns of eight rows by bank">${svg}</svg>` +
      `<div class=dim>The first 16 bytes (▸) of eight rows lie in <b class=${passes > 1 ? 'no' : 'ok'}>${used.size} of 8 groups of banks</b>.</div>`;
}
