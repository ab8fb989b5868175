#include "shim.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// One request on its way through both threads. `next` is its place in the queue; the library stores a pointer to it.
struct request {
    struct MHD_Connection *connection;
    struct request *next;
    bool is_answered;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct request *first;
    struct request **end;
    const char *answer;
} work = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/// The handler thread: answering only sets a flag.
static void *answer_requests(void *unused) {
    for (;;) {
        pthread_mutex_lock(&work.lock);
        while (!work.first) pthread_cond_wait(&work.changed, &work.lock);
        struct request *request = work.first;
        work.first = NULL;
        work.end = &work.first;
        pthread_mutex_unlock(&work.lock);
        while (request) {
            // After resuming, the request belongs to the library's thread.
            struct request *next = request->next;
            request->is_answered = true;
            MHD_resume_connection(request->connection);
            request = next;
        }
    }
    return unused;
}

static void hand_over(struct request *request) {
    MHD_suspend_connection(request->connection);
    pthread_mutex_lock(&work.lock);
    request->next = NULL;
    *work.end = request;
    work.end = &request->next;
    pthread_cond_signal(&work.changed);
    pthread_mutex_unlock(&work.lock);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(work.answer), (void *)work.answer, MHD_RESPMEM_PERSISTENT);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_CREATED, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_bytes, void **slot) {
    struct request *request = *slot;
    if (!request) {
        request = *slot = calloc(1, sizeof(*request));
        if (!request) return MHD_NO;
        request->connection = connection;
        return MHD_YES;
    }
    if (*upload_bytes) {
        *upload_bytes = 0;
        return MHD_YES;
    }
    if (request->is_answered) return send_answer(connection);
    hand_over(request);
    return MHD_YES;
}

static void end_request(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code) {
    free(*slot);
    *slot = NULL;
}

uint16_t cmicrohttpd_start_bare(const char *answer) {
    work.answer = answer;
    work.end = &work.first;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    pthread_t thread;
    if (pthread_create(&thread, NULL, answer_requests, NULL)) return 0;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 10000u,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    return info ? info->port : 0;
}
