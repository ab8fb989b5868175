#!lua flags=allow-oom
-- Libraries: handled, append
-- Appends a batch at the memory bound too, so that work in the pipeline can be completed and memory freed.
--
-- KEYS and ARGV as in `append.lua`. Returns the next offset, or -1 if the partition is at its bound.

return append()
