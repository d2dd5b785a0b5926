-- For wrk: each thread has refresh tokens of its own, at least one for each of its connections. A request takes the one that waited longest,
-- and its answer has that family's next one, which then waits in turn: no token is sent twice, whichever connection is answered first.
-- Arguments: a file with one token a line, the path, the client's id, how many threads there are.
local threads, started = {}, 0
function setup(thread)
  thread:set("place", started)
  started = started + 1
  table.insert(threads, thread)
end
function init(arguments)
  good, bad, tokens, head, tail, isTried = 0, 0, {}, 1, 0, place > 0
  path, client = arguments[2], arguments[3]
  local line = 0
  for text in io.lines(arguments[1]) do
    if line % tonumber(arguments[4]) == place then
      tail = tail + 1
      tokens[tail] = text
    end
    line = line + 1
  end
end
function request()
  local token = tokens[head] or "none"
  -- wrk makes the first thread's first request to look at it, and sends it nowhere.
  if isTried then
    tokens[head] = nil
    head = head + 1
  end
  isTried = true
  return wrk.format("POST", path, { ["Content-Type"] = "application/x-www-form-urlencoded" },
    "grant_type=refresh_token&client_id=" .. client .. "&refresh_token=" .. token)
end
function response(status, headers, body)
  local next_token = body:match('"refresh_token"%s*:%s*"([^"]+)"')
  if status == 200 and next_token then
    tail, good = tail + 1, good + 1
    tokens[tail] = next_token
  else
    bad = bad + 1
  end
end
function done(summary, latency)
  local good, bad = 0, 0
  for _, thread in ipairs(threads) do
    good = good + thread:get("good")
    bad = bad + thread:get("bad")
  end
  -- Of a connection that failed or a request that got no answer in time, no thread is told.
  local errors = summary.errors
  bad = bad + errors.connect + errors.read + errors.write + errors.timeout
  print(string.format("RESULT %d %d %d %.0f %.0f", good, bad, summary.duration, latency.mean, latency:percentile(99)))
end
