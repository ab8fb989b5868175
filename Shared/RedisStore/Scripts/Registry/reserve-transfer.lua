#!lua
-- Libraries: ready, fields, transfers
-- Reserves a transfer, unless there is one with its id, or with its group and client that is not forgotten.
--
-- KEYS: header, transfers, clients, times. ARGV: generation, id, record, the time before which transfers are forgotten,
-- the maximum number of transfers, the number to remove with a new one.
-- Returns the id and the record in force, 1 if it is stored, and, with a new one, the ids of forgotten ones to remove;
-- nothing if there are too many.

local created, group, client = head(ARGV[3])
local field, member = transferNames(ARGV[2], group, client)
local forgotten = {}

local function isForgotten(record)
    return tonumber((head(record))) < tonumber(ARGV[4])
end

local stored = redis.call('HGET', KEYS[2], ARGV[2])
if stored then return {ARGV[2], stored, 1} end
local holder = field and redis.call('HGET', KEYS[3], field)
if holder then
    local id, record = reservation(holder)
    stored = redis.call('HGET', KEYS[2], id)
    record = stored or record
    if record and not isForgotten(record) then return {id, record, stored and 1 or 0} end
    if stored then forgotten[1] = id end
end
-- A reservation whose transfer was never stored has no record to remove.
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', '(' .. ARGV[4], 'LIMIT', 0, ARGV[6])) do
    local id, place = string.match(old, '^(%d+):?(.*)$')
    if redis.call('HEXISTS', KEYS[2], id) == 1 then
        forgotten[#forgotten + 1] = id
    else
        redis.call('ZREM', KEYS[4], old)
        local value = place ~= '' and redis.call('HGET', KEYS[3], place)
        if value and reservation(value) == id then redis.call('HDEL', KEYS[3], place) end
    end
end
if redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[5]) then return {} end
if field then
    redis.call('HSET', KEYS[3], field, ARGV[2] .. ' ' .. ARGV[3])
    redis.call('ZADD', KEYS[4], created, member)
end
return {ARGV[2], ARGV[3], 0, unpack(forgotten)}
