#!lua flags=allow-oom
-- Libraries: clock, states, ledgerFlags, ranges, ledger, window, claims, providerNumbers, providers
-- Ends a claim for groups of devices, and writes their new states.
--
-- KEYS: ledger, claims, details. ARGV: now, name of the claim, time of the attempt or empty for now, then for each
-- group state, attempt, status, reason, ranges, and the provider or 0.
-- Returns the ranges that are refused because the claim no longer holds them; 1 if it holds none, false if there is no
-- ledger.

if not head then return false end
local text = redis.call('HGET', KEYS[2], ARGV[2])
if not text then return 1 end
local claim = readClaim(ARGV[2], text)
local attempted = tonumber(ARGV[3]) or now
local held, refused = nil, {}

local function holdAll()
    held = {}
    each(claim.ranges, function(offset) held[offset] = true end)
end

-- Takes ranges out of the claim. Returns those that it held.
local function release(ranges)
    if not held and ranges == claim.ranges then
        claim.ranges = ''
        return ranges
    end
    if not held then holdAll() end
    local kept = collector()
    each(ranges, function(offset)
        if held[offset] then kept.add(offset) else refused[offset] = true end
        held[offset] = nil
    end)
    return kept.text()
end

local function writeDetail(ranges, detail)
    local fields = {}
    each(ranges, function(offset)
        fields[#fields + 1], fields[#fields + 2] = offset, detail
        if #fields == 1000 then redis.call('HSET', KEYS[3], unpack(fields)) fields = {} end
    end)
    if #fields > 0 then redis.call('HSET', KEYS[3], unpack(fields)) end
end

-- The only device of the ledger is loaded.
local function saveAlone(detail)
    redis.call('SET', ledger, header() .. loadedBody() .. detail, 'KEEPTTL')
    beginning = nil
end

-- In a task for many devices, those delivered or returned in the first attempt get no detail, which saves memory.
local function needsDetail(state, attempt)
    return has(FLAG_FAST) or attempt > 0 or (state ~= STATE_DELIVERED and state ~= STATE_WAITING)
end

for at = 4, #ARGV, 6 do
    local state, attempt = tonumber(ARGV[at]), math.max(tonumber(ARGV[at + 1]), claim.attempt)
    local ranges = release(ARGV[at + 4])
    if ranges ~= '' then
        load(span(ranges))
        local count = 0
        each(ranges, function(offset) move(offset, state) count = count + 1 end)
        local isDetailed = needsDetail(state, attempt)
        local mark = countProvider(KEYS[3], tonumber(ARGV[at + 5]), state, count, isDetailed)
        local detail = struct.pack('<BI6H', attempt, attempted, tonumber(ARGV[at + 2])) .. ARGV[at + 3] .. mark
        if isDetailed and isAlone() then
            saveAlone(detail)
        else
            save()
            if isDetailed then writeDetail(ranges, detail) end
        end
    end
end
if held then claim.ranges = rangesOf(held) end
writeClaim(claim)
return next(refused) and rangesOf(refused) or ''
