#!lua flags=allow-oom
-- Libraries: ready, records, fields, lists, members, subscriptions, purges, topicCounts, transfers, activities,
-- changes, commitReplies, commitChanges
-- As `commit.lua`, for changes that need no further memory: a full Redis accepts them.

return commit()
