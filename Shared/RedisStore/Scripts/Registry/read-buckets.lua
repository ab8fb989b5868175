#!lua flags=no-writes
-- Libraries: ready, records
-- KEYS: header, devices of some buckets. ARGV: generation, then for each bucket the wanted fields, a byte each, or
-- empty for all fields. Returns for each bucket its existing devices one after another: field as a byte, length as
-- two, record.

local replies = {}
for i = 2, #KEYS do
    local parts, count = {}, 0
    local function add(field, record)
        if record and string.byte(record) ~= RECORD_REMOVED then
            parts[count + 1] = string.char(field, #record % 256, math.floor(#record / 256))
            parts[count + 2] = record
            count = count + 2
        end
    end
    if ARGV[i] == '' then
        local all = redis.call('HGETALL', KEYS[i])
        for at = 1, #all, 2 do add(tonumber(all[at]), all[at + 1]) end
    else
        local fields = {string.byte(ARGV[i], 1, -1)}
        local records = redis.call('HMGET', KEYS[i], unpack(fields))
        for at = 1, #fields do add(fields[at], records[at]) end
    end
    replies[i - 1] = table.concat(parts)
end
return replies
