#!lua flags=allow-oom
-- Libraries: retries
-- KEYS: waiting, leased. ARGV: entries. A leased entry also waits from then on: its handler may have put it back.
-- Returns 1.

for _, member in ipairs(ARGV) do await(member) end
return 1
