#!lua flags=allow-oom
-- Libraries: clock, slots
-- Takes slots of a rate for pushes that are about to be sent.
--
-- KEYS: next free slot.
-- ARGV: now, milliseconds for which slots are taken ahead, count, microseconds between two slots, milliseconds after
-- which a slot that was not taken is lost.
-- Returns how many were taken, and the microseconds until the first of them; without any, until the next free one.

local slot = nextSlot(now - ARGV[5])
local interval = ARGV[4] / 1000
local count = math.min(tonumber(ARGV[3]), math.max(0, math.ceil((now + ahead - slot) / interval)))
if count > 0 then setNextSlot(slot + count * interval) end
return {count, math.max(0, math.floor((slot - now) * 1000))}
