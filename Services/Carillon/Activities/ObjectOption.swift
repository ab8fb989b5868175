import CommandKit
import JSONKit
import ServiceKit

/// A JSON object as the value of an option: as text, in a file, or on standard input.
struct ObjectOption: Sendable {
    /// Completes the meaning of an option.
    static let forms = "as JSON; @FILE reads a file, - standard input"

    private enum Source {
        case given(JSON)
        case file(String)
    }

    private static let bytesMaximum = 64 << 10

    private let option: CommandOption
    private let source: Source
    let isStandardInput: Bool

    /// Nil if the option is not given.
    init?(_ option: CommandOption, in arguments: CommandArguments) throws(UsageError) {
        guard let text = arguments.value(option) else { return nil }
        self.option = option
        isStandardInput = text == "-"
        if isStandardInput {
            source = .file("/dev/stdin")
        } else if text.utf8.first == UInt8(ascii: "@") {
            source = .file(String(text.dropFirst()))
        } else {
            source = .given(try ObjectOption.object(Array(text.utf8), option: option))
        }
    }

    func read() async throws -> JSON {
        switch source {
        case .given(let json): return json
        case .file(let path):
            let bytes = await onNativeThread("object-file") {
                SmallFile.read(path, bytesMaximum: ObjectOption.bytesMaximum)
            }
            guard let bytes else {
                let size = ByteText.print(ObjectOption.bytesMaximum)
                throw UsageError("\(option.name): cannot read \(path), or it exceeds \(size)")
            }
            return try ObjectOption.object(bytes, option: option)
        }
    }

    private static func object(_ bytes: [UInt8], option: CommandOption) throws(UsageError) -> JSON {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(bytes)
        } catch {
            throw UsageError("\(option.name): \(error); expected a JSON object such as '{\"step\": 2}'")
        }
        guard json.object != nil else {
            throw UsageError("\(option.name): expected a JSON object such as '{\"step\": 2}'")
        }
        return json
    }
}
