extension RedisServer.Options {
    /// The settings recommended for the registry.
    package static var forStores: RedisServer.Options {
        var options = RedisServer.Options()
        options.arguments = [
            "--hash-max-listpack-entries", "1024", "--hash-max-listpack-value", "4096", "--set-max-intset-entries",
            "4096",
        ]
        return options
    }
}
