import CHiredis
import Glibc
import ServiceKit

/// One thread appends entries of one batch each, one field per message, pipelined within the window; another reads and
/// deletes them. Both use hiredis' own blocking client.
enum BareRedis {
    static func run(_ load: BareLoad, clock: Monitor<Usage>) -> String? {
        let taken = Monitor(0)
        let problem = Monitor<String?>(nil)
        let consuming = NativeThread(name: "bare-consumer") {
            if let text = consume(load, taken: taken) { problem.change { $0 = text } }
        }
        let produced = produce(load, taken: taken, clock: clock)
        consuming.join()
        return produced ?? problem.withLock { $0 }
    }

    private static func produce(_ load: BareLoad, taken: Monitor<Int>, clock: Monitor<Usage>) -> String? {
        guard let context = Hiredis.connect(load.address) else { return "no connection" }
        defer { redisFree(context) }
        let payload = load.payload
        var sent = 0
        var number = 0
        while sent < load.total {
            let limit = sent == load.batch ? sent : sent + load.batch - load.window
            _ = taken.wait(timeout: .seconds(60)) { $0 >= limit ? true : nil }
            if sent == load.batch { clock.change { $0 = Usage.now } }
            // Sends as many as the window allows, then reads the replies: one write and one fsync for all.
            var pending = 0
            repeat {
                Hiredis.append(
                    context, words: ["XADD", "\(load.name)\(number % load.partitions)", "*"], fields: load.batch,
                    value: payload)
                number += 1
                pending += 1
                sent += load.batch
            } while sent > load.batch && sent < load.total && sent + load.batch - load.window <= taken.withLock { $0 }
            for _ in 0..<pending {
                guard let text = Hiredis.reply(context, body: { Hiredis.isError($0) ? "refused" : nil }) else {
                    continue
                }
                return text
            }
        }
        return nil
    }

    private static func consume(_ load: BareLoad, taken: Monitor<Int>) -> String? {
        guard let context = Hiredis.connect(load.address) else { return "no connection" }
        defer { redisFree(context) }
        let names = (0..<load.partitions).map { "\(load.name)\($0)" }
        var positions = names.map { _ in "0-0" }
        var count = 0
        while count < load.total {
            Hiredis.append(context, words: ["XREAD", "COUNT", "4", "BLOCK", "1000", "STREAMS"] + names + positions)
            var read: [(Int, String, Int)] = []
            let problem = Hiredis.reply(context) { value -> String? in
                for stream in Hiredis.elements(value) {
                    let parts = Hiredis.elements(stream)
                    guard parts.count == 2, let index = names.firstIndex(of: Hiredis.text(parts[0])) else {
                        return "bad reply"
                    }
                    let entries = Hiredis.elements(parts[1])
                    guard let last = entries.last else { continue }
                    read.append((index, Hiredis.text(Hiredis.elements(last)[0]), entries.count))
                }
                return nil
            }
            if let problem { return problem }
            for (index, last, entries) in read {
                positions[index] = last
                Hiredis.append(context, words: ["XTRIM", names[index], "MINID", last])
                count += entries * load.batch
                taken.change { $0 += entries * load.batch }
            }
            for _ in read { _ = Hiredis.reply(context) { _ in nil } }
        }
        return nil
    }
}
