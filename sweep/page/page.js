'use strict';

const page = JSON.parse(document.getElementById('data').textContent);
const heading = document.createElement('h1');
heading.textContent = page.summary.report.question || page.summary.report.sweep;
document.body.append(heading);
for (const set of page.summary.report.settings)
    for (const sentence of set.verdict.sentences) {
        const p = document.createElement('p');
        p.textContent = sentence;
        document.body.append(p);
    }
