-- Compare a report's kinds of error with those reported before, and remember them; the same report again changes nothing.
-- KEYS[1]: hash of a deployment. ARGV: report, its time in s, life in s, most kinds kept, errors in all, then fingerprints.
-- Returns the time of the report before ('' for none), then the fingerprints that are new.
local key, report, at = KEYS[1], ARGV[1], ARGV[2]
if redis.call('HGET', key, 'report') ~= report then
  redis.call('HSET', key, 'before', redis.call('HGET', key, 'at') or '', 'report', report, 'at', at)
end
local before = redis.call('HGET', key, 'before')
local found = {before}
for i = 6, #ARGV do
  local field = 'kind:' .. ARGV[i]
  local first = string.match(redis.call('HGET', key, field) or '', '^(%S+)')
  if not first or first == report then
    table.insert(found, ARGV[i])
  end
  redis.call('HSET', key, field, (first or report) .. ' ' .. at)
end
redis.call('HSET', key, 'errors', ARGV[5], 'new', before == '' and '' or #found - 1)
local kinds = {}
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  local seen = string.match(all[i + 1], '^%S+ (%S+)$')
  if string.sub(all[i], 1, 5) == 'kind:' and seen then
    table.insert(kinds, {all[i], tonumber(seen)})
  end
end
table.sort(kinds, function(a, b) return a[2] > b[2] end)
for i, kind in ipairs(kinds) do
  if i > tonumber(ARGV[4]) or kind[2] < tonumber(at) - tonumber(ARGV[3]) then
    redis.call('HDEL', key, kind[1])
  end
end
redis.call('EXPIRE', key, ARGV[3])
return found
