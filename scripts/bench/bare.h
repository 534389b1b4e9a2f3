/* What both ends of the bare pair agree on. */
#ifndef PEAJE_BENCH_BARE_H
#define PEAJE_BENCH_BARE_H

#include "common.h"

/* About the size of a start-up packet. Sent in one write, so it arrives in one piece on loopback. */
#define BARE_MESSAGE 64

#endif
