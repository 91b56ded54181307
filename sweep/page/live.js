'use strict';

/* Begins the live page: F/S/ is the page of sweep S of file F, F/S/?with=T of S and T side by side, all else the
 * list. */

const sweep = location.pathname.match(/\/(\d+)\/\d+\/$/);
makeFrame();
if (!sweep) liveIndex();
else if (location.search) liveComparison(Number(sweep[1]));
else livePage(Number(sweep[1]));
