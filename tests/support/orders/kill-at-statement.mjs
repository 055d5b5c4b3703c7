/**
 * Kills a test server by SIGKILL right before it sends the KILL_AT_COUNT-th statement to the database that contains KILL_AT. Loaded before the
 * server.
 */
import pg from 'pg'

const { KILL_AT = '', KILL_AT_COUNT = '1' } = process.env
const sendQuery = pg.Client.prototype.query
let count = 0

pg.Client.prototype.query = function (...queryArguments) {
  const [query] = queryArguments
  const text = typeof query === 'string' ? query : (query?.text ?? '')
  if (text.includes(KILL_AT)) count += 1
  if (count === Number(KILL_AT_COUNT)) process.kill(process.pid, 'SIGKILL')
  return sendQuery.apply(this, queryArguments)
}
