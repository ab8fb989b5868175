import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// Reads the body of a request to `send-batch` from start to end and checks all of it, before anything is stored.
///
/// The body is not built in memory: of 64 MiB, 250,000 ids or elements, only the outline is kept.
struct BatchReader {
    /// Tasks of one request, and so the elements in which one id may occur.
    static let tasksMaximum = TransferBounds.tasksMaximum
    /// Messages of this length fit into the payloads of all providers, even if each byte of their texts is escaped.
    private static let shortMessagesBytes = 512
    private static let unknownNamesMaximum = 10
    private static let root = "push_batch_request"

    /// Of an element, or of one of its lists. Its path is text only where there is a problem: elements are many.
    private struct Place {
        let element: Int
        var list: Int?

        func path(_ end: String) -> String {
            "\(BatchReader.root).batch[\(element)]" + (list.map { ".devices[\($0)]" } ?? "") + end
        }
    }

    private let problems = JSONProblems()
    private var cursor: JSONCursor
    private var outline = BatchOutline()
    private var occurrences: IDOccurrences
    /// Neighbours mostly have the same messages; these need not be read again.
    private var last: (bytes: ArraySlice<UInt8>, messages: AppMetricaMessages)?
    private let bytes: [UInt8]

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        cursor = JSONCursor(bytes)
        occurrences = IDOccurrences(idCount: 0)
    }

    /// Throws `BodyError` for a malformed body, else `TaskError` with all problems of the fields.
    static func outline(of bytes: [UInt8]) throws -> BatchOutline {
        var reader = BatchReader(bytes)
        do throws(JSONError) {
            try reader.readDocument()
        } catch {
            // Problems found before may have the same cause, and are easier to understand.
            guard error.code == .tooManyMarks || reader.problems.all.isEmpty else {
                throw TaskError.invalid(reader.problems.all)
            }
            throw BodyError.malformed("The body is not valid JSON: \(error).")
        }
        guard reader.problems.all.isEmpty else { throw TaskError.invalid(reader.problems.all) }
        return reader.outline
    }

    private mutating func readDocument() throws(JSONError) {
        guard try cursor.kind() == .object else {
            problems.add("", message: "expected an object with \(BatchReader.root)")
            return
        }
        var hasRequest = false
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name.elementsEqual(BatchReader.root.utf8) {
                refuseRepeat(hasRequest, of: BatchReader.root)
                hasRequest = true
                guard try expect(.object, at: BatchReader.root) else { continue }
                try readRequest()
            } else {
                try ignore(name)
            }
            if problems.isFull { return }
        }
        try cursor.end()
        if !hasRequest { problems.add(BatchReader.root, missing: "an object") }
    }

    private mutating func readRequest() throws(JSONError) {
        let path = BatchReader.root
        var seen = JSONObject()
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name.elementsEqual("batch".utf8) {
                refuseRepeat(seen["batch"] != nil, of: "\(path).batch")
                seen["batch"] = .null
                guard try expect(.array, at: "\(path).batch") else { continue }
                try readBatch()
                if problems.isFull { return }
            } else if let known = ["group_id", "client_transfer_id", "tag"].first(where: { name.elementsEqual($0.utf8) }
            ) {
                refuseRepeat(seen[known] != nil, of: "\(path).\(known)")
                seen[known] = try cursor.value(at: cursor.skip())
            } else {
                try ignore(name)
            }
        }
        if seen["batch"] == nil { problems.add("\(path).batch", missing: "an array of messages") }
        seen["batch"] = nil
        readHead(JSONFields(.object(seen), path: path, problems: problems))
    }

    private mutating func readHead(_ fields: JSONFields) {
        outline.group = Int64(fields.integer("group_id", in: 1...Int(Int32.max), isRequired: true) ?? 0)
        outline.clientID = fields.value("client_transfer_id", expected: "an integer of 64 bits with a sign") { value in
            guard case .integer(let number) = value else { return nil }
            return number
        }
        let tagRule = "a string of 1 to \(TransferBounds.tagBytesMaximum) bytes without control characters"
        let tag = fields.text("tag", expected: tagRule, isRequired: true) { text -> String? in
            let isAllowed = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            return 1...TransferBounds.tagBytesMaximum ~= text.utf8.count && isAllowed ? text : nil
        }
        outline.tag = tag ?? ""
    }

    private mutating func readBatch() throws(JSONError) {
        let path = "\(BatchReader.root).batch"
        try cursor.enterArray()
        while try cursor.nextElement() {
            guard outline.elements.count < TaskLimits.entriesMaximum else {
                problems.add(path, message: "too long: at most \(TaskLimits.entriesMaximum) elements")
                _ = try cursor.skip()
                continue
            }
            let place = Place(element: outline.elements.count)
            guard try expect(.object, at: place.path("")) else { continue }
            try readElement(place)
            if problems.isFull { return }
        }
        if outline.elements.isEmpty, problems.all.isEmpty {
            problems.add(path, message: "is empty; expected at least one element")
        }
        if outline.idCount > TaskLimits.entriesMaximum {
            problems.add(
                path,
                message:
                    "has \(outline.idCount) ids (maximum \(TaskLimits.entriesMaximum)); send them in several requests")
        }
    }

    private mutating func readElement(_ place: Place) throws(JSONError) {
        var messages: Range<Int>?
        var hasDevices = false
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name.elementsEqual("messages".utf8) {
                refuseRepeat(messages != nil, of: place.path(".messages"))
                messages = try cursor.skip()
            } else if name.elementsEqual("devices".utf8) {
                refuseRepeat(hasDevices, of: place.path(".devices"))
                hasDevices = true
                guard try expect(.array, at: place.path(".devices")) else { continue }
                try readDevices(place)
            } else {
                try ignore(name)
            }
            if problems.isFull { return }
        }
        if !hasDevices { problems.add(place.path(".devices"), missing: "an array of lists of ids") }
        guard let messages else {
            problems.add(
                place.path(".messages"), missing: "an object with android, iOS or both")
            return
        }
        try note(messages, of: place)
        outline.elements.append(
            BatchOutline.Element(
                messagesStart: Int32(messages.lowerBound), messagesCount: Int32(messages.count),
                listsEnd: Int32(outline.lists.count)))
    }

    private mutating func note(_ place: Range<Int>, of element: Place) throws(JSONError) {
        let messages = try self.messages(at: place, of: element)
        let start = outline.elements.last.map { Int($0.listsEnd) } ?? 0
        for list in outline.lists[start...] {
            guard let platform = list.type.platform, !messages.platforms.contains(platform) else { continue }
            let failure =
                "Identifier type \(list.type.name) requires defined message for platform \(platform.rawValue)"
            if !outline.failures.contains(failure) { outline.failures.append(failure) }
        }
        outline.platforms.formUnion(messages.platforms)
        outline.timeToLive = max(outline.timeToLive, messages.timeToLive)
    }

    private mutating func messages(at place: Range<Int>, of element: Place) throws(JSONError) -> AppMetricaMessages {
        let text = bytes[place]
        if let last {
            if last.bytes.elementsEqual(text) { return last.messages }
            outline.isUniform = false
        }
        let json = try cursor.value(at: place, limits: AppMetricaMessages.limits)
        let messages = AppMetricaMessages(JSONFields(json, path: element.path(".messages"), problems: problems))
        for name in messages.unknownNames { noteUnknown(name) }
        if place.count > BatchReader.shortMessagesBytes { outline.longMessages.append(Int32(outline.elements.count)) }
        last = (text, messages)
        return messages
    }

    private mutating func readDevices(_ element: Place) throws(JSONError) {
        let before = outline.lists.count
        var place = element
        try cursor.enterArray()
        while try cursor.nextElement() {
            place.list = place.list.map { $0 + 1 } ?? 0
            guard try expect(.object, at: place.path("")) else { continue }
            try readList(place)
            if problems.isFull { return }
        }
        if outline.lists.count == before, problems.all.isEmpty {
            problems.add(element.path(".devices"), message: "is empty; expected at least one list of ids")
        }
    }

    private mutating func readList(_ place: Place) throws(JSONError) {
        var type: BatchIDType?
        var values: Int?
        var hasType = false
        try cursor.enterObject()
        while let name = try cursor.nextName() {
            if name.elementsEqual("id_type".utf8) {
                refuseRepeat(hasType, of: place.path(".id_type"))
                hasType = true
                guard try expect(.string, at: place.path(".id_type")) else { continue }
                type = BatchIDType(try cursor.text().bytes)
                if type == nil {
                    let names = BatchIDType.allCases.map(\.name).joined(separator: ", ")
                    problems.add(place.path(".id_type"), message: "expected one of \(names)")
                }
            } else if name.elementsEqual("id_values".utf8) {
                refuseRepeat(values != nil, of: place.path(".id_values"))
                values = cursor.offset
                guard try expect(.array, at: place.path(".id_values")) else { continue }
                // The type may follow, and is needed to check the ids.
                _ = try cursor.skip()
            } else {
                try ignore(name)
            }
            if problems.isFull { return }
        }
        if !hasType { problems.add(place.path(".id_type"), missing: "the type of the ids") }
        guard let values else {
            return problems.add(place.path(".id_values"), missing: "an array of ids")
        }
        if let type { try readIDs(at: values, type: type, of: place) }
    }

    private mutating func readIDs(at start: Int, type: BatchIDType, of place: Place) throws(JSONError) {
        var ids = BatchIDs(bytes, start: start)
        if place.element == 1, occurrences.areEmpty { try noteFirstElement() }
        var count = 0
        while let id = try ids.next() {
            if let text = id.text, type.accepts(text) {
                let number = place.element == 0 ? 0 : occurrences.note(text, of: type, inElement: place.element)
                if number < BatchReader.tasksMaximum {
                    if number == outline.taskIDCounts.count { outline.taskIDCounts.append(0) }
                    outline.taskIDCounts[number] += 1
                } else {
                    problems.add(
                        place.path(".id_values[\(count)]"),
                        message:
                            "the same id is in more than \(BatchReader.tasksMaximum) elements; send several requests")
                }
            } else {
                problems.add(place.path(".id_values[\(count)]"), message: "expected \(type.rule)")
            }
            if problems.isFull { return }
            count += 1
        }
        if count == 0 { problems.add(place.path(".id_values"), message: "is empty; expected at least one id") }
        outline.idCount += count
        outline.lists.append(BatchOutline.List(type: type, count: Int32(count), start: Int32(start)))
    }

    /// The ids of a request with one element are not compared with others, and need no table.
    private mutating func noteFirstElement() throws(JSONError) {
        // A list of short ids: digits, quotation marks and a comma.
        occurrences = IDOccurrences(idCount: min(bytes.count / 12, TaskLimits.entriesMaximum))
        for list in outline.lists[outline.lists(of: 0)] {
            var ids = BatchIDs(bytes, start: Int(list.start))
            while let id = try ids.next() {
                if let text = id.text { _ = occurrences.note(text, of: list.type, inElement: 0) }
            }
        }
    }

    /// False if the next value is of another kind, which is then passed over.
    private mutating func expect(
        _ kind: JSONCursor.Kind, at path: @autoclosure () -> String
    ) throws(JSONError) -> Bool {
        let found = try cursor.kind()
        guard found != kind else { return true }
        problems.add(path(), message: "expected \(kind.rawValue), got \(found.rawValue)")
        _ = try cursor.skip()
        return false
    }

    private func refuseRepeat(_ isRepeat: Bool, of path: @autoclosure () -> String) {
        if isRepeat { problems.add(path(), message: "given twice in one object") }
    }

    private mutating func ignore(_ name: ArraySlice<UInt8>) throws(JSONError) {
        noteUnknown(OutsideText.replacing(name))
        _ = try cursor.skip()
    }

    private mutating func noteUnknown(_ name: String) {
        guard outline.unknownNames.count < BatchReader.unknownNamesMaximum else { return }
        let shown = OutsideText.excerpt(name)
        if !outline.unknownNames.contains(shown) { outline.unknownNames.append(shown) }
    }
}
