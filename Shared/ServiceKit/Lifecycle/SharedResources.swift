/// Resources shared by several services of a process. Listed first, they are closed after all services have stopped.
package struct SharedResources: Service {
    package let name = "shared resources"
    private let close: @Sendable () async -> Void
    private let stopped = OneTimeEvent()

    package init(_ close: @escaping @Sendable () async -> Void) {
        self.close = close
    }

    package func run() async {
        await stopped.wait()
        await close()
    }

    package func stop() {
        stopped.happen()
    }
}
