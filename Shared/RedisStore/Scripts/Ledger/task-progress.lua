#!lua flags=no-writes
-- Libraries: taskView
-- KEYS: task, jobs, open segments, sums. Returns the view of the task.

return view()
