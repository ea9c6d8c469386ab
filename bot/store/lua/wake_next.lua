-- The first work in line that has not ended is looked at now. KEYS: line, due, kicks. ARGV: prefix of work keys, whose turn ended.
-- Returns its id, or nothing when nobody waits.
redis.call('ZREM', KEYS[1], ARGV[2])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local queue = redis.call('HGET', ARGV[1] .. id, 'queue')
  if queue and redis.call('ZSCORE', KEYS[2], id) then
    redis.call('HSET', ARGV[1] .. id, 'not_before', 0)
    redis.call('ZADD', KEYS[2], 'XX', 0, id)
    redis.call('LPUSH', KEYS[3], queue .. ' ' .. id)
    return id
  end
  redis.call('ZREM', KEYS[1], id)
end
return nil
