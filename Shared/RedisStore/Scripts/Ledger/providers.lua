-- Numbers of devices that a sender ended, by provider: a field of the details for each provider and state. The detail
-- of a ledger's only device is followed by a zero byte, which no reason contains, and the provider instead.

local DETAIL_BYTES = 9

local function providerField(provider, state) return 'p' .. provider .. '.' .. state end

-- The detail of a ledger's only device without its provider, and the provider or nil.
local function splitProvider(detail)
    local zero = string.find(detail, '\0', DETAIL_BYTES + 1, true)
    if zero and zero == #detail - 1 then return string.sub(detail, 1, -3), string.byte(detail, -1) end
    return detail, nil
end

-- Counts devices that have ended. Returns what is to follow their detail.
local function countProvider(details, provider, state, count, isDetailed)
    if provider == 0 or not hasEnded(state) then return '' end
    if isDetailed and isAlone() then return '\0' .. string.char(provider) end
    redis.call('HINCRBY', details, providerField(provider, state), count)
    return ''
end

-- Each number as provider u8, state u8, devices u32.
local function packProvider(provider, state, count) return struct.pack('<BBI', provider, state, count) end

-- Those of the details, as a list. `details` is false if there are none.
local function providersOfDetails(details)
    local list, fields, places = {}, {}, {}
    if not details then return list end
    for provider = 1, PROVIDER_LAST do
        for state = STATE_DELIVERED, STATE_UNKNOWN do
            fields[#fields + 1] = providerField(provider, state)
            places[#places + 1] = {provider, state}
        end
    end
    for at, count in ipairs(redis.call('HMGET', details, unpack(fields))) do
        if count then list[#list + 1] = packProvider(places[at][1], places[at][2], tonumber(count)) end
    end
    return list
end

-- The numbers of the ledger. `details` is the key of the details, or false.
local function providersOfLedger(details)
    local list = providersOfDetails(details)
    local _, provider = splitProvider(isAlone() and ownDetail() or '')
    for state = STATE_DELIVERED, STATE_UNKNOWN do
        if provider and head[COUNTS + state] == 1 then list[#list + 1] = packProvider(provider, state, 1) end
    end
    return table.concat(list)
end
