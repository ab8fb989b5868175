import CHiredis
import Glibc
import ServiceKit

/// One thread appends entries of a batch each, a field a message, pipelined within the window; one reads them and removes
/// what it has read. Both with hiredis' own blocking client.
enum BareRedis {
    static func run(_ load: BareLoad, _ clock: Monitor<Usage>) -> String? {
        let taken = Monitor(0)
        let problem = Monitor<String?>(nil)
        let consuming = NativeThread(name: "bare-consumer") {
            if let text = consume(load, taken) { problem.change { $0 = text } }
        }
        let produced = produce(load, taken, clock)
        consuming.join()
        return produced ?? problem.withLock { $0 }
    }

    private static func connect(_ load: BareLoad) -> UnsafeMutablePointer<redisContext>? {
        guard let port = Int32(load.address), let context = redisConnect("127.0.0.1", port), context.pointee.err == 0
        else { return nil }
        return context
    }

    private static func produce(_ load: BareLoad, _ taken: Monitor<Int>, _ clock: Monitor<Usage>) -> String? {
        guard let context = connect(load) else { return "no connection" }
        defer { redisFree(context) }
        let payload = load.payload
        var sent = 0
        var number = 0
        while sent < load.total {
            let limit = sent == load.batch ? sent : sent + load.batch - load.window
            _ = taken.wait(timeout: .seconds(60)) { $0 >= limit ? true : nil }
            if sent == load.batch { clock.change { $0 = Usage.now } }
            // As many at once as the window has room for, then their answers: one write and one fsync for all.
            var pending = 0
            repeat {
                append(context, ["XADD", "\(load.name)\(number % load.partitions)", "*"], load.batch, payload)
                number += 1
                pending += 1
                sent += load.batch
            } while sent > load.batch && sent < load.total && sent + load.batch - load.window <= taken.withLock { $0 }
            for _ in 0..<pending {
                guard let text = reply(context, { isError($0) ? "refused" : nil }) else { continue }
                return text
            }
        }
        return nil
    }

    private static func consume(_ load: BareLoad, _ taken: Monitor<Int>) -> String? {
        guard let context = connect(load) else { return "no connection" }
        defer { redisFree(context) }
        let names = (0..<load.partitions).map { "\(load.name)\($0)" }
        var positions = names.map { _ in "0-0" }
        var count = 0
        while count < load.total {
            append(context, ["XREAD", "COUNT", "4", "BLOCK", "1000", "STREAMS"] + names + positions)
            var read: [(Int, String, Int)] = []
            let problem = reply(context) { value -> String? in
                for stream in elements(value) {
                    let parts = elements(stream)
                    guard parts.count == 2, let index = names.firstIndex(of: text(parts[0])) else { return "bad reply" }
                    let entries = elements(parts[1])
                    guard let last = entries.last else { continue }
                    read.append((index, text(elements(last)[0]), entries.count))
                }
                return nil
            }
            if let problem { return problem }
            for (index, last, entries) in read {
                positions[index] = last
                append(context, ["XTRIM", names[index], "MINID", last])
                count += entries * load.batch
                taken.change { $0 += entries * load.batch }
            }
            for _ in read { _ = reply(context) { _ in nil } }
        }
        return nil
    }

    /// The words, and then so many fields with the same value.
    private static func append(
        _ context: UnsafeMutablePointer<redisContext>, _ words: [String], _ fields: Int = 0, _ value: [UInt8] = []
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

    /// Takes the next reply; the body looks at it before it is freed.
    private static func reply(
        _ context: UnsafeMutablePointer<redisContext>, _ body: (UnsafeMutablePointer<redisReply>) -> String?
    ) -> String? {
        var raw: UnsafeMutableRawPointer?
        guard redisGetReply(context, &raw) == REDIS_OK, let raw else { return "the connection failed" }
        defer { freeReplyObject(raw) }
        return body(raw.assumingMemoryBound(to: redisReply.self))
    }

    private static func isError(_ reply: UnsafeMutablePointer<redisReply>) -> Bool {
        reply.pointee.type == REDIS_REPLY_ERROR
    }

    private static func elements(_ reply: UnsafeMutablePointer<redisReply>) -> [UnsafeMutablePointer<redisReply>] {
        guard reply.pointee.type == REDIS_REPLY_ARRAY else { return [] }
        return (0..<reply.pointee.elements).compactMap { reply.pointee.element?[$0] }
    }

    private static func text(_ reply: UnsafeMutablePointer<redisReply>) -> String {
        reply.pointee.str.map { String(cString: $0) } ?? ""
    }
}
