#!lua flags=allow-oom
-- Libraries: clock, states, ledgerFlags, claimReplies, ranges, ledger, window, claims, firstClaim, reported,
-- badges, caps, contest, deferrals
-- Claims devices that a sender is about to send to.
--
-- KEYS: ledger, claims, details, deferrals, then those that `badges.lua` describes.
-- ARGV: now, name of the claim, attempt, lease in milliseconds, ranges, 1 for the release of a deferral, end of the
-- devices' own life or empty, milliseconds for which the release of a device that is not deferred yet is held, 1 to
-- count badges, count and period in milliseconds of the cap or both empty.
-- Returns false if there is no ledger, else three strings:
-- a byte for each offset, in rising order: an ANSWER, or the state in which the device ended;
-- a badge (u32, all ones for none) for each claimed device, if badges are counted;
-- a u48 for each held device, the rest of the lease in milliseconds, and for each capped device, when it may get its
-- next push.

local answers = {}
each(ARGV[5], function(offset)
    enterBucketOf(offset)
    answers[#answers + 1] = decide(offset)
end)
save()
undefer(KEYS[4])

for holder, gone in pairs(losers) do without(holder, gone) end
local mine = taken.text()
if mine ~= '' then extendClaim(name, now + ARGV[4], attempt, mine) end
return {char(unpack(answers)), table.concat(badges), table.concat(replyTimes)}
