-- Transfers of an app: a hash of id to record, which `TransferRecord` packs; a hash of group:client to the id, or, of a
-- transfer that is reserved and not stored yet, to the id, a space and the record; and a sorted set of the same times
-- and ids, by the time of creation.

-- Returns time, group, client and 0 for the record of a reservation, else 1.
local function head(record)
    return string.match(record, '^(%d+) (%d+) (%-?%d*) ([01]) ')
end

-- Returns the field of the transfer's client, nil if it has none, and its member of the sorted set.
local function transferNames(id, group, client)
    if client == '' then return nil, id end
    local field = group .. ':' .. client
    return field, id .. ':' .. field
end

-- Returns the id, and the record if the transfer is only reserved.
local function reservation(value)
    local space = string.find(value, ' ', 1, true)
    if not space then return value end
    return string.sub(value, 1, space - 1), string.sub(value, space + 1)
end

local function forgetTransfer(transfers, clients, times, id)
    local old = read(transfers, id)
    if not old then return 0 end
    local _, group, client = head(old)
    local field, member = transferNames(id, group, client)
    local holder = field and read(clients, field)
    if holder and reservation(holder) == id then write(clients, field, false) end
    write(transfers, id, false)
    redis.call('ZREM', times, member)
    return 0
end

local function saveTransfer(transfers, clients, times, id, record)
    if record == '' then return forgetTransfer(transfers, clients, times, id) end
    local created, group, client, isLater = head(record)
    if isLater == '0' and read(transfers, id) then return 0 end
    local field, member = transferNames(id, group, client)
    write(transfers, id, record)
    if field then write(clients, field, id) end
    redis.call('ZADD', times, created, member)
    return 0
end
