#!lua flags=no-writes
-- Libraries: ready, records
-- KEYS: header, devices of up to eight buckets. ARGV: generation, seconds.
-- Returns the marks of removed devices that are older, three values each: index of the bucket, field, mark.

local marks = {}
for i = 2, #KEYS do
    local all = redis.call('HGETALL', KEYS[i])
    for at = 1, #all, 2 do
        local record = all[at + 1]
        if string.byte(record) == RECORD_REMOVED and struct.unpack('<I4', record, 2) < tonumber(ARGV[2]) then
            marks[#marks + 1] = i - 2
            marks[#marks + 1] = tonumber(all[at])
            marks[#marks + 1] = record
        end
    end
end
return marks
