-- KEYS[1] is the ledger of one segment: a string with a header of 30 bytes, then the states of the devices.
--
-- Header: version u8, flags u8, deadline u48 in milliseconds, number of devices in each of the states 1 to 11 as u16.
-- Up to 512 devices are entries of two bytes (offset << 4 | state) in rising order. More devices are 2,048 bytes with
-- one nibble for each device of the segment, the even offset in the low one (FLAG_DENSE). The only entry of a ledger
-- is followed by the detail of that device. The lowest byte of every number comes first.

local SPARSE_MAXIMUM, HEADER_BYTES = 512, 30
local HEADER = '<BBI6HHHHHHHHHHH'
-- head[FLAGS], head[DEADLINE], and head[COUNTS + state] for the number of devices in a state.
local FLAGS, DEADLINE, COUNTS = 2, 3, 3

local ledger = KEYS[1]
-- `states` and `order` hold what was loaded, `first` and `last` the part of the body it was loaded from.
local head, states, order, first, last = nil, {}, {}, 0, -1

local stored = redis.call('GETRANGE', ledger, 0, HEADER_BYTES - 1)
if stored ~= '' then head = {struct.unpack(HEADER, stored)} end

local function newHead(flags, deadline)
    return {1, tonumber(flags), tonumber(deadline), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
end

local function has(flag) return bit.band(head[FLAGS], flag) ~= 0 end
local function set(flag) head[FLAGS] = bit.bor(head[FLAGS], flag) end
local function header() return struct.pack(HEADER, unpack(head, 1, COUNTS + STATE_UNKNOWN)) end

local function countOpen()
    return head[COUNTS + STATE_TARGETED] + head[COUNTS + STATE_CLAIMED] + head[COUNTS + STATE_WAITING]
end

local function countMarked()
    local sum = 0
    for index = COUNTS + STATE_TARGETED, COUNTS + STATE_UNKNOWN do sum = sum + head[index] end
    return sum
end

local function move(offset, state)
    local from = states[offset] or STATE_NOT_TARGETED
    if from ~= STATE_NOT_TARGETED then head[COUNTS + from] = head[COUNTS + from] - 1 end
    head[COUNTS + state] = head[COUNTS + state] + 1
    states[offset] = state
end

local function saveHeader() redis.call('SETRANGE', ledger, 0, header()) end

local function isAlone() return not has(FLAG_DENSE) and countMarked() == 1 end
local function ownDetail() return redis.call('GETRANGE', ledger, HEADER_BYTES + 2, -1) end
