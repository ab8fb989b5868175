#!lua
-- Libraries: taskEntry
-- KEYS: task, jobs, open segments. ARGV: segment, its app.
-- Returns plan and 1 if the task is cancelled; false if no device may be marked.

return enter()
