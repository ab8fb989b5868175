import CHiredis
import ServiceKit

/// Reads every hash whose key matches a pattern, pipelined: the minimum cost of reading a whole registry.
enum BareHashes {
    private static let pipelined = 32

    static func run(port: String, pattern: String, _ clock: Monitor<Usage>) -> String? {
        guard let context = Hiredis.connect(port) else { return "no connection" }
        defer { redisFree(context) }
        var keys: [String] = []
        Hiredis.append(context, words: ["KEYS", pattern])
        if let text = Hiredis.reply(
            context,
            body: { reply in
                keys = Hiredis.elements(reply).map(Hiredis.text)
                return nil
            })
        {
            return text
        }
        clock.change { $0 = Usage.now }
        var fields = 0
        for batch in keys.chunks(of: pipelined) {
            for key in batch { Hiredis.append(context, words: ["HGETALL", key]) }
            for _ in batch {
                if let text = Hiredis.reply(
                    context,
                    body: { reply in
                        fields += reply.pointee.elements / 2
                        return nil
                    })
                {
                    return text
                }
            }
        }
        return fields == 0 ? "no fields in \(keys.count) hashes" : nil
    }
}
