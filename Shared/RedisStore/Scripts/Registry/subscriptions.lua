-- Subscriptions of a device: a list of u32, topic number << 4 | options. The lowest bit of the options ignores
-- messages; such members are in a second set of the topic, the field with the suffix `i`. In a third, with the suffix
-- `x`, are those that a purge has ended and whose lists still name the topic (`purges.lua`).

-- Records of the log are applied whatever the bounds.
local isBounded = ARGV[3] ~= 'log'

local function place(list, number)
    local suffix = string.sub(struct.pack('<I4', number * 16), 2)
    local from = 1
    while true do
        local at = aligned(string.sub(list, from), suffix, 4, 1)
        if not at then return nil end
        at = at + from - 2
        if math.floor(string.byte(list, at) / 16) == number % 16 then return at end
        from = at + 4
    end
end

-- Returns 1 if the subscription is new, 0 if it existed; nil if the device has too many.
local function subscribe(offset, subscriptions, topics, number, options)
    local field = offset % 128
    local list = read(subscriptions, field) or ''
    local at = place(list, number)
    local isNew = not at or leave(topics, number .. 'x', offset)
    if not at and isBounded and #list >= 4000 then return nil end
    local entry = struct.pack('<I4', number * 16 + options)
    list = at and string.sub(list, 1, at - 1) .. entry .. string.sub(list, at + 4) or list .. entry
    write(subscriptions, field, list)
    join(topics, number, offset)
    if options % 2 == 1 then
        join(topics, number .. 'i', offset)
    elseif at then
        leave(topics, number .. 'i', offset)
    end
    return isNew and 1 or 0
end

-- Returns 1 if the subscription has ended, 0 if there was none.
local function unsubscribe(offset, subscriptions, topics, number)
    local field = offset % 128
    local list = read(subscriptions, field) or ''
    local at = place(list, number)
    if not at then return 0 end
    list = string.sub(list, 1, at - 1) .. string.sub(list, at + 4)
    write(subscriptions, field, list ~= '' and list)
    leave(topics, number, offset)
    leave(topics, number .. 'i', offset)
    return leave(topics, number .. 'x', offset) and 0 or 1
end
