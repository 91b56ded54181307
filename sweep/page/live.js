'use strict';

/* Begins the live page: F/S/ is the page of sweep S of file F, all else the list. */

const sweep = location.pathname.match(/\/(\d+)\/\d+\/$/);
makeFrame();
if (sweep) livePage(Number(sweep[1]));
else liveIndex();
