-- Badges of claimed devices. KEYS[5] and further are keys of each bucket of 128 offsets that the claim touches, in
-- rising order: the registry's badges if the claim counts them, then the times of pushes if it has a cap.

local countsBadges = ARGV[9] == '1'
local hasCap = ARGV[10] ~= ''
local bucketKeys = (countsBadges and 1 or 0) + (hasCap and 1 or 0)
local badges = {}
local bucket, bucketKey = -1, 5 - bucketKeys

-- Offsets come in rising order.
local function enterBucketOf(offset)
    if floor(offset / 128) ~= bucket then bucket, bucketKey = floor(offset / 128), bucketKey + bucketKeys end
end

-- Only the first claim of a device counts up, so that a retry shows the same badge.
local function readBadge(offset, isFirst)
    if not countsBadges then return end
    local key = KEYS[bucketKey]
    local command = isFirst and {'HINCRBY', key, offset % 128, 1} or {'HGET', key, offset % 128}
    local value = redis.call(unpack(command))
    badges[#badges + 1] = struct.pack('<I4', value and math.min(tonumber(value), 4294967294) or 4294967295)
end
