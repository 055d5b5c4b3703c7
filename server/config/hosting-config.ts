import { type Config, type EnvironmentVariables, isLoopback, readInteger, StartProblem } from '#server/config/config.ts'
import { type DockerSettings, readDockerSettings } from '#server/config/docker-config.ts'
import { isHostAddress } from '#server/config/host-address.ts'

export interface HostingSettings {
  /** Address on which the gateway of hosted services listens. */
  serviceHost: string
  /** Where this node answers questions of other nodes about its services, on PostgreSQL only. */
  api: HostingApiSettings
  /** Null unless `hosting` is `docker`. */
  docker: DockerSettings | null
  /** Names of settings that are set but have no effect on the chosen engine. */
  unusedNames: readonly string[]
}

export interface HostingApiSettings {
  host: string
  /** 0 means any free port. */
  port: number
  /** Address at which other nodes reach it, without a slash at the end. Null means `host` and the port. */
  url: string | null
}

/** Throws StartProblem if a setting is invalid. */
export function readHostingSettings(
  env: EnvironmentVariables,
  config: Pick<Config, 'hosting' | 'serviceTls' | 'trustProxy' | 'demo' | 'databaseUrl' | 'servicePort'>,
): HostingSettings {
  const { hosting, serviceTls, trustProxy } = config
  const serviceHost = readHost(env, 'SERVICE_HOST')
  const docker = hosting === 'docker' ? readDockerSettings(env, config) : null
  const hasGateway = hosting === 'local' || docker?.gateway.kind === 'own'
  // Without a proxy, passwords and sessions of services would cross the network in plain text.
  if (hasGateway && !isLoopback(serviceHost) && !serviceTls && trustProxy === 0)
    throw new StartProblem(
      `SERVICE_HOST ${serviceHost} opens hosted services to other machines without TLS: put a proxy in front and set SERVICE_TLS=1 and TRUST_PROXY, or unset SERVICE_HOST.`,
    )
  return { serviceHost, api: readApiSettings(env), docker, unusedNames: docker ? listUnusedNames(env, docker) : [] }
}

/** Settings of the engine `local` without a meaning for `docker`. */
const localNames = [
  'HOSTING_DIR',
  'HOSTING_API_HOST',
  'HOSTING_API_PORT',
  'HOSTING_API_URL',
  'SERVICE_USERS',
  'SERVICE_MEMORY_MB',
]

const listUnusedNames = (env: EnvironmentVariables, { gateway }: DockerSettings): string[] =>
  [...localNames, ...(gateway.kind === 'traefik' ? ['SERVICE_HOST'] : [])].filter(
    // The units in deploy/ set SERVICE_USERS=off, which asks for nothing.
    (name) => env[name] && !(name === 'SERVICE_USERS' && env[name] === 'off'),
  )

function readApiSettings(env: EnvironmentVariables): HostingApiSettings {
  const host = readHost(env, 'HOSTING_API_HOST')
  const port = readInteger(env, 'HOSTING_API_PORT', 0, 0, 65_535)
  const url = readApiUrl(env)
  if (url === null && (host === '0.0.0.0' || host === '::'))
    throw new StartProblem(
      `HOSTING_API_HOST ${host} is not an address that other nodes can use: set HOSTING_API_URL to the address of this machine, like http://10.0.0.5:8090.`,
    )
  if (url !== null && port === 0)
    throw new StartProblem('HOSTING_API_URL needs a fixed port: set HOSTING_API_PORT to the port to listen on.')
  return { host, port, url }
}

function readHost(env: EnvironmentVariables, name: 'SERVICE_HOST' | 'HOSTING_API_HOST'): string {
  const host = env[name] || '127.0.0.1'
  if (isHostAddress(host)) return host
  throw new StartProblem(`${name} must be an IP address or a host name of this machine, not "${host}".`)
}

// The message does not repeat the value, because it may contain a password.
function readApiUrl(env: EnvironmentVariables): string | null {
  const text = env.HOSTING_API_URL
  if (!text) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (isPlain && /^https?:$/.test(url.protocol)) return url.origin
  throw new StartProblem('HOSTING_API_URL must be an address without a path or password, like http://10.0.0.5:8090.')
}
