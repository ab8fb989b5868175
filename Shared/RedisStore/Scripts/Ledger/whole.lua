-- Writes the whole ledger, in the form that its number of devices requires.

local function dense()
    local bytes = {}
    for at = 0, 2047 do bytes[at + 1] = (states[2 * at] or 0) + 16 * (states[2 * at + 1] or 0) end
    return char(unpack(bytes))
end

local function sparse()
    local bytes = {}
    for _, offset in ipairs(risingKeys(states)) do
        local value = offset * 16 + states[offset]
        bytes[#bytes + 1], bytes[#bytes + 2] = value % 256, floor(value / 256)
    end
    return char(unpack(bytes))
end

local function saveAll()
    if countMarked() > SPARSE_MAXIMUM then set(FLAG_DENSE) end
    local body = has(FLAG_DENSE) and dense() or sparse()
    redis.call('SET', ledger, header() .. body)
    beginning = nil
end
