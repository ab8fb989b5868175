-- Sets of offsets, written as ranges: first and last offset, each as u16 with the lowest byte first, in rising order.

local byte, char, floor = string.byte, string.char, math.floor

local function eachRange(text, body)
    for at = 1, #text, 4 do
        local a, b, c, d = byte(text, at, at + 3)
        body(a + b * 256, c + d * 256)
    end
end

local function each(text, body)
    eachRange(text, function(from, to) for offset = from, to do body(offset) end end)
end

-- The lowest and the highest offset.
local function span(text)
    local a, b = byte(text, 1, 2)
    local c, d = byte(text, -2, -1)
    return a + b * 256, c + d * 256
end

-- Builds ranges from offsets that are added in rising order.
local function collector()
    local list, from, to = {}, nil, nil
    local function flush()
        if from then list[#list + 1] = char(from % 256, floor(from / 256), to % 256, floor(to / 256)) end
    end
    return {
        add = function(offset)
            if to and offset == to + 1 then to = offset return end
            flush()
            from, to = offset, offset
        end,
        addRange = function(lower, upper)
            if lower > upper then return end
            if to and lower == to + 1 then to = upper return end
            flush()
            from, to = lower, upper
        end,
        text = function()
            flush()
            from, to = nil, nil
            return table.concat(list)
        end
    }
end

local function risingKeys(offsets)
    local keys = {}
    for offset in pairs(offsets) do keys[#keys + 1] = offset end
    table.sort(keys)
    return keys
end

-- The ranges of the offsets that are keys of the table.
local function rangesOf(offsets)
    local list = collector()
    for _, offset in ipairs(risingKeys(offsets)) do list.add(offset) end
    return list.text()
end
