/* Shared by the yardstick programs: a clock, a failure that speaks, and sockets that connect from many loopback
 * addresses, as peaje's do, so that ephemeral ports slow nobody down. */
#ifndef PEAJE_BENCH_COMMON_H
#define PEAJE_BENCH_COMMON_H

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SOURCES 64

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline struct sockaddr_in loopback(uint32_t offset, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + offset);
    return address;
}

/* A non-blocking socket on its way to 127.0.0.1:port, watched for both directions on `poller`. */
static inline int dial(int poller, int port, uint32_t slot) {
    static uint32_t attempt;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    struct sockaddr_in source = loopback(attempt++ % SOURCES, 0), target = loopback(0, port);
    if (bind(fd, (struct sockaddr *)&source, sizeof source) < 0) fail("bind");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, (struct sockaddr *)&target, sizeof target) < 0 && errno != EINPROGRESS) fail("connect");
    struct epoll_event watch = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u32 = slot};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &watch) < 0) fail("epoll_ctl");
    return fd;
}

#endif
