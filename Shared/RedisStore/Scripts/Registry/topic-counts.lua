-- Counts of publications: hashes of topic number to time of the first subscriber, publications, time of the last
-- publication, then `partition:offset` for each partition below whose offset nothing counts; times in milliseconds.

-- Publications of the partition that precede the count, or that it has.
local function isBelow(count, partition, offset)
    local from = string.match(count, ' ' .. partition .. ':(%d+)')
    return from and offset < tonumber(from)
end

-- A topic that has subscribers from an earlier version has no count yet.
local function published(count, time)
    local created, publications, last, rest = string.match(count or time .. ' 0 0', '^(%d+) (%d+) (%d+)(.*)$')
    if tonumber(time) > tonumber(last) then last = time end
    return created .. ' ' .. string.format('%.0f', tonumber(publications) + 1) .. ' ' .. last .. rest
end

-- Replaces the count that was created at `previous`, or an earlier state of the same one. Returns 1 if it does.
local function replaceCount(counts, number, previous, count)
    local created, publications = string.match(count, '^(%d+) (%d+)')
    local present = read(counts, number)
    if present then
        local presentCreated, presentPublications = string.match(present, '^(%d+) (%d+)')
        if created == presentCreated then
            if tonumber(publications) <= tonumber(presentPublications) then return 0 end
        elseif previous ~= presentCreated or tonumber(created) < tonumber(presentCreated) then
            return 0
        end
    end
    write(counts, number, count)
    return 1
end
