import Glibc

/// A dedicated thread for C libraries that block: tasks of the concurrency runtime share as many threads as there are
/// cores, and one blocked thread stalls the service.
package struct NativeThread: ~Copyable {
    private let handle: pthread_t

    /// Starts immediately. The name shows in `top -H` and is cut to 15 characters.
    package init(name: String, _ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(ThreadBody(name: name, run: body))
        var handle = pthread_t()
        let status = pthread_create(&handle, nil, runThreadBody, box.toOpaque())
        precondition(status == 0, "cannot start a thread: \(String(cString: strerror(status)))")
        self.handle = handle
    }

    package consuming func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread run to its end without joining it.
    package consuming func detach() {
        pthread_detach(handle)
    }
}

/// Runs a call that may block on a dedicated thread and suspends until it returns.
package func onNativeThread<Result: Sendable>(
    _ name: String, body: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        NativeThread(name: name) { continuation.resume(returning: body()) }.detach()
    }
}

private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let body = Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    nameThisThread(body.name)
    body.run()
    return nil
}

/// Uses /proc, since glibc declares `pthread_setname_np` only for GNU C. A thread without a name works as well.
private func nameThisThread(_ name: String) {
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(name.utf8.prefix(15))
    _ = write(descriptor, bytes, bytes.count)
}
