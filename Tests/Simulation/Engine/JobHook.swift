import CTaskHook
import Glibc

/// Leads the jobs of tasks to the loop of the thread that enqueues them. Threads without a loop keep the runtime's
/// executor.
enum JobHook {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "no thread-local storage")
        return key
    }()

    private static let install: Void = carillon_offer_jobs { job in
        guard let job, let loop = pthread_getspecific(JobHook.key) else { return 0 }
        Unmanaged<StepLoop>.fromOpaque(loop).takeUnretainedValue().add(unsafeBitCast(job, to: UnownedJob.self))
        return 1
    }

    /// The runtime's generic executor, which is written as two zero words.
    static let executor = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)

    static func collect<Result>(by loop: StepLoop, _ body: () -> Result) -> Result {
        _ = install
        pthread_setspecific(key, Unmanaged.passUnretained(loop).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return body()
    }
}
