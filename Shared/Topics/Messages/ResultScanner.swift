import Glibc
import PushModel
import ServiceKit

/// Decodes results in exactly the form that `ResultBatch` writes, several times faster than via a tree of values: a
/// broadcast has millions. Any other form (other whitespace, another order, an escape) gives nil, which does not make
/// it invalid: the parser decides then.
///
/// The bytes belong to the caller of `batch`, which outlives it.
struct ResultScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// Consecutive results mostly have the same provider, state and reason.
    private var provider = Memory<PushProtocol> { PushProtocol(name: $0) }
    private var state = Memory<DeliveryState> { DeliveryState(name: $0) }
    private var reason = Memory<String> { $0 }

    static func batch(_ bytes: [UInt8]) -> ResultBatch? {
        bytes.withUnsafeBufferPointer { buffer in
            var scanner = ResultScanner(bytes: buffer)
            return scanner.batch()
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func batch() -> ResultBatch? {
        guard skip("{\"version\":1,\"task\":\""), let taskText = text(), let task = TaskID(string(taskText)),
            skip(",\"app\":\""), let app = text().flatMap({ try? AppID(string($0)) }),
            skip(",\"time\":\""), let time = text().flatMap({ Timestamp(rfc3339: string($0)) }),
            skip(",\"results\":[")
        else { return nil }
        var results: [DeviceResult] = []
        results.reserveCapacity(bytes.count / 150)
        while !skip("]") {
            guard results.isEmpty || skip(","), let result = result(of: taskText) else { return nil }
            results.append(result)
        }
        guard skip("}"), position == bytes.count else { return nil }
        return ResultBatch(task: task, app: app, time: time, results: results)
    }

    private mutating func result(of task: Range<Int>) -> DeviceResult? {
        guard skip("{\"id\":\""), skip(task), skip("/"), text() != nil,
            skip(",\"device\":\""), let device = text().flatMap({ DeviceID(string($0)) }),
            skip(",\"provider\":\""), let name = text(), let provider = provider.value(of: name, in: bytes),
            skip(",\"state\":\""), let name = text(), let state = state.value(of: name, in: bytes),
            skip(",\"attempt\":"), let attempt = number().flatMap({ UInt8(exactly: $0) }),
            skip(",\"status\":"), let status = number().flatMap({ UInt16(exactly: $0) }),
            skip(",\"reason\":\""), let words = text(), let reason = reason.value(of: words, in: bytes)
        else { return nil }
        var attempted: Timestamp?
        if skip(",\"attempted\":\"") {
            guard let moment = text().flatMap({ Timestamp(rfc3339: string($0)) }) else { return nil }
            attempted = moment
        }
        let isCounted = skip(",\"counted\":true")
        guard skip("}") else { return nil }
        return DeviceResult(
            device: device, provider: provider, state: state, attempt: attempt, status: status, reason: reason,
            isCounted: isCounted, attempted: attempted)
    }

    private mutating func skip(_ literal: StaticString) -> Bool {
        skip(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private mutating func skip(_ earlier: Range<Int>) -> Bool {
        skip(UnsafeBufferPointer(rebasing: bytes[earlier]))
    }

    private mutating func skip(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = position + expected.count
        guard end <= bytes.count, ResultScanner.areEqual(UnsafeBufferPointer(rebasing: bytes[position..<end]), expected)
        else { return false }
        position = end
        return true
    }

    /// Reads up to and including the quotation mark. Printable ASCII without escapes.
    private mutating func text() -> Range<Int>? {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return start..<position - 1
            }
            guard 0x20...0x7E ~= byte, byte != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return nil
    }

    /// A JSON number without a sign, and without leading zeros.
    private mutating func number() -> Int? {
        let start = position
        var value = 0
        while position < bytes.count, bytes[position].isASCIIDigit, position - start < 6 {
            value = value * 10 + Int(bytes[position] - UInt8(ascii: "0"))
            position += 1
        }
        let length = position - start
        return length == 0 || (length > 1 && bytes[start] == UInt8(ascii: "0")) ? nil : value
    }

    private func string(_ range: Range<Int>) -> String {
        // Printable ASCII, as checked by `text`: no second check for each of millions.
        String(decoding: bytes[range], as: UTF8.self)
    }

    fileprivate static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard let left = left.baseAddress, let start = right.baseAddress else { return true }
        return memcmp(left, start, right.count) == 0
    }
}

/// Caches the last text and its value.
private struct Memory<Value> {
    private let read: (String) -> Value?
    private var last: (text: Range<Int>, value: Value)?

    init(_ read: @escaping (String) -> Value?) {
        self.read = read
    }

    mutating func value(of text: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        if let last,
            ResultScanner.areEqual(
                UnsafeBufferPointer(rebasing: bytes[last.text]), UnsafeBufferPointer(rebasing: bytes[text]))
        {
            return last.value
        }
        guard let value = read(String(decoding: bytes[text], as: UTF8.self)) else { return nil }
        last = (text, value)
        return value
    }
}
