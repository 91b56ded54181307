'use strict';

/* What the address says behind '#', so that back, forward and reload work: the picked setting, and a place
 * on the page or a trial that is shown alone (trial.js).
 *
 *   #heads                       a section, of the first setting
 *   #setting=d_head%3D8          a setting, by its label
 *   #setting=d_head%3D8&heads    a section of it
 *   #trial-7                     a trial, of whichever setting
 *
 * Of a setting that is not the first, each section has an anchor whose id is its whole address, so that the
 * browser itself goes there. */

/* {setting: its label, or null; trial: its number, or 0}. */
function readAddress() {
    const text = location.hash.slice(1);
    let setting = text.match(/^setting=([^&]*)/)?.[1] ?? null;
    try {
        setting &&= decodeURIComponent(setting);
    } catch {
        setting = null; // no text that this page wrote
    }
    return {setting, trial: Number(text.match(/^trial-(\d+)$/)?.[1] ?? 0)};
}

/* The address of a setting. */
function settingAddress(set) {
    return `#setting=${encodeURIComponent(set.label)}`;
}

/* The address of a place, of the picked setting. */
function placeAddress(view, place) {
    return view.index ? `${settingAddress(view.set)}&${place}` : `#${place}`;
}

/* What the browser goes to by that address, where the place's own id is another one. */
function placeAnchor(view, place) {
    return view.index ? element('span', {id: `setting=${view.set.label}&${place}`}) : null;
}

/* What is at the address; null: nothing. */
function addressedPlace() {
    try {
        return location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    } catch {
        return null;
    }
}

/* Which setting has a label; of those that none has, the first. */
function settingIndex(view, label) {
    return Math.max(
        0,
        view.settings.findIndex(set => set.label === label),
    );
}

/* Whether a trial is of the picked setting. */
function isOfSetting(view, trial) {
    return view.settings.length < 2 || trial.setting === view.set.text;
}
