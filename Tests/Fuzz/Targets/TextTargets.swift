import LocalTime
import RedisClient

@testable import PushModel
@testable import ServiceKit

/// Small texts: ids, times, lengths, addresses. Each has one meaning, and its printed form is read back unchanged.
enum TextTargets {
    static func texts(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try ids(text)
        try quantities(text)
        try traceContext(text)
        try encodings(bytes, text: text)
        try outsideText(bytes)
    }

    private static func ids(_ text: String) throws {
        if let id = DeviceID(text) { try FuzzError.check(id.description == text, message: "a device has two ids") }
        if let id = TaskID(text) {
            try FuzzError.check(id.description == text.lowercased(), message: "\(text) prints as \(id)")
            try FuzzError.check(TaskID(bytes: id.bytes) == id, message: "a task's bytes differ")
        }
        if let app = try? AppID(text) { try FuzzError.check("\(app)" == text, message: "an app prints differently") }
        if let name = try? TopicName(text) {
            try FuzzError.check("\(name)" == text, message: "a topic prints differently")
        }
    }

    private static func quantities(_ text: String) throws {
        if let duration = DurationText.parse(text) {
            let again = DurationText.parse(DurationText.print(duration))
            try FuzzError.check(again == duration, message: "\(text) changes when printed")
        }
        if let bytes = ByteText.parse(text) {
            try FuzzError.check(
                ByteText.parse(ByteText.print(bytes)) == bytes, message: "\(text) changes when printed")
        }
        if let time = Timestamp(rfc3339: text) {
            try FuzzError.check(
                Timestamp(rfc3339: "\(time)") == time, message: "\(text) is another time than \(time)")
        }
        if let local = LocalDateTime(text) {
            try FuzzError.check(text.hasPrefix("\(local)"), message: "\(text) is another time than \(local)")
        }
    }

    private static func traceContext(_ text: String) throws {
        guard let context = TraceContext(header: text) else { return }
        try FuzzError.check(
            TraceContext(header: context.header) == context, message: "\(text) changes when printed")
        try FuzzError.check(text.utf8.count >= 55, message: "\(text) is too short for a trace")
    }

    private static func encodings(_ bytes: [UInt8], text: String) throws {
        try FuzzError.check(Base64URL.decode(Base64URL.encode(bytes)) == bytes, message: "base64url differs")
        if let decoded = Base64URL.decode(text) {
            try FuzzError.check(Base64URL.encode(decoded) == text, message: "two spellings in base64url")
        }
        try FuzzError.check(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes, message: "hexadecimal differs")
        if let packed = PackedText.pack(text) {
            try FuzzError.check(PackedText.unpack(packed[...]) == text, message: "packed text differs")
        }
        _ = PackedText.unpack(bytes[...])
    }

    /// Compares with the definition: a limited number of consecutive scalars that normalization reorders.
    private static func outsideText(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return try FuzzError.check(OutsideText.string(bytes) == nil, message: "bytes that are not UTF-8 are text")
        }
        var run = 0
        var longest = 0
        for scalar in text.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            longest = max(longest, run)
        }
        let isTaken = OutsideText.string(bytes) != nil
        try FuzzError.check(
            isTaken == (longest <= OutsideText.combiningMarksMaximum),
            message: "\(longest) marks in a row, taken: \(isTaken)")
    }

    static func addresses(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = IPAddress(text) {
            try FuzzError.check(
                IPAddress("\(address)") == address, message: "\(text) is another address than \(address)")
        }
        if let range = try? AddressRange(text) {
            try FuzzError.check(
                (try? AddressRange("\(range)")) == range, message: "\(text) is another range than \(range)")
        }
        if let configuration = try? RedisConfiguration(url: text) {
            try FuzzError.check(!configuration.addresses.isEmpty, message: "a URL without an address")
        }
    }
}
