import { isIP } from 'node:net'
import { type Config, type EnvironmentVariables, isLoopback, readInteger, StartProblem } from '#server/config/config.ts'

export interface HostingSettings {
  /** Address on which the gateway of hosted services listens. */
  serviceHost: string
  /** Where this node answers questions of other nodes about its services, on PostgreSQL only. */
  api: HostingApiSettings
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
  { hosting, serviceTls, trustProxy }: Pick<Config, 'hosting' | 'serviceTls' | 'trustProxy'>,
): HostingSettings {
  const serviceHost = readHost(env, 'SERVICE_HOST')
  // Without a proxy, passwords and sessions of services would cross the network in plain text.
  if (hosting === 'local' && !isLoopback(serviceHost) && !serviceTls && trustProxy === 0)
    throw new StartProblem(
      `SERVICE_HOST ${serviceHost} opens hosted services to other machines without TLS: put a proxy in front and set SERVICE_TLS=1 and TRUST_PROXY, or unset SERVICE_HOST.`,
    )
  return { serviceHost, api: readApiSettings(env) }
}

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
  if (isIP(host) !== 0) return host
  const isName = host.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(host)
  // The last part of a name is never a number (RFC 1123), so this is an incomplete IP address.
  if (isName && !/(^|\.)\d+$/.test(host)) return host
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
