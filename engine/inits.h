/* Each initialisation by its name. Apart from init.h, so that one more of them leaves what uses
 * only the table as it was built. */
#ifndef ENGINE_INITS_H
#define ENGINE_INITS_H

#include "engine/init.h"

#define INIT(name, what) extern const struct init init_##name;
#include "engine/inits.def"
#undef INIT

#endif
