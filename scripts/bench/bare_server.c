/* bare_server PORT: accepts, reads one message of BARE_MESSAGE bytes, answers with as many, waits for the client's end,
 * closes. One thread, one epoll. With bare_client it tells what this machine's TCP costs without any login. */
#include "bare.h"

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: bare_server PORT\n");
        return 2;
    }
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in here = loopback(0, atoi(argv[1]));
    if (bind(listener, (struct sockaddr *)&here, sizeof here) < 0 || listen(listener, 1024) < 0) fail("listen");
    int poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event watch = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, listener, &watch) < 0) fail("epoll_ctl");
    char message[BARE_MESSAGE];
    for (;;) {
        struct epoll_event events[64];
        int n = epoll_wait(poller, events, 64, -1);
        if (n < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == listener) {
                while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
                    watch = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
                    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                    epoll_ctl(poller, EPOLL_CTL_ADD, fd, &watch);
                }
                continue;
            }
            ssize_t got = read(fd, message, sizeof message);
            if (got <= 0 || write(fd, message, sizeof message) != sizeof message) close(fd);
        }
    }
}
