import ServiceKit
import Testing

/// Generated requests, each measured alone: CPU and memory are linear in their size.
///
/// Each test runs in its own process, so that its memory is that of the request. Its output names the exceeded limits.
@Suite struct CostTests {
    @Test func ofTexts() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            CostRun.run([.text])
        }
        CostTests.check(result)
    }

    @Test func ofShapes() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            CostRun.run([.members, .elements, .nesting, .items])
        }
        CostTests.check(result)
    }

    private static func check(_ result: ExitTest.Result?) {
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(output.contains(CostRun.done) && !output.contains(CostRun.exceeded), "\(output)")
    }

    /// Tests the meter itself: it measures memory that was freed, and detects an exceeded bound.
    @Test func meterSeesMemoryThatIsFreed() async {
        await #expect(processExitsWith: .success) {
            let cost = CostMeter.measure {
                let block = [UInt8](repeating: 1, count: 32 << 20)
                precondition(block.last == 1)
            }
            precondition(cost.bytes >= 31 << 20, "\(cost)")
            precondition(cost.excess(for: 512 << 10) != nil && cost.excess(for: 1 << 20) == nil, "\(cost)")
            let slow = Cost(cpu: .milliseconds(106), bytes: 0)
            precondition(slow.excess(for: 2_000) != nil && slow.excess(for: 2_100) == nil)
        }
    }
}

/// The body of a test's process.
enum CostRun {
    static let done = "measured "
    static let exceeded = "exceeded: "
    private static let bytes = 24 << 10
    /// One of this many pairs of template and fragment is run; the fuzzer covers the others.
    private static let share = 7
    private static let excessesMaximum = 20

    /// Runs a share of the fragments for each template, such that each operation is run with each fragment.
    static func run(_ kinds: Set<HostileFragment.Kind>) {
        var worst: (cpu: Double, memory: Double) = (0, 0)
        var count = 0
        var excesses = 0
        for operation in HostileOperation.allCases {
            for (place, template) in operation.templates.enumerated() {
                let fragments = HostileFragment.all.filter { kinds.contains($0.kind) && $0.fits(template) }
                for (number, fragment) in fragments.enumerated() where (place + number).isMultiple(of: share) {
                    let bytes = min(bytes, operation.bytesMaximum)
                    let request = HostileRequest(operation, template: template, fragment: fragment, bytes: bytes)
                    // A warm-up: first use of code and tables is not a cost of the request. A smaller request would be
                    // answered differently: the refusal of a too large one touches a megabyte of code.
                    operation.work(on: request.bytes)
                    count += 1
                    guard let excess = measure(request, worst: &worst) else { continue }
                    print("\(exceeded)\(request) \(excess)")
                    excesses += 1
                    if excesses == excessesMaximum { return }
                }
            }
        }
        print("\(done)\(count) requests: at worst \(worst.cpu) µs and \(worst.memory) bytes a byte")
    }

    private static func measure(_ request: HostileRequest, worst: inout (cpu: Double, memory: Double)) -> String? {
        let body = request.bytes
        let cost = CostMeter.measure { request.operation.work(on: body) }
        worst.cpu = max(worst.cpu, cost.cpu.inSeconds * 1e6 / Double(body.count))
        worst.memory = max(worst.memory, Double(cost.bytes) / Double(body.count))
        return cost.excess(for: body.count)
    }
}
