#!lua flags=allow-oom
-- Libraries: clock, states, ledgerFlags, claimReplies, ranges, ledger, window, claims, reported, badges,
-- caps, contest, deferrals
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

if not head then return false end
local ranges = ARGV[5]
if ranges == '' then return {'', '', ''} end

-- Most claims are the first for all of their devices. Then the states alone decide.
local function takeAll()
    local count, targeted = 0, 0
    each(ranges, function(offset)
        count = count + 1
        if states[offset] == STATE_TARGETED then targeted = targeted + 1 end
    end)
    if ownEnding or countsBadges or hasCap or isRelease or targeted < count then return nil end
    each(ranges, function(offset) states[offset] = STATE_CLAIMED end)
    head[COUNTS + STATE_TARGETED] = head[COUNTS + STATE_TARGETED] - count
    head[COUNTS + STATE_CLAIMED] = head[COUNTS + STATE_CLAIMED] + count
    return string.rep(char(ANSWER_CLAIMED), count)
end

local function takeEach()
    local answers = {}
    each(ranges, function(offset)
        enterBucketOf(offset)
        answers[#answers + 1] = decide(offset)
    end)
    return char(unpack(answers))
end

load(span(ranges))
local reply = takeAll()
local mine = ranges
if not reply then
    reply = takeEach()
    mine = taken.text()
end
save()
undefer(KEYS[4])

for holder, gone in pairs(losers) do without(holder, gone) end
if mine ~= '' then
    local before = redis.call('HGET', KEYS[2], name)
    if before then mine = union(string.sub(before, 8), mine) end
    writeClaim({name = name, leaseEnd = now + ARGV[4], attempt = attempt, ranges = mine})
end
return {reply, table.concat(badges), table.concat(replyTimes)}
