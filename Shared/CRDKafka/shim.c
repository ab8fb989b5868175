/* All there is to the shim is in its header; the package manager wants one source file in a C module. */
#include "shim.h"
