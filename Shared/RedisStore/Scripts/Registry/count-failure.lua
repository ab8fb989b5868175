#!lua flags=allow-oom
-- Libraries: ready, records
-- Counts a failure of a device once for each task. The value is the number of failures (u16) and the latest tasks,
-- newest first.
--
-- KEYS: header, devices, failures. ARGV: generation, field, offset, tag, four bytes of the task, bytes of tasks to
-- keep.
-- Returns the number of failures, or -1 if the device does not exist.

local record = redis.call('HGET', KEYS[2], ARGV[2])
if not record or string.byte(record) == RECORD_REMOVED or string.sub(record, 3, 6) ~= ARGV[4] then return -1 end
local kept = redis.call('HGET', KEYS[3], ARGV[3])
local count, tasks = 0, ''
if kept then count, tasks = struct.unpack('<H', kept), string.sub(kept, 3) end
for at = 1, #tasks, 4 do
    if string.sub(tasks, at, at + 3) == ARGV[5] then return count end
end
count = math.min(count + 1, 65535)
redis.call('HSET', KEYS[3], ARGV[3], struct.pack('<H', count) .. string.sub(ARGV[5] .. tasks, 1, ARGV[6]))
return count
