-- Checks that the first key belongs to this registry. KEYS[1]: a header, the registry or an app. ARGV[1]: generation.

if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then
    return {err = 'NOTREADY ' .. KEYS[1] .. ' is not of this registry'}
end
