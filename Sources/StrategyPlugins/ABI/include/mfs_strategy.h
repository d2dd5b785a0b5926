#ifndef MFS_STRATEGY_H
#define MFS_STRATEGY_H
#endif
