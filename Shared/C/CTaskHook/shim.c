#include "shim.h"

#define SWIFT __attribute__((swiftcall))

typedef SWIFT void (*enqueue_function)(void *job);

// Part of the Swift runtime.
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, enqueue_function original);

static carillon_job_handler job_handler;

static SWIFT void offer(void *job, enqueue_function original) {
    if (!job_handler(job)) original(job);
}

void carillon_offer_jobs(carillon_job_handler handler) {
    job_handler = handler;
    swift_task_enqueueGlobal_hook = offer;
}
