import ServiceKit

/// Reads a document and checks that it is well-formed (XML 1.0, without document types and processing instructions,
/// which no payload needs). The caller bounds the document's size; the depth is bounded here.
struct XMLReader {
    private static let depthMaximum = 32
    private static let namedReferences: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    /// `#x10FFFF` and the names above.
    private static let referenceBytesMaximum = 8

    private let bytes: [UInt8]
    private var position = 0

    static func root(of bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard OutsideText.string(bytes) != nil else { throw XMLError(message: OutsideText.problem, position: 0) }
        var reader = XMLReader(bytes: bytes)
        return try reader.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func document() throws(XMLError) -> XMLElement {
        if skip("<?xml") { try skip(through: "?>") }
        try skipMisc()
        let root = try element(depth: 1)
        try skipMisc()
        guard position == bytes.count else { throw error("content after the root element") }
        return root
    }

    /// Blanks and comments outside the root element.
    private mutating func skipMisc() throws(XMLError) {
        repeat { skipBlanks() } while try skipComment()
    }

    private mutating func element(depth: Int) throws(XMLError) -> XMLElement {
        guard depth <= XMLReader.depthMaximum else { throw error("more than \(XMLReader.depthMaximum) levels") }
        guard skip("<") else { throw error("expected an element") }
        var element = XMLElement(name: try name())
        try readAttributes(of: &element)
        if skip("/>") { return element }
        guard skip(">") else { throw error("expected > after the start tag") }
        try readContent(of: &element, depth: depth)
        guard skip("</"), try name() == element.name else { throw error("expected </\(element.name)>") }
        skipBlanks()
        guard skip(">") else { throw error("expected > after the end tag") }
        return element
    }

    private mutating func readAttributes(of element: inout XMLElement) throws(XMLError) {
        while true {
            let start = position
            skipBlanks()
            guard let next, ![UInt8(ascii: ">"), UInt8(ascii: "/")].contains(next) else { return }
            guard position > start else { throw error("expected a blank before an attribute") }
            let name = try name()
            skipBlanks()
            guard skip("=") else { throw error("expected = after \(name)") }
            skipBlanks()
            let value = try quotedValue()
            guard element.attributes.updateValue(value, forKey: name) == nil else {
                throw error("attribute \(name) twice")
            }
        }
    }

    private mutating func quotedValue() throws(XMLError) -> String {
        guard let quote = next, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote) else {
            throw error("expected a quoted value")
        }
        position += 1
        let value = try characters { $0 == quote || $0 == UInt8(ascii: "<") }
        guard next == quote else { throw error("expected the end of a quoted value") }
        position += 1
        return value
    }

    /// Up to the element's end tag.
    private mutating func readContent(of element: inout XMLElement, depth: Int) throws(XMLError) {
        while true {
            element.text += try characters { $0 == UInt8(ascii: "<") }
            if starts("</") { return }
            if skip("<![CDATA[") {
                let start = position
                try skip(through: "]]>")
                element.text += OutsideText.replacing(bytes[start..<position - 3])
            } else if try !skipComment() {
                element.children.append(try self.element(depth: depth + 1))
            }
        }
    }

    /// Character data with references replaced, up to a byte that ends it or the end of the document.
    private mutating func characters(until isEnd: (UInt8) -> Bool) throws(XMLError) -> String {
        var text: [UInt8] = []
        while let byte = next, !isEnd(byte) {
            if byte == UInt8(ascii: "&") {
                text += try reference().utf8
                continue
            }
            guard byte >= 0x20 || [0x09, 0x0A, 0x0D].contains(byte) else { throw error("a control character") }
            if starts("]]>") { throw error("]]> in text") }
            text.append(byte)
            position += 1
        }
        return OutsideText.replacing(text)
    }

    private mutating func reference() throws(XMLError) -> String {
        let name = bytes[(position + 1)...].prefix(XMLReader.referenceBytesMaximum + 1)
            .prefix { $0 != UInt8(ascii: ";") }
        guard name.count <= XMLReader.referenceBytesMaximum, name.endIndex < bytes.count,
            let text = XMLReader.meaning(of: OutsideText.replacing(name))
        else { throw error("an unknown reference") }
        position = name.endIndex + 1
        return text
    }

    private static func meaning(of reference: String) -> String? {
        guard reference.hasPrefix("#") else { return namedReferences[reference] }
        let isHexadecimal = reference.hasPrefix("#x")
        let digits = reference.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.utf8.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number), ![0xFFFE, 0xFFFF].contains(number),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        return String(scalar)
    }

    /// ASCII names are enough for all payloads.
    private mutating func name() throws(XMLError) -> String {
        let name = bytes[position...].prefix { $0.isASCIILetterOrDigit || "-_.:".utf8.contains($0) }
        guard let first = name.first, first.isASCIILetter || first == UInt8(ascii: "_") else {
            throw error("expected a name")
        }
        position = name.endIndex
        return OutsideText.replacing(name)
    }

    private mutating func skipComment() throws(XMLError) -> Bool {
        guard skip("<!--") else { return false }
        try skip(through: "-->")
        return true
    }

    private mutating func skip(through end: StaticString) throws(XMLError) {
        while position < bytes.count {
            if skip(end) { return }
            position += 1
        }
        throw error("expected \(end)")
    }

    private mutating func skipBlanks() {
        position = bytes[position...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } ?? bytes.count
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard starts(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    private func starts(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return bytes[position...].starts(with: text)
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func error(_ message: String) -> XMLError {
        XMLError(message: message, position: position)
    }
}
