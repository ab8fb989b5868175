// Swift calls libnghttp2 directly; the package manager requires a source file in every C target.
#include "shim.h"
