/// What a publisher calls a task, for its statistics, such as `campaign: spring`: a value for each of a few names.
package struct TaskLabels: Hashable, Sendable {
    package struct Label: Hashable, Sendable {
        package let name: String
        package let value: String

        /// Bytewise: `String` treats two encodings of one accent as equal.
        package static func == (left: Label, right: Label) -> Bool {
            left.name.utf8.elementsEqual(right.name.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
        }
    }

    package static let countMaximum = 8
    package static let nameBytesMaximum = 32
    package static let valueBytesMaximum = 64
    /// Complete "expected …".
    package static let nameRule = "1 to \(nameBytesMaximum) of the characters a-z, 0-9, _, - and ."
    package static let valueRule = "1 to \(valueBytesMaximum) bytes without control characters"
    package static let countRule = "an object with at most \(countMaximum) labels"

    /// In the order of their names.
    package private(set) var all: [Label] = []

    package init() {}

    package subscript(name: String) -> String? {
        get { all.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
        set {
            all.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            guard let newValue else { return }
            let place = all.firstIndex { name.utf8.lexicographicallyPrecedes($0.name.utf8) } ?? all.endIndex
            all.insert(Label(name: name, value: newValue), at: place)
        }
    }

    package var areEmpty: Bool { all.isEmpty }

    package static func isName(_ text: String) -> Bool {
        (1...nameBytesMaximum).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || "_-.".utf8.contains(byte)
            }
    }

    package static func isValue(_ text: String) -> Bool {
        (1...valueBytesMaximum).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
