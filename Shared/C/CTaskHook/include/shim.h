#pragma once

/// Gets a job that the Swift runtime is about to put on its global executor. A result other than zero means that the
/// handler took it and will run it.
typedef int (*carillon_job_handler)(void *job);

/// From now on every such job of the process is offered to the handler first.
void carillon_offer_jobs(carillon_job_handler handler);
