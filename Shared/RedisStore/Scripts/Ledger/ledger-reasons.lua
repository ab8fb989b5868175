-- The reasons for which devices of a ledger were not delivered, from their details.

local function addDetail(reasons, offset, detail)
    local state = states[offset]
    if not state or state == STATE_DELIVERED or not hasEnded(state) or #detail < DETAIL_BYTES then return end
    local status = struct.unpack('<H', detail, DETAIL_BYTES - 1)
    -- What follows a zero byte is a time or a provider.
    local text = string.match(string.sub(detail, DETAIL_BYTES + 1), '^[^%z]*')
    if status > 0 or text ~= '' then addReason(reasons, state, status, text, 1) end
end

-- `details` is the key of the details.
local function reasonsOfLedger(details)
    if head[COUNTS + STATE_DELIVERED] == countMarked() then return '' end
    local reasons = newReasons()
    load(0, 4095)
    if isAlone() then addDetail(reasons, order[1], ownDetail()) end
    local fields = redis.call('HGETALL', details)
    for at = 1, #fields, 2 do
        local offset = tonumber(fields[at])
        if offset then addDetail(reasons, offset, fields[at + 1]) end
    end
    return packReasons(reasons)
end
