-- What is known of an engine replaces exactly what was known, and what changed is kept beside it; or nothing is written.
-- KEYS: what is known, the changes. ARGV: what was known ('' for nothing), what is known now, life in s,
-- the oldest time to keep in s, how many to keep, then pairs of time in s and change. Returns 1 when written.
local known = redis.call('GET', KEYS[1]) or ''
if known ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
for i = 6, #ARGV, 2 do
  redis.call('ZADD', KEYS[2], ARGV[i], ARGV[i + 1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -ARGV[5] - 1)
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
