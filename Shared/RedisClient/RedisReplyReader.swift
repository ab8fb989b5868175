import CHiredis
import ServiceKit

/// Parses the bytes of a connection into replies with hiredis' parser, whose callbacks build our values directly.
///
/// Belongs to the connection's thread. After it throws, neither the reader nor the connection is usable.
final class RedisReplyReader {
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private let assembly = RedisReplyAssembly()
    private let bytesMaximum: Int

    init(bytesMaximum: Int) {
        self.bytesMaximum = bytesMaximum
        functions = .allocate(capacity: 1)
        functions.initialize(
            to: redisReplyObjectFunctions(
                createString: takeString, createArray: takeArray, createInteger: takeInteger, createNil: takeNil,
                freeObject: freeNothing))
        guard let reader = redisReaderCreateWithFunctions(functions) else {
            preconditionFailure("no memory for a reply reader")
        }
        self.reader = reader
        // The reader does not own the assembly; both live as long as this object.
        reader.pointee.privdata = Unmanaged.passUnretained(assembly).toOpaque()
    }

    deinit {
        redisReaderFree(reader)
        functions.deallocate()
    }

    /// Feeds bytes read from the socket. Small pieces suit the parser, which moves the rest of its buffer down as it
    /// goes; see `pieceBytes`.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(RedisError) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
        guard redisReaderFeed(reader, start, bytes.count) == REDIS_OK else { throw malformed() }
        assembly.bytesUnfinished += bytes.count
    }

    static let pieceBytes = 16 * 1024

    /// The next complete reply; nil when more bytes are needed.
    func next() throws(RedisError) -> RedisValue? {
        var object: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &object) == REDIS_OK else { throw malformed() }
        if let value = assembly.takeFinished() {
            // Bytes after this reply count towards the next one.
            assembly.bytesUnfinished = reader.pointee.len - reader.pointee.pos
            return value
        }
        guard assembly.bytesUnfinished <= bytesMaximum else {
            throw RedisError(
                .unknown, message: "reply is larger than \(bytesMaximum) bytes; raise \(RedisSettings.replyBytes)")
        }
        return nil
    }

    private func malformed() -> RedisError {
        let reason = withUnsafePointer(to: &reader.pointee.errstr) {
            $0.withMemoryRebound(to: CChar.self, capacity: 128) { OutsideText.replacing(cString: $0) }
        }
        return RedisError(.unknown, message: "the server does not speak Redis: \(reason)")
    }
}

/// Assembles values in the parser's order: depth first.
private final class RedisReplyAssembly {
    private struct OpenArray {
        var elements: [RedisValue] = []
        var missing: Int
    }

    var bytesUnfinished = 0
    private var open: [OpenArray] = []
    private var finished: RedisValue?

    func takeFinished() -> RedisValue? {
        defer { finished = nil }
        return finished
    }

    func openArray(count: Int) {
        guard count > 0 else { return add(.array([])) }
        var array = OpenArray(missing: count)
        // The count is untrusted; memory is allocated only for what arrives.
        array.elements.reserveCapacity(min(count, 1024))
        open.append(array)
    }

    func add(_ value: RedisValue) {
        var value = value
        while let last = open.indices.last {
            open[last].elements.append(value)
            open[last].missing -= 1
            guard open[last].missing == 0 else { return }
            value = .array(open.removeLast().elements)
        }
        finished = value
    }
}

/// The parser calls these for each element; their result must only differ from nil, which means out of memory.
private func withAssembly(
    _ task: UnsafePointer<redisReadTask>?, body: (RedisReplyAssembly) -> Void
) -> UnsafeMutableRawPointer? {
    guard let context = task?.pointee.privdata else { return nil }
    body(Unmanaged<RedisReplyAssembly>.fromOpaque(context).takeUnretainedValue())
    return context
}

private func takeString(
    _ task: UnsafePointer<redisReadTask>?, start: UnsafeMutablePointer<CChar>?, count: Int
) -> UnsafeMutableRawPointer? {
    let type = task?.pointee.type
    return withAssembly(task) { assembly in
        let bytes = UnsafeRawBufferPointer(start: start, count: count)
        switch type {
        case REDIS_REPLY_STATUS: assembly.add(.status(OutsideText.replacing(bytes)))
        case REDIS_REPLY_ERROR: assembly.add(.error(OutsideText.replacing(bytes)))
        default: assembly.add(.bytes(Array(bytes)))
        }
    }
}

private func takeArray(_ task: UnsafePointer<redisReadTask>?, count: Int32) -> UnsafeMutableRawPointer? {
    withAssembly(task) { $0.openArray(count: Int(count)) }
}

private func takeInteger(_ task: UnsafePointer<redisReadTask>?, number: Int64) -> UnsafeMutableRawPointer? {
    withAssembly(task) { $0.add(.integer(number)) }
}

private func takeNil(_ task: UnsafePointer<redisReadTask>?) -> UnsafeMutableRawPointer? {
    withAssembly(task) { $0.add(.null) }
}

private func freeNothing(_ object: UnsafeMutableRawPointer?) {}
