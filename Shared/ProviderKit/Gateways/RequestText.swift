import ServiceKit

/// Checks of texts from app files and from the bus that become part of a request.
package enum RequestText {
    /// True for letters, digits, `-` and `_`: such a text needs no escaping in a path.
    package static func isPathPart(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
    }

    /// True for visible ASCII characters, which a header takes unchanged.
    package static func isHeaderWord(_ text: String, bytesMaximum: Int) -> Bool {
        text.utf8.count <= bytesMaximum && text.utf8.allSatisfy { 0x21..<0x7F ~= $0 }
    }

    /// True without control characters, which would end a header and start another.
    package static func isHeaderText(_ text: String, bytesMaximum: Int) -> Bool {
        text.utf8.count <= bytesMaximum && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
