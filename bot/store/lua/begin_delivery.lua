-- Write the intent to post a message before it is posted, under the fence of its work. KEYS: work, delivery.
-- ARGV: fence, now in s, keep in s.
-- Returns {-1} when somebody else holds the work; {0, since} when it was never tried; {1, since} when it was tried and may have arrived;
-- {2, channel, ts} when it stands.
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return {-1} end
local delivery = redis.call('HMGET', KEYS[2], 'ts', 'channel', 'since')
if delivery[1] then return {2, delivery[2], delivery[1]} end
if delivery[3] then return {1, delivery[3]} end
redis.call('HSET', KEYS[2], 'since', ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return {0, ARGV[2]}
