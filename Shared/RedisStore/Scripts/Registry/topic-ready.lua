-- Checks that a topic belongs to this registry. KEYS[1]: segments of the topic. ARGV[1]: generation.

if redis.call('HGET', KEYS[1], 'g') ~= ARGV[1] then
    return {err = 'NOTREADY ' .. KEYS[1] .. ' is not of this registry'}
end
