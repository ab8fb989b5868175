import RedisClient

extension RedisScript {
    init(_ source: String) {
        self.init(Array(source.utf8))
    }
}
