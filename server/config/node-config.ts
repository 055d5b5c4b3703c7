import { isIPv6 } from 'node:net'
import {
  type Config,
  type EnvironmentVariables,
  isLoopback,
  readChoice,
  readInteger,
  StartProblem,
} from '#server/config/config.ts'

/** Settings of one process of an installation. They may differ between its nodes. */
export interface NodeSettings {
  /** Address of the listener for health checks. Null if there is none. */
  health: { host: string; port: number } | null
  /** Time in ms for which a process works on after SIGTERM although it is not ready. */
  drainMs: number
  /** Where jobs and the schedule of the cluster run: in the serving processes, or in workers. */
  jobs: 'local' | 'elsewhere'
}

/** Throws StartProblem if a setting is invalid. */
export function readNodeSettings(
  env: EnvironmentVariables,
  { host, port, databaseUrl }: Pick<Config, 'host' | 'port' | 'databaseUrl'>,
): NodeSettings {
  const jobs = readChoice(env, 'JOBS', 'local', ['local', 'elsewhere'] as const)
  if (jobs === 'elsewhere' && databaseUrl === null)
    throw new StartProblem(
      'JOBS=elsewhere needs a database that several processes can use: set DATABASE_URL, or unset JOBS.',
    )
  return {
    health: readHealthAddress(env, { host, port }),
    drainMs: readInteger(env, 'DRAIN_SECONDS', 0, 0, 300) * 1000,
    jobs,
  }
}

function readHealthAddress(
  env: EnvironmentVariables,
  main: Pick<Config, 'host' | 'port'>,
): { host: string; port: number } | null {
  const host = env.HEALTH_HOST || main.host
  const port = readInteger(env, 'HEALTH_PORT', 0, 1, 65_535)
  if (port === 0) {
    if (!env.HEALTH_HOST) return null
    throw new StartProblem('HEALTH_HOST has no effect without HEALTH_PORT: set HEALTH_PORT too, or unset HEALTH_HOST.')
  }
  if (port === main.port && canCollide(host, main.host))
    throw new StartProblem(`HEALTH_PORT must not be ${port}, because that is PORT: set one of them to another number.`)
  return { host, port }
}

/** Returns whether both hosts may stand for the same address. A wildcard stands for every address. */
const canCollide = (host: string, otherHost: string): boolean =>
  host === otherHost || [host, otherHost].some(isWildcard) || (isLoopback(host) && isLoopback(otherHost))

/** The URL parser normalises every spelling of an address. It does not accept an address with a zone, which is no wildcard. */
function isWildcard(host: string): boolean {
  const address = `http://[${host}]`
  return host === '0.0.0.0' || (isIPv6(host) && URL.canParse(address) && new URL(address).hostname === '[::]')
}
