/**
 * Checks the health of the portal in this container: `node healthcheck.mjs [live|ready]`, by default `live`. Exits with code 1 if the
 * portal does not answer with 200 within 4 seconds.
 */
const [, , state = 'live'] = process.argv
const port = process.env.HEALTH_PORT || process.env.PORT || '8080'

try {
  const response = await fetch(`http://127.0.0.1:${port}/health/${state}`, { signal: AbortSignal.timeout(4000) })
  console.log(`${response.status} ${await response.text()}`)
  process.exitCode = response.status === 200 ? 0 : 1
} catch (error) {
  console.log(String(error))
  process.exitCode = 1
}
