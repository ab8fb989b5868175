#!lua
-- Libraries: states, ledgerFlags, markReplies, ranges, ledger, window, whole, providerNumbers, providers
-- Marks devices as targeted, or as cancelled if the task is cancelled.
--
-- KEYS: ledger, details. ARGV: flags and deadline of a new ledger, 1 if the task is cancelled, ranges.
-- Returns the ranges of the devices that are open and not deferred, MARK_ALL_OPEN or MARK_CANCELLED; false if the
-- segment is closed.

head = head or newHead(ARGV[1], ARGV[2])
if has(FLAG_CLOSED) then return false end
if ARGV[3] == '1' then set(FLAG_CANCELLED) end

local detail, wasReported = '', false
if not isNew then
    if isAlone() then detail, wasReported = ownDetail(), has(FLAG_REPORTED) end
    load(0, 4095)
end

local alone, before = order[1], countMarked()
local initial = has(FLAG_CANCELLED) and STATE_CANCELLED or STATE_TARGETED
local open, hasOthers = collector(), false
each(ARGV[4], function(offset)
    local state = states[offset] or STATE_NOT_TARGETED
    if state == STATE_NOT_TARGETED then
        move(offset, initial)
    elseif hasEnded(state) or state == STATE_DEFERRED then
        hasOthers = true
        return
    end
    open.add(offset)
end)

if countMarked() == before and not isNew then
    saveHeader()
else
    saveAll()
    -- The device is no longer alone, so its detail and its note move to the details.
    local rest, provider = splitProvider(detail)
    if rest ~= '' then redis.call('HSET', KEYS[2], alone, rest) end
    if provider then redis.call('HINCRBY', KEYS[2], providerField(provider, states[alone]), 1) end
    if wasReported then redis.call('HSET', KEYS[2], 'told', struct.pack('<HH', alone, alone)) end
end
if has(FLAG_CANCELLED) then return MARK_CANCELLED end
return hasOthers and open.text() or MARK_ALL_OPEN
