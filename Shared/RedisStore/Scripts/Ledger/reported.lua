-- Which devices have a result on the `results` topic. For a device alone in its ledger it is FLAG_REPORTED. Otherwise
-- it is the field `told` of the details: ranges in the order in which they were noted, until they would be as long as a
-- bitmap with a bit for each device of the segment, the lowest offset in the lowest bit of the first byte.

local BITMAP_BYTES = 512

local function eachReported(text, body)
    if #text < BITMAP_BYTES then each(text, body) return end
    for at = 1, BITMAP_BYTES do
        local bits = byte(text, at)
        for place = 0, 7 do
            if bits % 2 == 1 then body(8 * (at - 1) + place) end
            bits = floor(bits / 2)
        end
    end
end

-- The bitmap of what is noted (ranges or bitmap) and of further ranges.
local function reportedBitmap(text, ranges)
    local bytes = {byte(#text == BITMAP_BYTES and text or string.rep('\0', BITMAP_BYTES), 1, -1)}
    local function add(offset)
        local at = floor(offset / 8) + 1
        bytes[at] = bit.bor(bytes[at], bit.lshift(1, offset % 8))
    end
    if #text < BITMAP_BYTES then each(text, add) end
    each(ranges, add)
    return char(unpack(bytes))
end
