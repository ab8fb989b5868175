import CHiredis
import Glibc

/// The few calls of hiredis' own blocking client that the loops need.
enum Hiredis {
    typealias Context = UnsafeMutablePointer<redisContext>
    typealias Reply = UnsafeMutablePointer<redisReply>

    static func connect(_ port: String) -> Context? {
        guard let port = Int32(port), let context = redisConnect("127.0.0.1", port), context.pointee.err == 0
        else { return nil }
        return context
    }

    /// Appends the words, then this number of fields with the same value.
    static func append(
        _ context: Context, words: [String], fields: Int = 0, value: [UInt8] = []
    ) {
        let copies = words.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        var pointers = copies.map { UnsafePointer($0) }
        var lengths = words.map(\.utf8.count)
        value.withUnsafeBytes { bytes in
            "m".withCString { name in
                for _ in 0..<fields {
                    pointers += [name, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)]
                    lengths += [1, bytes.count]
                }
                redisAppendCommandArgv(context, Int32(pointers.count), &pointers, &lengths)
            }
        }
    }

    /// Takes the next reply; the body reads it before it is freed.
    static func reply(
        _ context: Context, body: (Reply) -> String?
    ) -> String? {
        var raw: UnsafeMutableRawPointer?
        guard redisGetReply(context, &raw) == REDIS_OK, let raw else { return "the connection failed" }
        defer { freeReplyObject(raw) }
        return body(raw.assumingMemoryBound(to: redisReply.self))
    }

    static func isError(_ reply: Reply) -> Bool {
        reply.pointee.type == REDIS_REPLY_ERROR
    }

    static func elements(_ reply: Reply) -> [Reply] {
        guard reply.pointee.type == REDIS_REPLY_ARRAY else { return [] }
        return (0..<reply.pointee.elements).compactMap { reply.pointee.element?[$0] }
    }

    static func text(_ reply: Reply) -> String {
        reply.pointee.str.map { String(cString: $0) } ?? ""
    }
}
