// The module is its headers; this file has the compiler check that they, and the helpers for C, stand on their own.
#include "mfs_gateway.h"
#include "mfs_plugin.h"
#include "mfs_strategy.h"
#include "mfs_strategy_fingerprint.h"
