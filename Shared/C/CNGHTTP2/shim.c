// Swift calls libnghttp2 as it is; the package manager wants a source file in every C target.
#include "shim.h"
