-- KEYS[2] is the hash of the claims on a ledger. Field: name of the claim. Value: end of the lease in milliseconds as
-- u48, attempt as u8, ranges of the claimed offsets.

local function readClaim(name, text)
    local leaseEnd, attempt = struct.unpack('<I6B', text)
    return {name = name, leaseEnd = leaseEnd, attempt = attempt, ranges = string.sub(text, 8)}
end

local function writeClaim(claim)
    if claim.ranges == '' then
        redis.call('HDEL', KEYS[2], claim.name)
    else
        redis.call('HSET', KEYS[2], claim.name, struct.pack('<I6B', claim.leaseEnd, claim.attempt) .. claim.ranges)
    end
end

local function union(some, others)
    local all = {}
    each(some, function(offset) all[offset] = true end)
    each(others, function(offset) all[offset] = true end)
    return rangesOf(all)
end

-- Adds offsets to those that a claim holds, if it holds any.
local function extendClaim(name, leaseEnd, attempt, ranges)
    local before = redis.call('HGET', KEYS[2], name)
    if before then ranges = union(string.sub(before, 8), ranges) end
    writeClaim({name = name, leaseEnd = leaseEnd, attempt = attempt, ranges = ranges})
end

-- Takes offsets out of a claim.
local function without(claim, gone)
    local left = collector()
    each(claim.ranges, function(offset) if not gone[offset] then left.add(offset) end end)
    claim.ranges = left.text()
    writeClaim(claim)
end

-- The claim that holds each claimed offset.
local function readHolders()
    local holders = {}
    local fields = redis.call('HGETALL', KEYS[2])
    for at = 1, #fields, 2 do
        local claim = readClaim(fields[at], fields[at + 1])
        each(claim.ranges, function(offset) holders[offset] = claim end)
    end
    return holders
end
