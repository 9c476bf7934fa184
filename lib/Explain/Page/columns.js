// Source, IR and assembly side by side, and what there is to say of the chosen line.

let chosen, shownCode = assembly, shownStage = ['ttgir', 'ttir', 'plan'].find(name => name in stages);

/** Rows in groups, of which a browser lays out those that are seen. */
function rowsOf(rows) {
  let html = '';
  for (let i = 0; i < rows.length; i += 64) {
    const group = rows.slice(i, i + 64);
    html += `<div class=rows style="contain-intrinsic-size:auto ${group.length * 18}px">${group.join('')}</div>`;
  }
  return html;
}

function markOf(line) {
  const said = remarksOf(line);
  if (said.some(isMissed)) return '<span class=no title="not done">▲</span>';
  return said.length ? '<span class=ok title="done">✓</span>' : '';
}

function drawSource() {
  const rows = lines.map((line, i) => {
    const share = shareOf(line), percent = Math.round(share * 100);
    return `<div class=row data-line=${i}><span class=heat>${share ? `<i style="width:${share * 40}px"></i>${percent}%` : ''}</span>` +
        `<span class=mark>${markOf(line)}</span><span class=n>${nameOf(i)}</span><span${line.text === undefined ? ' class=dim' : ''}>${escaped(line.text ?? list('files')[line.file] ?? 'code of no line')}</span></div>`;
  });
  $('source').innerHTML = `<h2>source${lines.some(shareOf) ? ' · share of the predicted time' : ''}</h2>` + rowsOf(rows);
}

function drawStage(id, name, others) {
  const title = others.map(other => `<button data-stage="${other}" aria-pressed=${other === name}>${other}</button>`).join(' ');
  const rows = !name ? [] : stages[name].split('\n').map((text, i) => {
    const line = lineOfRow[name][i + 1];
    return `<div class=row${line === undefined ? '' : ` data-line=${line}`}><span class=n>${line === undefined ? '' : nameOf(line)}</span><span>${escaped(text)}</span></div>`;
  });
  $(id).innerHTML = `<h2>${title || name || 'no code of this stage'}</h2>` + rowsOf(rows);
}

function drawIR() {
  drawStage('ir', shownStage, ['ttgir', 'ttir', 'plan'].filter(name => name in stages));
}

function drawCode() {
  drawStage('asm', shownCode, codes.length > 1 ? codes : []);
}

function light(i, kind) {
  for (const row of document.querySelectorAll('.row.' + kind)) row.classList.remove(kind);
  if (i !== undefined)
    for (const row of document.querySelectorAll(`.row[data-line="${i}"]`)) row.classList.add(kind);
}

/** Chooses a line; the columns follow, but for the one that it was chosen in. */
function choose(i, column) {
  if (!lines[i]) return;
  chosen = i;
  light(i, 'chosen');
  for (const id of ['source', 'ir', 'asm']) {
    const row = id !== column && $(id).querySelector('.row.chosen');
    if (row) $(id).scrollTop += row.getBoundingClientRect().top - $(id).getBoundingClientRect().top - $(id).clientHeight / 3;
  }
  if (location.hash.slice(1) !== nameOf(i)) history.replaceState(null, '', '#' + nameOf(i));
  drawDetail();
  followLayout(i);
}

const item = text => `<li>${text}</li>`;
const saying = remark => item(`${escaped(remark.message)} <span class=grade>${escaped(remark.pass ?? '')}</span>`);

function drawDetail() {
  const line = lines[chosen];
  if (!line) {
    $('detail').innerHTML = '<span class=dim>Choose a line: j and k, or click. The columns follow.</span>';
    return;
  }
  const said = remarksOf(line), done = said.filter(r => !isMissed(r)), missed = said.filter(isMissed);
  const costs = [];
  if (line.share) costs.push(`${rounded(shareOf(line) * 100)} % of the predicted time <span class=grade>${escaped(fields(line.share).grade ?? '')}</span>`);
  if (line.instructions) costs.push('instructions of the code: ' + graded(line.instructions));
  if (line.sass) {
    const {instructions, classes, stall, waits} = fields(line.sass);
    costs.push(`instructions of SASS: ${rounded(instructions)} <span class=grade>decided</span> ${escaped(Object.entries(fields(classes)).map(([name, n]) => words(name) + ' ' + n).join(', '))}`);
    if (stall) costs.push(`of SASS run once: ${rounded(stall)} clocks of stalls, ${rounded(waits)} wait for results`);
  }
  for (const [name, value] of Object.entries(fields(line.counters)))
    if (typeof value === 'number' && value) costs.push(`${words(name)}: ${rounded(value)} <span class=grade>simulated</span>`);
  $('detail').innerHTML = `<b>${escaped(list('files')[line.file] ?? '')}:${line.line}</b> <code>${escaped((line.text ?? '').trim())}</code><div class=three>` +
      `<div><span class=ok>✓ done</span><ul>${done.map(saying).join('') || item('<span class=dim>nothing of note</span>')}</ul></div>` +
      `<div>${missed.length ? `<span class=no>▲ not done, and why</span><ul>${missed.map(saying).join('')}</ul>` : `<span class=dim>${remarks.length ? 'nothing missed' : 'nothing was said'}</span>`}</div>` +
      `<div><span class=dim>cost</span><ul class=costs>${costs.map(item).join('') || item('<span class=dim>not counted</span>')}</ul></div></div>`;
}
