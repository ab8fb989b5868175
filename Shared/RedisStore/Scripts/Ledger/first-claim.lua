-- The most frequent claim: the first for all of its devices, which counts and limits nothing. The states alone decide
-- it, and the script ends here, before it defines what other claims need. KEYS and ARGV are those of `claim.lua`.

if not head then return false end
if ARGV[5] == '' then return {'', '', ''} end
load(span(ARGV[5]))

do
    local claimed, targeted = 0, 0
    each(ARGV[5], function(offset)
        claimed = claimed + 1
        if states[offset] == STATE_TARGETED then targeted = targeted + 1 end
    end)
    local isEnding = has(FLAG_CANCELLED) or now >= head[DEADLINE] or ARGV[7] ~= '' and now >= tonumber(ARGV[7])
    local isPlain = ARGV[6] ~= '1' and ARGV[9] ~= '1' and ARGV[10] == ''
    if targeted == claimed and isPlain and not isEnding then
        each(ARGV[5], function(offset) states[offset] = STATE_CLAIMED end)
        head[COUNTS + STATE_TARGETED] = head[COUNTS + STATE_TARGETED] - claimed
        head[COUNTS + STATE_CLAIMED] = head[COUNTS + STATE_CLAIMED] + claimed
        save()
        extendClaim(ARGV[2], now + ARGV[4], tonumber(ARGV[3]), ARGV[5])
        return {string.rep(char(ANSWER_CLAIMED), claimed), '', ''}
    end
end
