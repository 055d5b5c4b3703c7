/** Reads the settings of `HOSTING=docker`. No message repeats a password, nor an address that may contain one. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import {
  type Config,
  type EnvironmentVariables,
  isLoopback,
  readChoice,
  readFlag,
  readInteger,
  readPostgresUrl,
  StartProblem,
} from '#server/config/config.ts'
import { getRegistryHost, isImageReference } from '#server/config/image-reference.ts'
import { isHostAddress } from '#server/config/host-address.ts'
import { parsePostgresAddress } from '#server/config/postgres-address.ts'

/** How to reach the daemon, as options of `new Docker()`. */
export type DockerConnection =
  | { socketPath: string }
  | {
      protocol: 'http' | 'https'
      host: string
      port: number
      /** PEM texts. */
      ca?: string
      cert?: string
      key?: string
    }

export interface DockerRegistryLogin {
  username: string
  password: string
  serveraddress: string
}

export type DockerGatewaySettings =
  | { kind: 'own' }
  | { kind: 'traefik'; network: string; entryPoint: string | null; certResolver: string | null }

export interface DockerSettings {
  connection: DockerConnection
  /** The address for messages, without secrets. */
  address: string
  /** Begins the names of everything that this portal has in the Swarm. */
  prefix: string
  /** Null for the image of the sample instance, in the demo only. */
  image: string | null
  registry: DockerRegistryLogin | null
  /** Address of an administrator of the PostgreSQL server that gets a database for each service. Null for volumes. */
  databaseUrl: string | null
  gateway: DockerGatewaySettings
  /** In MB, ascending. Null if every size is possible. */
  memorySizes: readonly number[] | null
  /** Address of all machines of the Swarm for the portal. Null for the addresses that the Swarm reports. */
  nodeAddress: string | null
  /** Interval of the health checks in seconds. */
  healthSeconds: number
}

type MainSettings = Pick<Config, 'demo' | 'databaseUrl' | 'servicePort' | 'serviceTls'>

/** Throws StartProblem if a setting is invalid. */
export function readDockerSettings(env: EnvironmentVariables, main: MainSettings): DockerSettings {
  const { connection, address } = readConnection(env)
  const image = readImage(env, main)
  const gateway = readGateway(env, main)
  // Each node has a gateway, and all nodes must give a service the same address.
  if (gateway.kind === 'own' && main.databaseUrl !== null && main.servicePort === 0)
    throw new StartProblem(
      'HOSTING=docker needs a fixed port if several nodes can use the database: set SERVICE_PORT to the port of the gateway, the same on every node, or set GATEWAY=traefik.',
    )
  return {
    connection,
    address,
    prefix: readPrefix(env),
    image,
    registry: readRegistry(env, image),
    databaseUrl: readServiceDatabase(env),
    gateway,
    memorySizes: readMemorySizes(env),
    nodeAddress: readNodeAddress(env),
    healthSeconds: readInteger(env, 'SERVICE_HEALTH_SECONDS', 10, 1, 300),
  }
}

const defaultDockerHost = 'unix:///var/run/docker.sock'
const dockerHostHint = `set it to an address like ${defaultDockerHost} or tcp://10.0.0.5:2376`
/** Longest path of a Unix socket on Linux, in bytes. */
const maxSocketPath = 107
const plainPort = 2375
const tlsPort = 2376

function readConnection(env: EnvironmentVariables): Pick<DockerSettings, 'connection' | 'address'> {
  const text = env.DOCKER_HOST || defaultDockerHost
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(text) ?? []
  const requiresTls = readFlag(env, 'DOCKER_TLS_VERIFY', false)
  switch (scheme) {
    case 'unix':
      return { connection: readSocket(rest, requiresTls), address: text }
    case 'tcp':
    case 'http':
    case 'https':
      return readNetworkConnection(env, { scheme, rest, requiresTls })
    case 'ssh':
      throw new StartProblem(
        'DOCKER_HOST must not begin with ssh://, which the portal does not support: forward the socket (ssh -L /run/portal/docker.sock:/var/run/docker.sock) and set DOCKER_HOST to unix:///run/portal/docker.sock, or use tcp:// with TLS.',
      )
    default:
      throw new StartProblem(`DOCKER_HOST must begin with unix://, tcp://, http:// or https://: ${dockerHostHint}.`)
  }
}

function readSocket(socketPath: string, requiresTls: boolean): DockerConnection {
  if (!isAbsolute(socketPath) || /[^\P{Cc}]/u.test(socketPath) || Buffer.byteLength(socketPath) > maxSocketPath)
    throw new StartProblem(
      `DOCKER_HOST must name a socket by an absolute path of at most ${maxSocketPath} bytes, like ${defaultDockerHost}.`,
    )
  if (requiresTls)
    throw new StartProblem('DOCKER_TLS_VERIFY has no effect on a Unix socket: unset it, or set DOCKER_HOST.')
  return { socketPath }
}

function readNetworkConnection(
  env: EnvironmentVariables,
  { scheme, rest, requiresTls }: { scheme: 'tcp' | 'http' | 'https'; rest: string; requiresTls: boolean },
): Pick<DockerSettings, 'connection' | 'address'> {
  if (scheme === 'http' && requiresTls)
    throw new StartProblem(
      'DOCKER_TLS_VERIFY=1 contradicts http:// in DOCKER_HOST: use tcp:// or https://, or unset DOCKER_TLS_VERIFY.',
    )
  const usesTls = scheme === 'https' || requiresTls
  const { host, port } = parseHostAndPort(rest, usesTls ? tlsPort : plainPort)
  const bracketedHost = host.includes(':') ? `[${host}]` : host
  return {
    connection: { protocol: usesTls ? 'https' : 'http', host, port, ...readCertificates(env, { scheme, usesTls }) },
    address: `${scheme}://${bracketedHost}:${port}`,
  }
}

function parseHostAndPort(text: string, defaultPort: number): { host: string; port: number } {
  const [, bracketedHost, bareHost, portText] = /^(?:\[([^\]]*)\]|([^:/?#@[\]]*))(?::(\d{1,5}))?\/?$/.exec(text) ?? []
  const host = bracketedHost ?? bareHost ?? ''
  const port = Number(portText ?? defaultPort)
  if (isHostAddress(host) && (bracketedHost === undefined) === !host.includes(':') && port >= 1 && port <= 65_535)
    return { host, port }
  throw new StartProblem(
    `DOCKER_HOST must contain only a host and a port, without a path, a user name or a password: ${dockerHostHint}.`,
  )
}

/** The names of the files are those of the Docker command line. */
function readCertificates(
  env: EnvironmentVariables,
  { scheme, usesTls }: { scheme: string; usesTls: boolean },
): { ca?: string; cert?: string; key?: string } {
  const folder = env.DOCKER_CERT_PATH
  if (!usesTls) {
    if (!folder) return {}
    throw new StartProblem('DOCKER_CERT_PATH has no effect without TLS: set DOCKER_TLS_VERIFY=1 too, or unset it.')
  }
  // An https address may be that of a proxy with a public certificate.
  if (!folder && scheme === 'https') return {}
  const path = folder ? resolve(folder) : join(homedir(), '.docker')
  return {
    ca: readCertificate(path, 'ca.pem', 'CERTIFICATE'),
    cert: readCertificate(path, 'cert.pem', 'CERTIFICATE'),
    key: readCertificate(path, 'key.pem', 'PRIVATE KEY'),
  }
}

function readCertificate(folder: string, name: string, kind: string): string {
  try {
    const text = readFileSync(join(folder, name), 'latin1')
    if (text.includes('-----BEGIN ') && text.includes(`${kind}-----`)) return text
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new StartProblem(
      `The portal cannot read ${name} in DOCKER_CERT_PATH (${code}): the folder must contain ca.pem, cert.pem and key.pem, readable for its user.`,
    )
  }
  throw new StartProblem(`The file ${name} in DOCKER_CERT_PATH is not in the format PEM.`)
}

function readPrefix(env: EnvironmentVariables): string {
  const text = env.DOCKER_PREFIX || 'portal'
  if (/^[a-z][a-z0-9-]{0,19}$/.test(text)) return text
  throw new StartProblem(
    `DOCKER_PREFIX must be at most 20 lower-case letters, digits and hyphens and begin with a letter, not "${text}".`,
  )
}

function readImage(env: EnvironmentVariables, { demo }: MainSettings): string | null {
  const text = env.SERVICE_IMAGE
  if (!text) {
    if (demo) return null
    throw new StartProblem(
      'HOSTING=docker needs SERVICE_IMAGE: set it to the image of the hosted program, like registry.example.com/erp:1.4.2.',
    )
  }
  if (isImageReference(text)) return text
  // Somebody may have written a login into it.
  if (/@|:\/\//.test(text))
    throw new StartProblem(
      'SERVICE_IMAGE must not contain a protocol or a login: write it like registry.example.com/erp:1.4.2.',
    )
  throw new StartProblem(
    `SERVICE_IMAGE must be the name of an image like registry.example.com/erp:1.4.2, in lower case except the tag, not "${text}".`,
  )
}

function readRegistry(env: EnvironmentVariables, image: string | null): DockerRegistryLogin | null {
  const username = env.SERVICE_REGISTRY_USER || null
  const password = env.SERVICE_REGISTRY_PASSWORD || null
  if (username === null && password === null) return null
  if (username === null || password === null)
    throw new StartProblem(
      'SERVICE_REGISTRY_USER and SERVICE_REGISTRY_PASSWORD must both be set, or none of them for a public registry.',
    )
  if (image === null)
    throw new StartProblem('SERVICE_REGISTRY_USER has no effect without SERVICE_IMAGE: set it too, or unset the login.')
  if ([username, password].some((value) => value.length > 8192 || /[^\P{Cc}]/u.test(value)))
    throw new StartProblem(
      'SERVICE_REGISTRY_USER and SERVICE_REGISTRY_PASSWORD must be single lines of at most 8,192 characters.',
    )
  return { username, password, serveraddress: getRegistryHost(image) }
}

/** The containers of the services use the host of this address, on every machine of the Swarm. */
function readServiceDatabase(env: EnvironmentVariables): string | null {
  const url = readPostgresUrl(env, 'SERVICE_DATABASE_URL')
  if (url === null) return null
  const { hosts, user, tls } = parsePostgresAddress(url)
  if (hosts.some(({ host }) => host.startsWith('/')))
    throw new StartProblem(
      'SERVICE_DATABASE_URL must not name a Unix socket, because the containers of the services cannot use it: set it to an address that every machine of the Swarm reaches.',
    )
  if (hosts.some(({ host }) => isLoopback(host) || host === '0.0.0.0' || host === '::'))
    throw new StartProblem(
      'SERVICE_DATABASE_URL must not be an address of this machine only, because 127.0.0.1 in a container is the container: set it to an address that every machine of the Swarm reaches.',
    )
  if (user === null)
    throw new StartProblem(
      'SERVICE_DATABASE_URL needs the name of a login that may create databases and logins, like postgres://admin:password@10.0.0.7:5432/postgres.',
    )
  if (tls.rootCertificate !== null || tls.certificate !== null || tls.key !== null)
    throw new StartProblem(
      'SERVICE_DATABASE_URL must not contain sslrootcert, sslcert or sslkey, because the containers of the services do not have these files.',
    )
  return url
}

function readGateway(env: EnvironmentVariables, { serviceTls }: MainSettings): DockerGatewaySettings {
  const kind = readChoice(env, 'GATEWAY', 'own', ['own', 'traefik'] as const)
  if (kind === 'own') {
    const unusedName = ['TRAEFIK_NETWORK', 'TRAEFIK_ENTRYPOINT', 'TRAEFIK_CERT_RESOLVER'].find((name) => env[name])
    if (unusedName === undefined) return { kind }
    throw new StartProblem(`${unusedName} needs GATEWAY=traefik as well.`)
  }
  const network = env.TRAEFIK_NETWORK ?? ''
  if (network === '')
    throw new StartProblem(
      'GATEWAY=traefik needs TRAEFIK_NETWORK: set it to the name of the overlay network through which Traefik reaches the services.',
    )
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(network))
    throw new StartProblem(
      `TRAEFIK_NETWORK must be the name of a network, of at most 64 letters, digits and . _ -, not "${network}".`,
    )
  const entryPoint = readTraefikName(env, 'TRAEFIK_ENTRYPOINT', 'an entry point like websecure')
  const certResolver = readTraefikName(env, 'TRAEFIK_CERT_RESOLVER', 'a certificate resolver like letsencrypt')
  if (certResolver !== null && !serviceTls)
    throw new StartProblem('TRAEFIK_CERT_RESOLVER has no effect without TLS: set SERVICE_TLS=1 too, or unset it.')
  return { kind, network, entryPoint, certResolver }
}

function readTraefikName(
  env: EnvironmentVariables,
  name: 'TRAEFIK_ENTRYPOINT' | 'TRAEFIK_CERT_RESOLVER',
  example: string,
): string | null {
  const text = env[name]
  if (!text) return null
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text)) return text
  throw new StartProblem(`${name} must be the name of ${example}, not "${text}".`)
}

const memoryLimits = { min: 64, max: 1_048_576, count: 50 }

function readMemorySizes(env: EnvironmentVariables): number[] | null {
  const text = env.SERVICE_MEMORY_SIZES
  if (!text) return null
  const parts = text.split(',').map((part) => part.trim())
  const sizes = parts.map(Number)
  const isValid =
    sizes.length <= memoryLimits.count &&
    parts.every((part) => /^\d{1,7}$/.test(part)) &&
    sizes.every((size, index) => size >= memoryLimits.min && size <= memoryLimits.max && size > (sizes[index - 1] ?? 0))
  if (isValid) return sizes
  throw new StartProblem(
    `SERVICE_MEMORY_SIZES must be at most ${memoryLimits.count} ascending numbers of MB from ${memoryLimits.min} to ${memoryLimits.max}, separated by commas, like 512,1024,2048.`,
  )
}

function readNodeAddress(env: EnvironmentVariables): string | null {
  const text = env.SERVICE_NODE_ADDRESS
  if (!text) return null
  if (isHostAddress(text) && text !== '0.0.0.0' && text !== '::') return text
  throw new StartProblem(
    `SERVICE_NODE_ADDRESS must be an IP address or a host name without a port, like 10.0.0.5, not "${text}".`,
  )
}
