#include "mfs_strategy.h"
