-- Collects the changes of one script. A field is read once and written once, however many changes touch it: many
-- devices of a segment may join one topic, and one device may join many topics.

local known, unsaved, bits, marks = {}, {}, {}, 0

local function read(key, field)
    local fields = known[key]
    if not fields then
        fields = {}
        known[key] = fields
    end
    local value = fields[field]
    if value == nil then
        value = redis.call('HGET', key, field)
        fields[field] = value
    end
    return value
end

-- False removes the field.
local function write(key, field, value)
    known[key] = known[key] or {}
    unsaved[key] = unsaved[key] or {}
    known[key][field] = value
    unsaved[key][field] = true
end

local function save()
    for key, fields in pairs(unsaved) do
        local set, gone = {}, {}
        for field in pairs(fields) do
            local value = known[key][field]
            if value then
                set[#set + 1] = field
                set[#set + 1] = value
            else
                gone[#gone + 1] = field
            end
        end
        if #set > 0 then redis.call('HSET', key, unpack(set)) end
        if #gone > 0 then redis.call('HDEL', key, unpack(gone)) end
    end
    for place, value in pairs(bits) do redis.call('SETBIT', KEYS[2], place, value) end
    if marks > 0 then redis.call('HINCRBY', KEYS[1], 'marks', marks) end
end
