// The change, what bounds the kernel, the pipeline, shared memory, barriers, resources.

const absent = text => `<span class=dim>${text}</span>`;
const row = cells => `<tr>${cells.map(cell => `<td>${cell ?? ''}`).join('')}`;
const interval = ({best, worst}) => best === undefined ? '' : `${rounded(best)} – ${rounded(worst ?? best)}`;

/** The gain of a hint: a number or an interval, of times. */
function gainOf({gain}) {
  const text = typeof gain === 'number' ? rounded(gain) : interval(fields(gain));
  return text ? text + ' ×' : '';
}
const hintLine = hint => link(lineOfPlace(hint.place) ?? (hint.line === undefined ? undefined : lineAt.get('0:' + hint.line)));

function drawChange() {
  const [hint] = list('hints'), missed = lines.map((_, i) => i).filter(i => remarksOf(lines[i]).some(isMissed));
  if (D.error) {
    $('change').innerHTML = `<h2>It does not compile</h2><pre>${escaped(D.error)}</pre>`;
    return;
  }
  let body = `<h2>The one change that would help most</h2>`;
  if (hint) body += `<span class=gain>${gainOf(hint)}<br><span class=grade>${escaped(hint.certainty ?? '')}</span></span><b>${escaped(hint.title ?? hint.code ?? '')}</b> ${hintLine(hint)}<div>${escaped(hint.reason ?? '')}</div>`;
  else if (Array.isArray(D.hints)) body += '<b>✓ Nothing would help.</b> No change that was tried makes it faster.';
  else body += absent('No changes were tried.') + (missed.length ? ` What was not done: ${missed.slice(0, 6).map(link).join(' ')}` : (remarks.length ? ' <span class=ok>✓</span> Nothing was missed on any line.' : ''));
  $('change').innerHTML = body;
}

function drawBounds() {
  const model = fields(D.model), resources = Array.isArray(model.resources) ? model.resources : [];
  let body = '<h2>What bounds it</h2>';
  if (!resources.length) {
    $('bounds').innerHTML = body + absent('Not known: the document has no model of a launch.');
    return;
  }
  const most = Math.max(...resources.map(r => r.clocks));
  body += resources.slice(0, 6).map(r => `<div class="bar${r.name === model.bound ? ' bound' : ''}" title="${escaped(r.formula ?? '')}"><span>${r.name === model.bound ? '▸ ' : ''}${escaped(r.name)}</span>` +
      `<i style="width:${r.clocks / most * 100}%"></i><span class=num>${rounded(r.clocks)}</span></div>`).join('');
  const time = fields(model.microseconds);
  body += `<div>predicted <b>${interval(time)} µs</b>${time.expected ? `, most likely ${rounded(time.expected)}` : ''} <span class=grade>${escaped(model.grade ?? '')}</span> · measured <b>${D.measured ? graded(fields(D.measured).microseconds ?? '') : 'not'}</b></div>`;
  body += `<details><summary>clocks of a CTA, and their formulas</summary><table>${resources.map(r => row([escaped(r.name), escaped(r.formula ?? ''), rounded(r.clocks)])).join('')}</table></details>`;
  $('bounds').innerHTML = body;
}

/** Accesses of buffers that take turns, by iteration: what is k iterations ahead works on a later tile. */
function drawPipeline() {
  const turns = new Map();
  for (const {op, ahead} of list('schedule'))
    if (fields(ops[op]).loop !== undefined) turns.set(lineOfOp(op) + ':' + ahead, {line: lineOfOp(op), ahead});
  if (!turns.size) return '<h2>Pipeline</h2>' + absent('No loop runs loads ahead.');
  const rows = [...turns.values()].sort((a, b) => b.ahead - a.ahead || a.line - b.line), width = 96;
  let svg = '';
  for (let i = 0; i < 4; i++) svg += `<text class=d x=${104 + i * (width + 6)} y=10>iteration ${i}</text>`;
  rows.forEach(({line, ahead}, y) => {
    svg += `<text x=0 y=${29 + y * 21}>${ahead > 0 ? '▷ fill' : '◆ use'}, line ${nameOf(line)}</text>`;
    for (let i = 0; i < 4; i++)
      svg += `<rect x=${100 + i * (width + 6)} y=${16 + y * 21} width=${width} height=18 rx=2 fill="var(--c${ahead > 0 ? 0 : 1})" />` +
          `<text class=w x=${106 + i * (width + 6)} y=${29 + y * 21}>${i + ahead < 0 ? '' : `tile ${i + ahead}${ahead > 0 ? `, ${ahead} ahead` : ''}`}</text>`;
  });
  return `<h2>Pipeline</h2><svg viewBox="0 0 510 ${20 + rows.length * 21}" role=img aria-label="tiles by iteration">${svg}</svg>`;
}

function drawMemory() {
  const buffers = list('buffers'), stage = fields(ops[fields(buffers[0]).op]).stage;
  if (!buffers.length) return '<h2>Shared memory over time</h2>' + absent('It uses none for tiles.');
  const own = ops.filter(op => op.stage === stage), first = own[0].id, span = own.length;
  const total = Math.max(...buffers.map(b => b.offset + b.bytes)), x = id => 56 + (id - first) / span * 450, height = 110;
  const loops = [...new Set(own.map(op => op.loop).filter(id => id !== undefined))];
  let svg = `<text class=d x=0 y=10>0</text><text class=d x=0 y=${height}>${rounded(total)} B</text>`;
  for (const loop of loops) {
    const inside = own.filter(op => op.loop === loop), from = x(inside[0].id), to = x(inside[inside.length - 1].id + 1);
    svg += `<rect x=${from} y=0 width=${to - from} height=${height} fill="var(--line)" opacity=.6 /><text class=d x=${from + 2} y=${height + 11}>loop, line ${nameOf(lineOfOp(loop))}</text>`;
  }
  buffers.forEach((b, i) => {
    const y = b.offset / total * height, size = Math.max(3, b.bytes / total * height - 2), text = `${rounded(b.bytes)} B${b.count > 1 ? `, ${b.count} turns` : ''}, line ${nameOf(lineOfOp(b.op))}`;
    const w = x(b.last + 1) - x(b.first), isNarrow = w < 16;
    svg += `<rect x=${x(b.first)} y=${y} width=${w} height=${size} rx=2 fill="var(--c${i % 4})"><title>${text}</title></rect>` +
        (size > 10 ? `<text class="${isNarrow ? '' : 'w'}" x=${x(b.first) + (isNarrow ? w : 0) + 4} y=${y + 11}>${i + 1}${w > 130 ? ': ' + text : ''}</text>` : '');
  });
  const table = buffers.map((b, i) => row([i + 1, link(lineOfOp(b.op)), rounded(b.offset), rounded(b.bytes), b.count, `<code>${escaped(b.type)}</code>`]));
  return `<h2>Shared memory over time</h2><svg viewBox="0 0 510 ${height + 16}" role=img aria-label="buffers by operation">${svg}</svg>` +
      `<details><summary>as numbers</summary><table><tr><th><th>line<th>offset<th>bytes<th>turns<th>type${table.join('')}</table></details>`;
}

function drawBarriers() {
  const rows = list('barriers').map(b => row([link(lineOfOp(b.op)), escaped(b.kind), escaped(b.hazard ?? ''), fields(ops[b.op]).loop === undefined ? 'once' : '↻ in a loop']));
  return '<h2>Barriers, and the hazard each serves</h2>' + (rows.length ? `<table>${rows.join('')}</table>` : absent('There is none.'));
}

/** Tiles that get from the layout of one operation to that of others. */
function drawConversions() {
  const name = number => number === undefined ? 'memory' : `<code>${escaped(fields(list('layouts')[number]).attribute ?? number)}</code>`;
  const rows = list('conversions').map(c => row([link(lineOfOp(c.op)), escaped(c.way), c.bytes ? `${rounded(c.bytes)} B` : '', fields(ops[c.op]).loop === undefined ? 'once' : '↻ in a loop', `<details><summary>layouts</summary>${name(c.from)} → ${name(c.to)}</details>`]));
  return '<h2>Tiles that change hands between threads</h2>' + (rows.length ? `<table>${rows.join('')}</table>` : absent('There is none.'));
}

function drawGroups() {
  const rows = list('groups').map(g => row([`<b>${escaped(g.name)}</b>`, `${rounded(g.warps)} warps`, g.registers ? `${rounded(g.registers)} registers` : '', `from ${link(lineOfOp(g.first))} to ${link(lineOfOp(g.last))}`]));
  return '<h2>Warp groups</h2>' + (rows.length ? `<table>${rows.join('')}</table>` : absent('All warps run the same code.'));
}

/** What rounds of a CPU's innermost loops take. */
function drawLoops() {
  if (!list('loops').length) return '';
  const parts = l => (l.lines ?? []).filter(part => part.line).map(part => link(lineOfPlace(part)) + (part.clocks === undefined ? '' : ' ' + rounded(part.clocks))).join(' ');
  const rows = list('loops').map(l => row([`${l.first} – ${l.last}`, ...l.simulated ? [graded(l.simulated), `${graded(l.least)} ${escaped(fields((l.ports ?? [])[0]).name ?? '')}`] : ['', absent(escaped(l.not_estimated ?? ''))], parts(l)]));
  return `<h2>Clocks of a round of innermost loops</h2><table><tr><th>assembly<th>simulated<th>at least, and the port<th>of the lines${rows.join('')}</table>` + absent('All data in the first cache.');
}

function drawOccupancy() {
  const [fit] = Array.isArray(D.occupancy) ? D.occupancy : fields(D.counters).occupancy ?? [D.occupancy];
  let body = '<h2>Occupancy</h2>';
  if (fields(fit).warps) {
    const most = fit.most_warps ?? 64, half = Math.ceil(most / 2);
    for (let i = 0, svg = ''; i < most; i++) {
      const used = i < fit.warps;
      svg += `<rect x=${i % half * 10} y=${(i / half | 0) * 13} width=8.5 height=11 rx=1.5 fill="${used ? 'var(--c1)' : 'none'}" stroke="var(--${used ? 'c1' : 'dim'})" />`;
      if (i === most - 1) body += `<svg viewBox="0 0 ${half * 10} 26" role=img aria-label="warps in use">${svg}</svg>`;
    }
    body += `<b>${rounded(fit.ctas)} CTA${fit.ctas > 1 ? 's' : ''}, ${rounded(fit.warps)} of ${most} warps</b>, limited by <b>${escaped(fit.limited_by ?? 'nothing')}</b> <span class=grade>${escaped(fit.registers_from ?? '')}</span>`;
  } else body += absent('Not known without a launch.');
  const resources = Object.entries(fields(D.resources)).map(([name, value]) => row([escaped(words(name)), graded(value)]));
  const {from, instructions, no_lines: unknown = D.no_sass} = fields(D.sass);
  if (from) resources.push(row(['SASS', `${rounded(instructions)} instructions <span class=grade>decided, ${escaped(from)}</span>`]));
  if (unknown) resources.push(row(['SASS', absent(escaped(unknown))]));
  return body + `<h2>Resources</h2><table>${resources.join('')}</table>`;
}

function drawLaunch() {
  const {grid, arguments: given} = fields(D.launch);
  if (!Array.isArray(given)) return '';
  const rows = given.map(({name, type, value, bytes}) => row([escaped(name), escaped(type ?? ''), value === undefined ? `${rounded(bytes ?? 0)} bytes` : escaped(value)]));
  return `<h2>Launch of ${escaped([].concat(grid ?? '').join(' × '))} programs</h2><table>${rows.join('')}</table>`;
}

function drawOthers() {
  const rest = list('hints').slice(1).map(hint => `<div><b>${escaped(hint.title ?? hint.code ?? '')}</b> <span class=ok>${gainOf(hint)}</span> <span class=grade>${escaped(hint.certainty ?? '')}</span> ${hintLine(hint)}<br>${escaped(hint.reason ?? '')}</div>`);
  const everywhere = remarks.filter(remark => lineOfPlace(remark.place) === undefined).map(saying);
  const pairs = object => Object.entries(fields(object)).map(([name, value]) => row([escaped(words(name)), escaped(typeof value === 'object' ? JSON.stringify(value) : value)])).join('');
  return (rest.length ? '<h2>Other changes, in order</h2>' + rest.join('') : '') +
      (everywhere.length ? `<h2>Of the whole kernel</h2><ul>${everywhere.join('')}</ul>` : '') +
      (pairs(D.options) ? `<h2>Options</h2><table>${pairs(D.options)}</table>` : '') + drawLaunch();
}
