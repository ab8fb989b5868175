@testable import JSONKit

/// Compares simdjson with our own reader of the grammar: both must accept or both refuse a document.
enum JSONTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let depth = [1, 3, 8, 32, 256][input.number(below: 5)]
        let size = [64, 4_096, 1 << 20][input.number(below: 3)]
        let limits = JSONLimits(bytesMaximum: size, depthMaximum: depth)
        let document = input.remainder()
        do {
            let value = try JSON(document, limits: limits)
            try FuzzError.check(
                document.count <= size, message: "a document of \(document.count) bytes passed \(size)")
            // simdjson does not count an empty array or object at the deepest level.
            let deeper = JSONLimits(bytesMaximum: size, depthMaximum: depth + 1)
            let error = depth < 256 ? JSONSyntax.error(in: document, deeper) : nil
            try FuzzError.check(
                error == nil, message: "simdjson accepts what JSONSyntax refuses: \(error?.description ?? "")")
            try checkRoundTrip(value, depth: depth)
        } catch let error as JSONError {
            try check(error, document: document, limits: limits)
        }
    }

    private static func checkRoundTrip(_ value: JSON, depth: Int) throws {
        let roomy = JSONLimits(bytesMaximum: 64 << 20, depthMaximum: depth)
        try FuzzError.check(
            try JSON(value.compactBytes, limits: roomy) == value, message: "compact text reads differently")
        try FuzzError.check(
            try JSON(value.indentedText, limits: roomy) == value, message: "indented text reads differently")
    }

    private static func check(_ error: JSONError, document: [UInt8], limits: JSONLimits) throws {
        if error.code == .tooLarge {
            return try FuzzError.check(document.count > limits.bytesMaximum, message: "a short document is too large")
        }
        if error.code == .tooManyValues {
            let problem = JSONSize(of: document).problem(limits)
            return try FuzzError.check(problem == error, message: "a small document holds too much")
        }
        let expected = JSONSyntax.error(in: document, limits)
        try FuzzError.check(expected != nil, message: "simdjson refuses what JSONSyntax accepts: \(error)")
        guard let position = error.position else { return }
        try FuzzError.check(
            position.line >= 1 && position.column >= 1 && position.line <= document.count + 1
                && position.column <= document.count + 1,
            message: "\(error) lies outside the document")
    }
}
