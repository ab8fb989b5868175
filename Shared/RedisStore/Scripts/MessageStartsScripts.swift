import RedisClient
import ServiceKit
import Store

/// KEYS 1 is the hash of one partition: its owner, and the count of starts of each message by its offset. All of them carry
/// `flags=allow-oom`: messages are handled at the memory bound too.
enum MessageStartsScripts {
    private static let start = """
        #!lua flags=allow-oom
        local key = KEYS[1]
        local function keep() redis.call('PEXPIRE', key, \(MessageStartsBounds.memory.wholeMilliseconds)) end
        local function giveBack(first)
          for at = first, #ARGV do
            if redis.call('HEXISTS', key, ARGV[at]) == 1 and redis.call('HINCRBY', key, ARGV[at], -1) <= 0 then
              redis.call('HDEL', key, ARGV[at])
            end
          end
        end

        """

    /// ARGV owner. Returns whether starts should be counted.
    static let open = RedisScript(
        start + """
            local owner = redis.call('HGET', key, 'owner')
            local counts = redis.call('HLEN', key) - (owner and 1 or 0)
            redis.call('HSET', key, 'owner', ARGV[1])
            keep()
            if counts > 0 or (owner and owner ~= ARGV[1]) then return 1 end
            return 0
            """)

    /// ARGV whether regardless of earlier counts, offsets. Returns the counts before.
    static let begin = RedisScript(
        start + """
            local counts, isNew = {}, true
            for at = 2, #ARGV do
              local count = tonumber(redis.call('HGET', key, ARGV[at]) or '0')
              counts[at - 1] = count
              if count > 0 then isNew = false end
            end
            if isNew or ARGV[1] == '1' then
              for at = 2, #ARGV do redis.call('HINCRBY', key, ARGV[at], 1) end
              keep()
            end
            return counts
            """)

    /// ARGV offsets.
    static let end = RedisScript(
        start + """
            for at = 1, #ARGV do redis.call('HDEL', key, ARGV[at]) end
            return 0
            """)

    /// ARGV offsets.
    static let giveBack = RedisScript(start + "giveBack(1)\nreturn 0")

    /// ARGV owner, offsets.
    static let close = RedisScript(
        start + """
            giveBack(2)
            if redis.call('HGET', key, 'owner') == ARGV[1] then redis.call('HDEL', key, 'owner') end
            return 0
            """)
}
