-- Decides what a claim gets of each device. KEYS and ARGV are those of `claim.lua`.

local name, attempt = ARGV[2], tonumber(ARGV[3])
-- The state in which unclaimed devices end instead of being claimed.
local ending = has(FLAG_CANCELLED) and STATE_CANCELLED or now >= head[DEADLINE] and STATE_EXPIRED or nil
-- The same after the devices' own life.
local ownEnding = ending or (ARGV[7] ~= '' and now >= tonumber(ARGV[7]) and STATE_EXPIRED) or nil
local isRelease = ARGV[6] == '1'
local replyTimes, taken, losers = {}, collector(), {}
local holders, reported

local function nextAttempt(offset)
    local detail = isAlone() and ownDetail() or redis.call('HGET', KEYS[3], offset)
    return detail and byte(detail, 1) or 0
end

local function isReported(offset)
    if isAlone() then return has(FLAG_REPORTED) end
    if not reported then
        reported = {}
        eachReported(redis.call('HGET', KEYS[3], 'told') or '', function(noted) reported[noted] = true end)
    end
    return reported[offset]
end

local function take(offset, isFirst)
    move(offset, STATE_CLAIMED)
    taken.add(offset)
    readBadge(offset, isFirst)
    return ANSWER_CLAIMED
end

local function finish(offset, state)
    move(offset, state)
    return state
end

local function hold(pause)
    replyTimes[#replyTimes + 1] = struct.pack('<I6', pause)
    return ANSWER_HELD
end

local function lose(holder, offset)
    if not holder then return end
    losers[holder] = losers[holder] or {}
    losers[holder][offset] = true
end

-- The device is claimed, by this claim, by another, or by one that Redis has lost.
local function contest(offset)
    holders = holders or readHolders()
    local holder = holders[offset]
    if holder and attempt < holder.attempt then return ANSWER_SUPERSEDED end
    if holder and holder.name == name then return take(offset, false) end
    if holder and now < holder.leaseEnd then return hold(holder.leaseEnd - now) end
    lose(holder, offset)
    if holder and attempt > holder.attempt then
        return ownEnding and finish(offset, ownEnding) or take(offset, false)
    end
    -- The lease is over, or Redis has lost the claim: the push may have been sent.
    if ownEnding or has(FLAG_AT_MOST_ONCE) then return finish(offset, STATE_UNKNOWN) end
    return take(offset, false)
end

local function decide(offset)
    local state = states[offset] or STATE_NOT_TARGETED
    if state == STATE_NOT_TARGETED then return ANSWER_UNMARKED end
    if hasEnded(state) then return isReported(offset) and ANSWER_REPORTED or state end
    if state == STATE_CLAIMED then return contest(offset) end
    if ending then return finish(offset, ending) end
    -- The order of a release is durable before its device is deferred.
    if isRelease and state == STATE_TARGETED then return hold(tonumber(ARGV[8])) end
    if isRelease ~= (state == STATE_DEFERRED) then return ANSWER_SUPERSEDED end
    if state == STATE_WAITING and attempt < nextAttempt(offset) then return ANSWER_SUPERSEDED end
    if ownEnding then return finish(offset, ownEnding) end
    local due = state ~= STATE_WAITING and countPush(offset)
    if not due then return take(offset, state ~= STATE_WAITING) end
    replyTimes[#replyTimes + 1] = struct.pack('<I6', due)
    return ANSWER_CAPPED
end
