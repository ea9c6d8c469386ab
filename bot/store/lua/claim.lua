-- Take the lease of a piece of work. KEYS: work, due. ARGV: id, lease in ms.
-- Returns nothing when it is unknown, ended, leased by somebody else or not due yet; else all its fields with the new fence.
local work = redis.call('HMGET', KEYS[1], 'state', 'lease_until', 'not_before')
if not work[1] or work[1] == 'done' then return nil end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(work[2]) > now then return nil end
if work[3] and tonumber(work[3]) > now then return nil end
local till = now + tonumber(ARGV[2])
redis.call('HINCRBY', KEYS[1], 'fence', 1)
redis.call('HSET', KEYS[1], 'lease_until', till, 'kicks', 0)
redis.call('ZADD', KEYS[2], till, ARGV[1])
return redis.call('HGETALL', KEYS[1])
