import Glibc
import JSONKit
import ServiceKit

/// Reads one document of a given shape, and prints the peak memory used.
@main struct JSONProbe {
    private static let limits = JSONLimits(bytesMaximum: 16 << 20, depthMaximum: 24, valuesMaximum: 600_000)

    static func main() {
        guard CommandLine.arguments.count == 2, let document = document(CommandLine.arguments[1]) else { exit(2) }
        let estimate = JSON.parsedBytesEstimate(of: document)
        resetPeak()
        let before = peak()
        let value = try? JSON(document, limits: limits)
        let taken = peak() - before
        print(
            JSONText.object { json in
                json.member("bytes", document.count)
                json.member("peak", taken)
                json.member("estimate", estimate)
                json.member("is_read", value != nil)
            })
    }

    /// As many values or lists and objects as the limits allow, in the shortest form.
    private static func document(_ shape: String) -> [UInt8]? {
        let values = limits.valuesMaximum - 2
        let branches = limits.containersMaximum / limits.depthMaximum
        let levels = limits.depthMaximum - 2
        switch shape {
        case "zeros": return list("0", count: values)
        case "empty-texts": return list("\"\"", count: values)
        case "long-texts": return list("\"0123456789abcdef\"", count: values)
        case "empty-lists": return list("[]", count: limits.containersMaximum - 2)
        case "nested-lists": return list(nested("[", "]", levels: levels), count: branches)
        case "nested-objects": return list(nested("{\"\":", "}", levels: levels), count: branches)
        case "one-name": return Array("{".utf8) + list("\"\":0", count: values).dropFirst().dropLast() + Array("}".utf8)
        case "names": return Array("{\((0..<values).map { "\"\($0)\":0" }.joined(separator: ","))}".utf8)
        case "too-many": return list("0", count: 5 << 20)
        default: return nil
        }
    }

    private static func list(_ element: String, count: Int) -> [UInt8] {
        Array("[\(String(repeating: element + ",", count: count - 1))\(element)]".utf8)
    }

    private static func nested(_ start: String, _ end: String, levels: Int) -> String {
        String(repeating: start, count: levels) + "0" + String(repeating: end, count: levels)
    }

    /// Resets the kernel's peak value: creating the document used memory, too.
    private static func resetPeak() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        precondition(descriptor >= 0 && write(descriptor, "5", 1) == 1, "the peak cannot be reset")
        close(descriptor)
    }

    private static func peak() -> Int {
        let status = SmallFile.read("/proc/self/status", bytesMaximum: 1 << 16) ?? []
        for line in OutsideText.replacing(status).split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let number = line.split { $0 == " " || $0 == "\t" }.dropFirst().first
            return number.flatMap { Int($0) }.map { $0 << 10 } ?? 0
        }
        preconditionFailure("the kernel does not tell the peak")
    }
}
