#!lua flags=no-writes
-- Libraries: ready
-- KEYS: header, saved audiences. ARGV: generation, then names. Returns the audience of each name, or without names all
-- names.

if #ARGV == 1 then return redis.call('HKEYS', KEYS[2]) end
return redis.call('HMGET', KEYS[2], unpack(ARGV, 2))
