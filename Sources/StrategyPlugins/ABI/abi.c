// The module is its headers; this file has the compiler check that they stand on their own.
#include "mfs_strategy.h"
#include "mfs_strategy_fingerprint.h"
