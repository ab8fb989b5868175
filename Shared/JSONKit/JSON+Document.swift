extension JSON {
    /// Parses one whole document in strict UTF-8. Invalid input throws and never traps.
    package init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard bytes.count <= limits.bytesMaximum else {
            throw JSONError(
                code: .tooLarge, message: "the document has more than \(limits.bytesMaximum) bytes", position: nil)
        }
        if let problem = JSONSize(of: bytes).problem(limits) { throw problem }
        guard let parser = SimdJSONParser(limits), let value = try parser.value(of: bytes) else {
            throw JSONError(code: .outOfMemory, message: "not enough memory to parse the document", position: nil)
        }
        self = value
    }

    package init(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(Array(text.utf8), limits: limits)
    }
}
