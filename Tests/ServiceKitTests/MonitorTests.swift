import ServiceKit
import TestSupport
import Testing

@Suite struct MonitorTests {
    @Test func aWaiterSeesTheChange() async {
        let monitor = Monitor(0)
        let isWaiting = Monitor(false)
        async let seen = blocking {
            monitor.wait(timeout: .hangLimit) { value -> Int? in
                isWaiting.change { $0 = true }
                return value == 2 ? value : nil
            }
        }
        _ = await blocking { isWaiting.wait(timeout: .hangLimit) { $0 ? true : nil } }
        monitor.change { $0 = 1 }
        monitor.change { $0 = 2 }
        #expect(await seen == 2)
    }

    /// A deadline in the past, also by a fraction of a second, and one so far away that adding it would overflow.
    @Test(arguments: [Duration.zero, .milliseconds(-300), .seconds(-5), .milliseconds(20)])
    func aWaitEnds(timeout: Duration) async {
        let monitor = Monitor(0)
        #expect(await blocking { monitor.wait(timeout: timeout) { _ in Bool?.none } } == nil)
    }

    @Test func aWaitMayBeLongerThanTheClock() async {
        let monitor = Monitor(1)
        #expect(await blocking { monitor.wait(timeout: .seconds(Int64.max)) { Optional($0) } } == 1)
    }

    @Test func anErrorLeavesTheLockOpen() {
        struct TestError: Error {}
        let monitor = Monitor(1)
        #expect(throws: TestError.self) { try monitor.withLock { _ throws(TestError) in throw TestError() } }
        #expect(monitor.withLock { $0 } == 1)
    }
}
