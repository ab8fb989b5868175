package import ServiceKit

/// A file that contains nothing but an app's key.
package enum LocalKeyFile {
    package static func read(_ file: String) throws -> Secret {
        guard let bytes = SmallFile.read(file, bytesMaximum: 4_096) else {
            throw LocalKeyFileError(description: "cannot read the key file \(file)")
        }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard !text.isEmpty else { throw LocalKeyFileError(description: "the key file \(file) is empty") }
        return Secret(text)
    }
}

struct LocalKeyFileError: Error, CustomStringConvertible {
    let description: String
}
