#!lua flags=allow-oom
-- Libraries: clock, states, ledgerFlags, ranges, ledger, window, claims
-- Ends every device at the deadline, except those under a live lease.
--
-- KEYS: ledger, claims, deferrals. ARGV: now, state in which unclaimed devices end.
-- Returns the ranges that were unclaimed, the state in which they ended, and the ranges whose outcome is unknown; false
-- if there is no ledger or the deadline is not reached.

if not head or now < head[DEADLINE] then return false end
local final = has(FLAG_CANCELLED) and STATE_CANCELLED or tonumber(ARGV[2])
local unknown, losers = collector(), {}
local ended = final == STATE_UNKNOWN and unknown or collector()
if countOpen() == 0 then return {'', final, ''} end
load(0, 4095)
local holders = readHolders()
for offset = 0, 4095 do
    local state, holder = states[offset], holders[offset]
    if FREE[state] then
        move(offset, final)
        ended.add(offset)
    elseif state == STATE_CLAIMED and not (holder and now < holder.leaseEnd) then
        move(offset, STATE_UNKNOWN)
        unknown.add(offset)
        if holder then losers[holder.name] = true end
    end
end
save()
if next(undeferred) then redis.call('DEL', KEYS[3]) end
for name in pairs(losers) do redis.call('HDEL', KEYS[2], name) end
return {final == STATE_UNKNOWN and '' or ended.text(), final, unknown.text()}
