#!lua
-- Libraries: ready, records, fields, lists, members, subscriptions, purges, topicCounts, transfers, activities, changes
-- Creates devices, each with its badge and subscriptions.
--
-- KEYS and ARGV: as `commit.lua`, with the condition `none`. The changes of a device begin with its put.
-- Returns the positions, from 0, of the puts that found a record, even a removed one; these are left out, with the
-- changes up to the next put.

local refused, isRefused = {}, false
for i = 9, #ARGV, 8 do
    if ARGV[i] == 'put' then
        isRefused = read(KEYS[tonumber(ARGV[i + 3])], tonumber(ARGV[i + 2]) % 128)
        if isRefused then refused[#refused + 1] = (i - 9) / 8 end
    end
    if not isRefused then apply(i) end
end
save()
return refused
