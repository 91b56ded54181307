'use strict';

/* Begins the live page: F/S/ is the page of sweep S of file F, all else the list. */

const address = location.pathname.match(/\/(\d+)\/\d+\/$/);
makeFrame();
if (address) livePage(Number(address[1]));
else liveIndex();
