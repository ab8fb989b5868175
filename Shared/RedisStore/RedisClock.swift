/// The current time for scripts.
enum RedisClock {
    /// ARGV 1 is the time in milliseconds, or empty for the server's own time.
    static let script = """
        local now = tonumber(ARGV[1])
        if not now then
          local time = redis.call('TIME')
          now = time[1] * 1000 + math.floor(time[2] / 1000)
        end

        """
}
