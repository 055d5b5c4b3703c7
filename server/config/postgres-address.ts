/** Parses addresses of PostgreSQL: the URIs of libpq, with several hosts and its TLS modes. Messages never repeat a part of the address. */
import { isIP } from 'node:net'

export interface PostgresHost {
  /** A name, an IP address without brackets, or the folder of a Unix socket, which begins with a slash. */
  host: string
  port: number
}

export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

export interface PostgresTls {
  mode: TlsMode
  /** Path of the certificates that sign the server's certificate. Null for the public ones that Node trusts. */
  rootCertificate: string | null
  /** Paths of the certificate and key with which this client identifies itself. */
  certificate: string | null
  key: string | null
}

export interface PostgresAddress {
  hosts: PostgresHost[]
  /** Null for the driver's default, from the environment or the operating system. */
  user: string | null
  password: string | null
  database: string | null
  tls: PostgresTls
  /** Whether only a server that accepts writes is used (`target_session_attrs=read-write`). */
  requiresWritable: boolean
  applicationName: string | null
  options: string | null
}

const tlsModes: readonly TlsMode[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']
const parameterNames = [
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
  'application_name',
  'options',
] as const
/** Parameters of node-postgres that are accepted without effect, because the meaning of libpq always applies. */
const ignoredNames: readonly string[] = ['uselibpqcompat']

type Parameters = Partial<Record<(typeof parameterNames)[number], string>>

const maxHosts = 10
const defaultPort = 5432
const form = 'must be an address like postgres://user:password@host:5432/database'
const encodingHint = `${form}: write special characters of the password percent-encoded, like %40 for @ and %2F for /`

/** Error whose message completes a sentence that begins with the name of the setting. */
export class PostgresAddressError extends Error {}

const fail = (message: string): never => {
  throw new PostgresAddressError(`${message}.`)
}

/** Throws PostgresAddressError. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const match = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/s.exec(text.trim())
  if (!match) return fail(form)
  const [credentials = '', authority = '', path = '', query = '', fragment] = match.slice(1)
  // A raw `@`, `/`, `?` or `#` in a password moves the borders between the parts.
  if (fragment !== undefined || path.includes('@') || query.includes('@')) return fail(encodingHint)
  const [user = '', ...passwordParts] = credentials.split(':')
  const parameters = parseParameters(query)
  return {
    hosts: parameters.host === undefined ? parseAuthority(authority, parameters.port) : parseHosts(parameters),
    user: toNull(parameters.user || decode(user)),
    password: toNull(parameters.password || decode(passwordParts.join(':'))),
    database: toNull(parameters.dbname || decode(path)),
    tls: parseTls(parameters),
    ...parseTarget(parameters, authority),
    applicationName: toNull(parameters.application_name),
    options: toNull(parameters.options),
  }
}

const toNull = (text: string | undefined): string | null => text || null

/** Decodes percent-encoded characters. A percent sign that begins none stays as it is, as in node-postgres. */
function decode(text: string): string {
  const decodedText = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encodedText) => {
    try {
      return decodeURIComponent(encodedText)
    } catch {
      return encodedText
    }
  })
  // The protocol ends each text with a zero byte.
  return hasControlCharacter(decodedText) ? fail(`${form}, without control characters`) : decodedText
}

const hasControlCharacter = (text: string) => [...text].some((character) => character < ' ' || character === '\u007f')

function parseParameters(query: string): Parameters {
  const parameters: Parameters = {}
  for (const pair of query.split('&').filter(Boolean)) {
    const [encodedName = '', ...valueParts] = pair.split('=')
    const value = decode(valueParts.join('='))
    if (ignoredNames.includes(encodedName)) continue
    // As in libpq, `ssl=true` is another spelling.
    const isSsl = encodedName === 'ssl' && value === 'true'
    const name = isSsl ? 'sslmode' : parameterNames.find((parameterName) => parameterName === encodedName)
    if (name === undefined)
      return fail(`must not have other parameters than ${parameterNames.join(', ')}: remove the unknown one`)
    parameters[name] = isSsl ? 'require' : value
  }
  return parameters
}

function parseAuthority(authority: string, port: string | undefined): PostgresHost[] {
  const parts = authority.split(',')
  requireHostList(parts)
  return parts.map((part) => {
    const [, bracketed, bare = '', portText] =
      /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(.*))?$/s.exec(part) ?? fail(encodingHint)
    if (bracketed !== undefined && !isIpv6(bracketed))
      return fail('must have an IPv6 address inside brackets, like postgres://user:password@[::1]:5432/database')
    return {
      host: bracketed ?? requireHost(decode(bare) || 'localhost'),
      port: parsePort(portText || port || String(defaultPort)),
    }
  })
}

/** Accepts a zone too, as in `fe80::1%eth0`. */
const isIpv6 = (host: string) => isIP(host.split('%', 1)[0] ?? '') === 6

/** Parses the hosts of the query, which are separated by commas: either one port for all of them, or one for each. */
function parseHosts({ host = '', port = '' }: Parameters): PostgresHost[] {
  const hosts = host.split(',')
  const ports = port.split(',')
  requireHostList(hosts)
  if (ports.length > 1 && ports.length !== hosts.length) return fail('must have one port, or as many ports as hosts')
  return hosts.map((name, index) => ({
    host: requireHost(name || 'localhost'),
    port: parsePort((ports.length > 1 ? ports[index] : ports[0]) || String(defaultPort)),
  }))
}

function requireHostList(hosts: readonly string[]): void {
  if (hosts.length > maxHosts) fail(`must have at most ${maxHosts} hosts`)
  if (hosts.length > 1 && hosts.includes('')) fail('must not have an empty host between commas')
}

const requireHost = (host: string): string =>
  host.startsWith('/') || isIP(host) !== 0 || /^[^\s:/@[\]]{1,255}$/.test(host) ? host : fail(encodingHint)

function parsePort(text: string): number {
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535
    ? port
    : fail(
        `must have ports from 1 to 65535; if this is not a port, ${encodingHint.replace(form, 'it may belong to the password')}`,
      )
}

function parseTls(parameters: Parameters): PostgresTls {
  const { sslmode, sslrootcert, sslcert, sslkey } = parameters
  const mode = tlsModes.find((name) => name === (sslmode || 'disable'))
  if (mode === undefined) return fail(`must have one of ${tlsModes.join(', ')} as sslmode`)
  const problem = findTlsProblem(mode, parameters)
  if (problem !== null) return fail(problem)
  return {
    // As in libpq, `require` with a root certificate verifies the server's certificate.
    mode: mode === 'require' && sslrootcert ? 'verify-ca' : mode,
    rootCertificate: sslrootcert === publicRoots ? null : sslrootcert || null,
    certificate: sslcert || null,
    key: sslkey || null,
  }
}

/** Value of `sslrootcert` for the certificates that Node trusts. */
const publicRoots = 'system'

function findTlsProblem(mode: TlsMode, { sslrootcert, sslcert, sslkey }: Parameters): string | null {
  if ((mode === 'disable' || mode === 'prefer') && (sslrootcert || sslcert || sslkey))
    return 'must have sslmode=require, verify-ca or verify-full if it names certificates or a key'
  if (Boolean(sslcert) !== Boolean(sslkey)) return 'must have both sslcert and sslkey, or neither'
  if (sslrootcert === publicRoots && mode !== 'verify-full')
    return 'must have sslmode=verify-full with sslrootcert=system'
  if (mode === 'verify-ca' && !sslrootcert)
    return 'must have sslrootcert, the path of a certificate, with sslmode=verify-ca'
  return null
}

/** The portal cannot use a standby, so with several hosts the default is `read-write`, unlike in libpq. */
function parseTarget(parameters: Parameters, authority: string): Pick<PostgresAddress, 'requiresWritable'> {
  const hasSeveralHosts = (parameters.host ?? authority).includes(',')
  const target = parameters.target_session_attrs || (hasSeveralHosts ? 'read-write' : 'any')
  if (target === 'read-write' || target === 'any') return { requiresWritable: target === 'read-write' }
  return fail('must have target_session_attrs=read-write or any, because the portal needs a server that accepts writes')
}

/** Returns hosts, ports and database for messages: `a:5432,[::1]:5433/portal`. */
export const describePostgresAddress = ({ hosts, database }: Pick<PostgresAddress, 'hosts' | 'database'>): string =>
  `${hosts.map(describePostgresHost).join(',')}/${database ?? ''}`

export const describePostgresHost = ({ host, port }: PostgresHost): string =>
  `${isIpv6(host) ? `[${host}]` : host}:${port}`
