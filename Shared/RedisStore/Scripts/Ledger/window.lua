-- Reads and writes the part of a ledger that holds a range of offsets, so that a push to few devices of a large segment
-- does not read all of it.

local function loadDense(from, to)
    first, last = floor(from / 2), floor(to / 2)
    local text = read(headerBytes() + first, headerBytes() + last)
    for at = 1, #text do
        local pair = byte(text, at)
        local low, offset = pair % 16, 2 * (first + at - 1)
        states[offset], states[offset + 1] = low, (pair - low) / 16
    end
end

local function loadSparse(from, to)
    local count = countMarked()
    local text = read(headerBytes(), headerBytes() - 1 + 2 * count)
    local function entry(index)
        local a, b = byte(text, 2 * index + 1, 2 * index + 2)
        local value = a + b * 256
        local state = value % 16
        return (value - state) / 16, state
    end
    local low, high = 0, count
    while low < high do
        local middle = floor((low + high) / 2)
        if entry(middle) < from then low = middle + 1 else high = middle end
    end
    first, last = low, low - 1
    while last + 1 < count do
        local offset, state = entry(last + 1)
        if offset > to then break end
        last = last + 1
        order[#order + 1] = offset
        states[offset] = state
    end
end

local function load(from, to)
    states, order = {}, {}
    if has(FLAG_DENSE) then loadDense(from, to) else loadSparse(from, to) end
end

local function loadedBody()
    local bytes = {}
    if has(FLAG_DENSE) then
        for at = first, last do bytes[#bytes + 1] = states[2 * at] + 16 * states[2 * at + 1] end
    else
        for _, offset in ipairs(order) do
            local value = offset * 16 + states[offset]
            bytes[#bytes + 1], bytes[#bytes + 2] = value % 256, floor(value / 256)
        end
    end
    return char(unpack(bytes))
end

-- Writes the loaded part and the header.
local function save()
    local body = loadedBody()
    if first == 0 then
        write(0, header() .. body)
    else
        if body ~= '' then write(headerBytes() + (has(FLAG_DENSE) and 1 or 2) * first, body) end
        saveHeader()
    end
end
