-- Put a record in front of a list, once for each work and fingerprint. KEYS: list. ARGV: record, "work fingerprint", how many are kept.
-- Returns 1 when it was put, 0 when it stood there already.
for _, raw in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
  local told, known = pcall(cjson.decode, raw)
  if told and known['work'] .. ' ' .. known['fingerprint'] == ARGV[2] then return 0 end
end
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, tonumber(ARGV[3]) - 1)
return 1
