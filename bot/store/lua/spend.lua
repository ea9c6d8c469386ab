-- Answer a question with yes and create its work, in one step. KEYS: approval, work, due, open, kicks.
-- ARGV: who, id, wait in ms, kick, then field, value, ... of the work. Returns 1, or 0 when it was answered already.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('HEXISTS', KEYS[1], 'answer') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'answer', 'yes', 'by', ARGV[1])
redis.call('PERSIST', KEYS[1])
redis.call('EXPIRE', KEYS[1], 30 * 86400)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], unpack(ARGV, 5))
redis.call('HSET', KEYS[2], 'fence', 0, 'lease_until', 0, 'created_ms', now)
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[3]), ARGV[2])
redis.call('ZADD', KEYS[4], now, ARGV[2])
redis.call('LPUSH', KEYS[5], ARGV[4])
return 1
