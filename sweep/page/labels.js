'use strict';

/* Where labels of a chart stand so that they cover neither marks nor each other. A box is {left, right, top, bottom}. */

const LETTER = 6.8; // the width of one, about, in the 12 px of page.css

function boxAround(x, y, across, along = across) {
    return {left: x - across, right: x + across, top: y - along, bottom: y + along};
}

/* What a label drawn at x, y takes. */
function labelBox(x, y, text, anchor = 'start') {
    const width = LETTER * text.length,
        left = x - width * {start: 0, middle: 0.5, end: 1}[anchor];
    return {left, right: left + width, top: y - 11, bottom: y + 3};
}

/* Boxes along a line from one point to another. */
function boxesAlong([x0, y0], [x1, y1]) {
    const n = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 6);
    return Array.from({length: n}, (_, i) => boxAround(x0 + ((x1 - x0) * i) / n, y0 + ((y1 - y0) * i) / n, 2));
}

function doMeet(a, b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/* Of places {x, y, anchor} for a text the first that covers the fewest of the boxes, within the frame; undefined where
 * none is within. */
function freestPlace(f, text, places, taken) {
    let best,
        least = Infinity;
    for (const place of places) {
        const box = labelBox(place.x, place.y, text, place.anchor);
        if (box.left < f.left || box.right > f.right + (f.beyond ?? 0) || box.top < f.top - 11 || box.bottom > f.bottom) continue;
        const covered = taken.filter(other => doMeet(box, other)).length;
        if (covered < least) [best, least] = [place, covered];
        if (!covered) break;
    }
    return best;
}

/* Places for the name of a level line: above it from left to right, then below it. */
function placesAlong(f, y) {
    const places = [];
    for (const at of [y - 5, y + 14]) for (let x = f.left + 4; x < f.right; x += 8) places.push({x, y: at, anchor: 'start'});
    return places;
}

/* Places for the name of a point: beside it, and ever farther around it, the more of them the farther. */
function placesAround(x, y) {
    const at = (radius, angle) => {
        const dx = Math.cos(angle);
        return {x: x + radius * dx, y: y + 4 + radius * Math.sin(angle), anchor: dx > 0.1 ? 'start' : dx < -0.1 ? 'end' : 'middle', radius};
    };
    const near = radius => [0, 1, 3, 2, 4, 5, 7, 6].map(eighth => at(radius, (eighth * Math.PI) / 4)),
        far = radius => Array.from({length: 24}, (_, i) => at(radius, (i * Math.PI) / 12));
    return [at(9, 0), ...[14, 22, 30, 40].flatMap(near), ...[52, 66, 82, 100, 120, 145, 170].flatMap(far)];
}
