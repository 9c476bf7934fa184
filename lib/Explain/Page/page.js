// The page: its parts, what is clicked, keys.

const known = 1; // the version of documents that this page was made for
const keys = [['j k', 'next, previous line'], ['n p', 'next, previous line on which something was not done'],
              ['1 – 9', 'the line that costs most, second most, …'], ['l', 'next layout'], ['c', 'colour by lane, warp, register'],
              ['/', 'search; Enter: next'], ['t', 'theme'], ['?', 'these keys'], ['Esc', 'close']];

function build() {
  const about = [D.target, D.code_for].filter(x => x).map(escaped).join(' · ');
  const notice = D.format === 'tritium-explain' && D.version === known ? '' :
      `<div class="card notice" role=note>▲ This document is of version ${escaped(D.version ?? 'unknown')}; this page reads version ${known}. What it does not know is left out.</div>`;
  document.body.innerHTML = `<header><h1>${escaped(D.kernel ?? '')}</h1><span class=dim>${about}</span>` +
      '<span class=right><input id=search type=search placeholder="/ search" aria-label="search"> <button id=theme title="t">theme</button> <button id=help title="?">keys</button></span></header>' + notice +
      '<div class=top><section class="card one" id=change></section><section class=card id=bounds></section></div>' +
      '<div class=columns><div class=code id=source tabindex=0 aria-label="source"></div><div class=code id=ir tabindex=0 aria-label="IR"></div><div class=code id=asm tabindex=0 aria-label="assembly"></div></div>' +
      '<section class="card detail" id=detail aria-live=polite></section>' +
      `<div class=charts><div class=card><section id=layout></section><section id=banks style="margin-top:12px"></section></div><div class=card>${drawPipeline()}${drawMemory()}${drawBarriers()}${drawConversions()}${drawGroups()}</div><div class=card>${drawLoops()}${drawOccupancy()}${drawOthers()}</div></div>` +
      `<dialog id=keys><b>Keys</b><table>${keys.map(([key, what]) => `<tr><td><code>${key}</code><td>${what}`).join('')}</table></dialog>`;
  drawChange(); drawBounds(); drawSource(); drawIR();
  drawCode();
  drawDetail(); drawLayout();
}

function theme() {
  const {dataset} = document.documentElement;
  dataset.theme = dataset.theme === 'dark' ? 'light' : 'dark';
  drawLayout();
}

/** The next line of which `holds`, from the chosen one on, around the end. */
function step(by, holds) {
  for (let n = 1; n <= lines.length; n++) {
    const from = chosen ?? (by > 0 ? -1 : lines.length), i = (from + by * n + lines.length * 2) % lines.length;
    if (holds(lines[i])) { choose(i); return; }
  }
}
const hasCode = line => fields(line.ops).length || fields(line.remarks).length;
const instructionsOf = line => +fields(line.instructions).value || 0;
const costliest = () => lines.map((_, i) => i).filter(i => shareOf(lines[i]) || instructionsOf(lines[i]))
    .sort((a, b) => shareOf(lines[b]) - shareOf(lines[a]) || instructionsOf(lines[b]) - instructionsOf(lines[a]));

function search(text) {
  for (const old of document.querySelectorAll('.row.found')) old.classList.remove('found');
  const rows = text ? [...document.querySelectorAll('.row')].filter(r => r.textContent.includes(text)) : [];
  for (const found of rows) found.classList.add('found');
  const next = rows.find(r => +r.dataset.line > (chosen ?? -1)) ?? rows.find(r => r.dataset.line);
  if (next) choose(+next.dataset.line);
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.id === 'search') {
    if (event.key === 'Enter') search(event.target.value);
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const actions = {
    j: () => step(1, hasCode), k: () => step(-1, hasCode),
    n: () => step(1, line => remarksOf(line).some(isMissed)), p: () => step(-1, line => remarksOf(line).some(isMissed)),
    l: () => { if (drawn.length) { layout = (layout + 1) % drawn.length; drawLayout(); } },
    c: () => { colour = (colour + 1) % colours.length; drawLayout(); },
    t: theme, '?': () => $('keys').showModal(), '/': () => $('search').focus(),
  };
  const act = actions[event.key] ?? (/^[1-9]$/.test(event.key) ? () => choose(costliest()[event.key - 1]) : null);
  if (act) { event.preventDefault(); act(); }
}

function click(event) {
  const button = event.target.closest('button'), row = event.target.closest('.row[data-line]');
  if (row) choose(+row.dataset.line, row.closest('.code').id);
  if (!button) return;
  const {go, stage, colour: by} = button.dataset;
  if (go) choose(+go);
  if (by) { colour = +by; drawLayout(); }
  if (codes.includes(stage)) { shownCode = stage; drawCode(); choose(chosen); }
  else if (stage) { shownStage = stage; drawIR(); choose(chosen); }
  if (button.id === 'next') { layout = (layout + 1) % drawn.length; drawLayout(); }
  if (button.id === 'theme') theme();
  if (button.id === 'help') $('keys').showModal();
}

/** The line that the address names: #39, or #1:39 of another file. */
function goToAddress() {
  const name = decodeURIComponent(location.hash.slice(1)), i = lineAt.get(name.includes(':') ? name : '0:' + name);
  if (i !== undefined && i !== chosen) choose(i);
  return i !== undefined;
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme:dark)').matches ? 'dark' : 'light';
build();
addEventListener('keydown', press);
addEventListener('click', click);
addEventListener('hashchange', goToAddress);
addEventListener('mouseover', event => light(event.target.closest?.('.row[data-line]')?.dataset.line, 'over'));
if (!goToAddress()) {
  const [hint] = list('hints'), i = hint && (lineOfPlace(hint.place) ?? lineAt.get('0:' + hint.line));
  choose(i ?? costliest()[0] ?? lines.findIndex(hasCode));
}
