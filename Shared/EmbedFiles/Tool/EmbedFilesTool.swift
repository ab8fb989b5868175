import Foundation

/// `embed-files OUTPUT FILE...` writes a Swift file with the bytes of each text file as a constant.
@main enum EmbedFilesTool {
    private struct InputError: Error {
        let description: String
    }

    static func main() throws {
        do {
            try embed(CommandLine.arguments.dropFirst().map { URL(filePath: $0) })
        } catch let error as InputError {
            try FileHandle.standardError.write(contentsOf: Data("embed-files: \(error.description)\n".utf8))
            exit(1)
        }
    }

    private static func embed(_ files: [URL]) throws {
        guard let output = files.first else { throw InputError(description: "usage: embed-files OUTPUT FILE...") }
        let constants = try files.dropFirst().map(constant)
        let source = Data("enum PackageResources {\n\(constants.joined())}\n".utf8)
        // If nothing has changed, neither does the file's date, and the module is not compiled again.
        if source != (try? Data(contentsOf: output)) { try source.write(to: output) }
    }

    /// `claim.lua` becomes `claim_lua`. A string literal, because an array literal of the same bytes takes the compiler
    /// several times as long.
    private static func constant(_ file: URL) throws -> String {
        guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
            throw InputError(description: "\(file.path) is not UTF-8 text")
        }
        let name = String(file.lastPathComponent.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        let literal = text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        return "    static let \(name) = [UInt8](\"\(literal)\".utf8)\n"
    }
}
