-- Begin long work under the next free name of its family, once for each request that asks for it. KEYS: name, number, due, open, kicks.
-- ARGV: prefix of work keys, family, wait in ms, queue, keep the name in s, then field, value, ... of the work.
-- Returns its name; the same one when it was begun already.
local known = redis.call('GET', KEYS[1])
if known then return known end
local name = ARGV[2] .. '-' .. redis.call('INCR', KEYS[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], name, 'EX', ARGV[5])
redis.call('HSET', ARGV[1] .. name, unpack(ARGV, 6))
redis.call('HSET', ARGV[1] .. name, 'id', name, 'fence', 0, 'lease_until', 0, 'created_ms', now)
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[3]), name)
redis.call('ZADD', KEYS[4], now, name)
redis.call('LPUSH', KEYS[5], ARGV[4] .. ' ' .. name)
return name
