#!lua
-- Libraries: ready, records, fields, lists, members, subscriptions, purges, topicCounts, transfers, activities,
-- changes, commitReplies, commitChanges
-- Commits changes to a device.
--
-- KEYS: header, live, failures, then the keys that the changes name by position.
-- ARGV: generation; now in seconds; condition (none, absent, record or living); position of its devices key; its
-- field; its value; position of its subscriptions key or 0; the expected subscriptions; then eight for each change:
-- kind, offset in the log, offset, positions of keys a, b and c, and two values.
-- Returns COMMIT_DONE, then for each change what it found: the old record of a put or removal, 1 for a subscription
-- that is new or ended, the number of subscriptions that a purge ended. If nothing is changed, one of: COMMIT_GONE if
-- the device does not exist, COMMIT_CHANGED if it is not as the caller read it, COMMIT_TOO_MANY if it has too many
-- subscriptions.

return commit()
