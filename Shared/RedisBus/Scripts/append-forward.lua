#!lua
-- Libraries: handled, append
-- Appends a batch for a producer at the start of the pipeline. A Redis at its `maxmemory` refuses it.
--
-- KEYS and ARGV as in `append.lua`. Returns the next offset, or -1 if the partition is at its bound.

return append()
