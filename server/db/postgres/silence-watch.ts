/**
 * Notices a database host that disappears without closing its connections, for example because its power or network fails. The operating
 * system would wait a quarter of an hour for a response. If queries wait and no connection of the host gets a response for some seconds, a
 * new connection shows whether the host responds at all.
 */
import { DatabaseError } from 'pg'
import { ServerClient } from '#server/db/postgres/server-client.ts'
import type { ServerHost, ServerTarget } from '#server/config/postgres-target.ts'

/**
 * Time in ms between two checks, number of checks without any response after which a host is probed, and limit in ms for the probe. All
 * together stay below 10 s. Checks are counted, so that the time in which the process was suspended does not count.
 */
export const silenceTimings = { checkMs: 1000, silentChecks: 4, probeMs: 3500 }

interface SilenceWatchOptions {
  target: ServerTarget
  maxQueryMs: number | null
  timings: typeof silenceTimings
  onSilent(clients: readonly ServerClient[]): void
}

interface ClientWait {
  responseCount: number
  checks: number
}

/** Returns a stop function. */
export function watchSilence(clients: ReadonlySet<ServerClient>, options: SilenceWatchOptions): () => void {
  const { checkMs, silentChecks, probeMs } = options.timings
  const waits = new WeakMap<ServerClient, ClientWait>()
  const silentChecksByHost = new Map<ServerHost, number>()
  const probedHosts = new Set<ServerHost>()

  async function probe(host: ServerHost): Promise<void> {
    const countResponses = () => sum([...clients].filter(isAt(host)).map(({ responseCount }) => responseCount))
    const countBefore = countResponses()
    const responds = await respondsToProbe(options.target, host, probeMs)
    if (!responds && countResponses() === countBefore) options.onSilent([...clients].filter(isAt(host)))
  }

  /** Counts the checks since the client's query started, and returns whether it got a response since the last check. */
  function check(client: ServerClient): { checks: number; hasResponse: boolean } {
    const previous = waits.get(client)
    const { responseCount, isWaiting } = client
    const hasResponse = previous !== undefined && previous.responseCount !== responseCount
    const checks = isWaiting && previous && !hasResponse ? previous.checks + 1 : 0
    waits.set(client, { responseCount, checks })
    return { checks, hasResponse }
  }

  function checkHost(host: ServerHost): void {
    const hostClients = [...clients].filter(isAt(host))
    const results = hostClients.map((client) => ({ client, ...check(client) }))
    const maxChecks = options.maxQueryMs === null ? Number.POSITIVE_INFINITY : options.maxQueryMs / checkMs
    const overdueClients = results.filter(({ checks }) => checks > maxChecks).map(({ client }) => client)
    if (overdueClients.length > 0) options.onSilent(overdueClients)
    const isSilent = results.some(({ checks }) => checks > 0) && !results.some(({ hasResponse }) => hasResponse)
    const count = isSilent ? (silentChecksByHost.get(host) ?? 0) + 1 : 0
    silentChecksByHost.set(host, count)
    if (count < silentChecks || probedHosts.has(host)) return
    silentChecksByHost.set(host, 0)
    probedHosts.add(host)
    void probe(host).finally(() => probedHosts.delete(host))
  }

  const timer = setInterval(() => options.target.hosts.forEach(checkHost), checkMs)
  timer.unref()
  return () => clearInterval(timer)
}

const isAt = (host: ServerHost) => (client: ServerClient) => client.serverHost === host

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Returns true for any response of the server, also for an error such as too many connections. */
async function respondsToProbe(target: ServerTarget, host: ServerHost, probeMs: number): Promise<boolean> {
  const config = { ...target.createConfig(host), connectionTimeoutMillis: probeMs, query_timeout: probeMs }
  const client = new ServerClient(config, host)
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    return error instanceof DatabaseError
  } finally {
    client.connection.stream.destroy()
  }
}
