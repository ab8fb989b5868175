-- Lists of entries of the same width within a string.

-- The position of an entry in which `bytes` stand at `shift`; nil if there is none.
local function aligned(list, bytes, width, shift)
    local from = 1
    while true do
        local at = string.find(list, bytes, from, true)
        if not at or (at - 1 - shift) % width == 0 then return at end
        from = at + 1
    end
end
