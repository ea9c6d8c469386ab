-- Remember a piece of work once, note that a worker shall look at it, and count. KEYS: work, due, open, kicks, counters.
-- ARGV: id, wait in ms, kick, door, then field, value, ...
-- Returns 1 when it is new, 0 when it was here already (the same trigger again).
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HINCRBYFLOAT', KEYS[5], 'repeats|' .. ARGV[4], 1)
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('HSET', KEYS[1], 'fence', 0, 'lease_until', 0, 'created_ms', now)
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[2]), ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('LPUSH', KEYS[4], ARGV[3])
redis.call('HINCRBYFLOAT', KEYS[5], 'requests|' .. ARGV[4], 1)
return 1
