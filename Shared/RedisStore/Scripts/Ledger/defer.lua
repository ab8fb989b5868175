#!lua flags=allow-oom
-- Libraries: clock, states, ledgerFlags, ranges, ledger, window, whole, deferrals
-- Defers devices that are targeted or deferred. Gives the ledger version 2.
--
-- KEYS: ledger, deferrals. ARGV: now, then for each group due time, cause and ranges.
-- Returns the ranges of the devices that are deferred with one of the groups.

if not head then return '' end
load(0, 4095)
local accepted, groups = {}, {}
for at = 2, #ARGV, 3 do
    local group = {field = struct.pack('<I6B', ARGV[at], ARGV[at + 1]), cause = tonumber(ARGV[at + 1]), count = 0}
    group.offsets = {}
    each(ARGV[at + 2], function(offset)
        local state = states[offset]
        if accepted[offset] or (state ~= STATE_TARGETED and state ~= STATE_DEFERRED) then return end
        accepted[offset], group.offsets[offset] = true, true
        group.count = group.count + 1
        move(offset, STATE_DEFERRED)
    end)
    if group.count > 0 then groups[#groups + 1] = group end
end
if #groups == 0 then return '' end
head[VERSION] = 2
saveAll()

local key = KEYS[2]
undefer(key)
local counts = deferralCounts(key)
for _, group in ipairs(groups) do
    local text = redis.call('HGET', key, group.field)
    if text then each(string.sub(text, 7), function(offset) group.offsets[offset] = true end) end
    redis.call('HSET', key, group.field, struct.pack('<I6', now) .. rangesOf(group.offsets))
    counts[group.cause] = (counts[group.cause] or 0) + group.count
end
writeDeferralCounts(key, counts)
return rangesOf(accepted)
