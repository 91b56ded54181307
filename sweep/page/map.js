'use strict';

/* The map of a sweep over one or two quantities: a table whose cells are coloured by h*, which is chart and
 * table at once. */

/* The last part of a path, or the one before a `.name`, as reports call it: lr, schedule. */
function axisName(path_) {
    return path_.replace(/\.name$/, '').split('.').pop();
}

/* The classes of colour of the values of h*, by rank. */
function starShades(map) {
    const stars = [...new Set(map.cells.map(c => c.h_star).filter(Boolean))].sort((x, y) => x - y);
    return star => (star ? shade(stars.indexOf(star), stars.length, 'h') : '');
}

/* h*, or why there is none, as the report says it: a setting that no head count solves has one in name
 * only. */
function starText(cell) {
    const missing = {at_chance: 'at chance', single: 'one head count', untrained: 'none trained', unfinished: 'not finished'};
    if (cell.h_star !== null) return String(cell.h_star);
    return missing[cell.kind] ?? (cell.unsolved ? 'unsolved' : 'nothing yet');
}

/* A cell, which picks its setting. */
function mapCell(view, i, shades) {
    const c = view.report.map.cells[i],
        verdict = view.settings[i]?.verdict;
    return c
        ? element(
              'td',
              {class: `heat ${shades(c.h_star)}`, 'data-value': c.h_star},
              element(
                  'button',
                  {type: 'button', 'aria-pressed': String(i === view.index), onclick: () => view.pick(i)},
                  element('strong', {}, starText(c)),
                  isCompared(verdict) ? element('span', {}, ` ${setName(verdict)} ${plateauText(verdict)}`) : null,
              ),
          )
        : element('td', {});
}

/* A table whose cells are coloured: cell(x, y) makes the one of two values; names are shown of them. */
function heatTable({caption, corner, across, acrossName = String, down, downName = String, cell: make}) {
    return element(
        'table',
        {class: 'heatmap'},
        element('caption', {}, foreign(caption)),
        element(
            'thead',
            {},
            element(
                'tr',
                {},
                element('th', {scope: 'col'}, foreign(corner)),
                across.map(x => element('th', {scope: 'col'}, foreign(acrossName(x)))),
            ),
        ),
        element(
            'tbody',
            {},
            down.map(y =>
                element(
                    'tr',
                    {},
                    element('th', {scope: 'row'}, foreign(downName(y))),
                    across.map(x => make(x, y)),
                ),
            ),
        ),
    );
}

function mapTable(view, map) {
    const [across, down] = map.axes.map(axisName),
        shades = starShades(map);
    const values = k => [...new Set(map.cells.map(c => c.at[k]))].sort((x, y) => x - y);
    const cellAt = (x, y) => map.cells.findIndex(c => c.at[0] === x && (y === null || c.at[1] === y));
    return heatTable({
        caption: `Fewest heads within 0.005 of the best, by ${across}${down ? ` (across) and ${down} (down)` : ''}`,
        corner: down ? `${down} \\ ${across}` : across,
        across: values(0),
        down: down ? values(1) : [null],
        downName: y => (y === null ? 'h*' : String(y)),
        cell: (x, y) => mapCell(view, cellAt(x, y), shades),
    });
}

function mapFigure(view) {
    const {map} = view.report;
    return map
        ? element(
              'figure',
              {},
              element(
                  'figcaption',
                  {},
                  element('h3', {}, `Map over ${map.axes.map(axisName).map(plain).join(' and ')}`),
                  element(
                      'p',
                      {},
                      'Large: h*, the fewest heads whose mean validation value is within 0.005 of the best. Small: the ' +
                          'confidence set or, with a margin, the plateau.',
                  ),
              ),
              scrolling('Map', mapTable(view, map)),
              mapLine(map.fit, ''),
              map.fit_above_floor
                  ? mapLine(map.fit_above_floor, 'Without settings where h* is the smallest head count tried: ')
                  : null,
          )
        : null;
}

function mapLine(fit, opening) {
    if (!fit.possible) return null;
    const terms = fit.terms.map(t => {
        const value = fixed(Math.abs(t.estimate), 2),
            sign = t.estimate < 0 ? ' \u2212 ' : ' + ';
        return t.log2_of ? `${sign}${value} log2 ${axisName(t.log2_of)}` : fixed(t.estimate, 2);
    });
    const slopes = fit.terms
        .filter(t => t.log2_of && t.ci95_low !== null)
        .map(t => `${axisName(t.log2_of)} [${fixed(t.ci95_low, 2)}, ${fixed(t.ci95_high, 2)}]`);
    return element(
        'p',
        {},
        foreign(
            `${opening}log2 h* = ${terms.join('')}, R\u00b2 ${fixed(fit.r_squared, 2)}; ` +
                (slopes.length ? `95% of the slopes: ${slopes.join(', ')}.` : 'how far the slopes may lie off is not known.'),
        ),
    );
}
