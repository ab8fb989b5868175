import Synchronization

/// The order of all that happened in a history, as a number, and as lines if somebody wants to read them.
final class Trace: Sendable {
    fileprivate struct State {
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        var lines: [String] = []
    }

    private let keepsLines: Bool
    private let state = Mutex(State())

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    var digest: UInt64 { state.withLock { $0.digest } }
    var lines: [String] { state.withLock { $0.lines } }

    /// The time is in milliseconds.
    func note(_ time: Int64, process: String, effect: StaticString) {
        state.withLock { state in
            state.add(time)
            for byte in process.utf8 { state.add(byte) }
            for offset in 0..<effect.utf8CodeUnitCount { state.add(effect.utf8Start[offset]) }
            if keepsLines { state.lines.append("\(Trace.text(time)) \(process) \(effect)") }
        }
    }

    func note(_ time: Int64, event: String) {
        state.withLock { state in
            state.add(time)
            for byte in event.utf8 { state.add(byte) }
            if keepsLines { state.lines.append("\(Trace.text(time)) \(event)") }
        }
    }

    private static func text(_ time: Int64) -> String {
        let milliseconds = String(time)
        return String(repeating: " ", count: max(0, 9 - milliseconds.count)) + milliseconds
    }
}

extension Trace.State {
    fileprivate mutating func add(_ byte: UInt8) {
        digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
    }

    fileprivate mutating func add(_ time: Int64) {
        let number = UInt64(bitPattern: time)
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
