/** A PostgreSQL server that may have several hosts: which host was usable last, and the options with which a client connects to it. */
import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { StartProblem } from '#server/config/config.ts'
import {
  parsePostgresAddress,
  type PostgresAddress,
  type PostgresHost,
  type PostgresTls,
} from '#server/config/postgres-address.ts'

/** Time in ms after which the operating system checks an idle connection. */
const keepAliveDelayMs = 10_000

export interface ServerHost extends PostgresHost {
  /** Whether connections are not encrypted, because the server does not offer TLS and `sslmode` is `prefer`. */
  isPlain: boolean
}

export interface ServerTarget {
  address: PostgresAddress
  hosts: readonly ServerHost[]
  /** The host that was usable last. New connections use it. */
  currentHost: ServerHost
  /** True if the hosts must be tried before the next connection, because the current one may no longer be usable. */
  isUncertain: boolean
  /** Whether trying the hosts can have different results: there are several, or TLS is optional. */
  canChange: boolean
  createConfig(host: ServerHost, isPlain?: boolean): ClientConfig
}

/** Throws StartProblem if a file of the TLS settings cannot be read. */
export function createServerTarget(url: string, applicationName: string): ServerTarget {
  const address = parsePostgresAddress(url)
  const hosts = address.hosts.map((host) => ({ ...host, isPlain: false }))
  const [firstHost] = hosts
  if (!firstHost) throw new Error('an address without hosts was accepted')
  const readTls = createTlsReader(address.tls)
  const canChange = hosts.length > 1 || address.tls.mode === 'prefer'
  return {
    address,
    hosts,
    currentHost: firstHost,
    isUncertain: canChange,
    canChange,
    createConfig: (host, isPlain = host.isPlain) => ({
      host: host.host,
      port: host.port,
      ...(address.user === null ? {} : { user: address.user }),
      ...(address.password === null ? {} : { password: address.password }),
      ...(address.database === null ? {} : { database: address.database }),
      ...(address.options === null ? {} : { options: address.options }),
      application_name: address.applicationName ?? applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelayMs,
      // As in libpq, connections over a Unix socket are never encrypted. `false` also ignores PGSSLMODE.
      ssl: isPlain || host.host.startsWith('/') ? false : readTls(),
    }),
  }
}

/**
 * Returns a function that reads the files again for each connection, because certificates are renewed while the server runs. A file that
 * can no longer be read keeps its last content.
 */
function createTlsReader(tls: PostgresTls): () => ClientConfig['ssl'] {
  if (tls.mode === 'disable') return () => false
  const read = () => ({
    ...(tls.rootCertificate === null ? {} : { ca: readFile('sslrootcert', tls.rootCertificate) }),
    ...(tls.certificate === null ? {} : { cert: readFile('sslcert', tls.certificate) }),
    ...(tls.key === null ? {} : { key: readFile('sslkey', tls.key) }),
  })
  let files = read()
  return () => {
    try {
      files = read()
    } catch {
      // Continues with the last content.
    }
    return { ...files, ...verifications[tls.mode] }
  }
}

/** What the client checks in each mode, as libpq does: nothing, the chain of certificates, or the name of the host too. */
const verifications: Record<PostgresTls['mode'], object> = {
  disable: {},
  prefer: { rejectUnauthorized: false },
  require: { rejectUnauthorized: false },
  'verify-ca': { checkServerIdentity: () => undefined },
  'verify-full': {},
}

function readFile(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartProblem(
      `The file ${path}, which ${parameter} of the database address names, cannot be read (${code}).`,
    )
  }
}
