-- KEYS[1] is the ledger of one segment: a string with a header, then the states of the devices.
--
-- Header: version u8, flags u8, deadline u48 in milliseconds, number of devices in each of the states 1 to 11 as u16:
-- version 1, 30 bytes. The first deferral makes it version 2, which also has the number in state 12: 32 bytes.
-- Up to 512 devices are entries of two bytes (offset << 4 | state) in rising order. More devices are 2,048 bytes with
-- one nibble for each device of the segment, the even offset in the low one (FLAG_DENSE). The only entry of a ledger
-- is followed by the detail of that device. The lowest byte of every number comes first.

local SPARSE_MAXIMUM = 512
local HEADERS = {'<BBI6HHHHHHHHHHH', '<BBI6HHHHHHHHHHHH'}
local HEADER_BYTES = {30, 32}
local KNOWN_BYTES = 96
-- head[VERSION], head[FLAGS], head[DEADLINE], and head[COUNTS + state] for the number of devices in a state.
local VERSION, FLAGS, DEADLINE, COUNTS = 1, 2, 3, 3
-- States of open devices that no sender holds.
local FREE = {[STATE_TARGETED] = true, [STATE_WAITING] = true, [STATE_DEFERRED] = true}

local ledger = KEYS[1]
-- `states` and `order` hold what was loaded, `first` and `last` the part of the body it was loaded from.
local head, states, order, first, last = nil, {}, {}, 0, -1
-- Offsets that were deferred and have another state, or another deferral, now.
local undeferred = {}

-- The beginning of the ledger, which is all of it for few devices; nil once something is written.
local beginning = redis.call('GETRANGE', ledger, 0, KNOWN_BYTES - 1)
local isNew = beginning == ''
if not isNew then
    head = {struct.unpack(HEADERS[string.byte(beginning)], beginning)}
    -- In version 1 the last value is the place behind the header.
    if head[VERSION] == 1 then head[COUNTS + STATE_DEFERRED] = 0 end
end

local NO_DEVICES = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
local function newHead(flags, deadline) return {1, tonumber(flags), tonumber(deadline), unpack(NO_DEVICES)} end

local function has(flag) return bit.band(head[FLAGS], flag) ~= 0 end
local function set(flag) head[FLAGS] = bit.bor(head[FLAGS], flag) end
local function header() return struct.pack(HEADERS[head[VERSION]], unpack(head, 1, COUNTS + STATE_DEFERRED)) end
local function headerBytes() return HEADER_BYTES[head[VERSION]] end

local function hasEnded(state) return state ~= STATE_NOT_TARGETED and state ~= STATE_CLAIMED and not FREE[state] end

local function countFree()
    local sum = 0
    for state in pairs(FREE) do sum = sum + head[COUNTS + state] end
    return sum
end

local function countOpen() return countFree() + head[COUNTS + STATE_CLAIMED] end

local function countMarked()
    local sum = 0
    for index = COUNTS + STATE_TARGETED, COUNTS + STATE_DEFERRED do sum = sum + head[index] end
    return sum
end

local function move(offset, state)
    local from = states[offset] or STATE_NOT_TARGETED
    if from ~= STATE_NOT_TARGETED then head[COUNTS + from] = head[COUNTS + from] - 1 end
    if from == STATE_DEFERRED then undeferred[offset] = true end
    head[COUNTS + state] = head[COUNTS + state] + 1
    states[offset] = state
end

-- From a first to a last byte, counted from 0.
local function read(from, to)
    local isKnown = beginning and (to < #beginning or #beginning < KNOWN_BYTES)
    return isKnown and string.sub(beginning, from + 1, to + 1) or redis.call('GETRANGE', ledger, from, to)
end

local function write(at, text)
    redis.call('SETRANGE', ledger, at, text)
    beginning = nil
end

local function saveHeader() write(0, header()) end

local function isAlone() return not has(FLAG_DENSE) and countMarked() == 1 end
-- A detail is much shorter.
local function ownDetail() return read(headerBytes() + 2, 65535) end
