-- Spend the one-time code and make the first admin. KEYS: code, roles. ARGV: what is stored of the code, user id.
-- Returns 1, or 0 when the code was spent or replaced in the meantime, or when there is an admin already.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for _, role in ipairs(redis.call('HVALS', KEYS[2])) do
  if role == 'admin' then return 0 end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[2], ARGV[2], 'admin')
return 1
