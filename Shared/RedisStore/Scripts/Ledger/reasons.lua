-- Why devices were not delivered: numbers of devices by state, status and reason. Only REASONS_MAXIMUM different ones
-- are kept; the others are added up under REASON_OTHER, each for its state.

local REASON_OTHER = 'other'

local function newReasons() return {list = {}, places = {}, kept = 0} end

local function addReason(reasons, state, status, text, count)
    local name = state .. ' ' .. status .. ' ' .. text
    local isOther = status == 0 and text == REASON_OTHER
    if not reasons.places[name] and not isOther and reasons.kept == REASONS_MAXIMUM then
        return addReason(reasons, state, 0, REASON_OTHER, count)
    end
    local place = reasons.places[name]
    if place then
        reasons.list[place].count = reasons.list[place].count + count
        return
    end
    if not isOther then reasons.kept = reasons.kept + 1 end
    reasons.list[#reasons.list + 1] = {state = state, status = status, text = text, count = count}
    reasons.places[name] = #reasons.list
end

-- Each as state u8, status u16, devices u32, and the text with its length as u8.
local function packReasons(reasons)
    local parts = {}
    for at, one in ipairs(reasons.list) do
        parts[at] = struct.pack('<BHIB', one.state, one.status, one.count, #one.text) .. one.text
    end
    return table.concat(parts)
end

local function addPackedReasons(reasons, packed)
    local at = 1
    while at <= #packed do
        local state, status, count, length = struct.unpack('<BHIB', packed, at)
        addReason(reasons, state, status, string.sub(packed, at + 8, at + 7 + length), count)
        at = at + 8 + length
    end
end
