/**
 * Starts a private PostgreSQL for tests: own folder, free port, trust authentication, loopback only, no fsync. Started once per run by
 * `postgres-cluster.ts`, or by a campaign. Each test has its own database in it.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findFreePort } from '#tests/support/server/free-port.ts'

const runFile = promisify(execFile)

export interface Cluster {
  /** Address that includes the superuser, without a database name. */
  url: string
  /** Folder of its data. */
  data: string
  /** Kills all its processes, like a power failure, and restarts it. */
  crash(): Promise<void>
  /** Kills all its processes, like a power failure, and keeps its data. */
  kill(): Promise<void>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Returns the folder of initdb and pg_ctl, or null if PostgreSQL is not installed. */
export function postgresBin(): string | null {
  const configuredBin = process.env.POSTGRES_BIN
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...(configuredBin ? [configuredBin] : []),
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl'))) ?? null
}

interface ClusterOptions {
  /** Whether commits are flushed to the disk, as PostgreSQL does by default. Tests are faster without this. */
  durable?: boolean
  /** The primary whose standby this is. */
  primary?: Cluster
  /** Another address of this machine on which it listens, for containers. Only the superuser needs no password there. */
  address?: string
}

/** Starts PostgreSQL. */
export async function startCluster(
  bin: string,
  { durable: isDurable = false, primary, address }: ClusterOptions = {},
): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-postgres-'))
  // PostgreSQL refuses to run as root, so root starts it as the user `postgres`.
  const userIds = process.getuid?.() === 0 ? await readUserIds('postgres') : null
  if (userIds) await chown(folder, userIds.uid, userIds.gid)
  const data = join(folder, 'data')
  const runCommand = (name: string, args: string[]) =>
    runFile(join(bin, name), args, { ...userIds, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })
  if (primary) await runCommand('pg_basebackup', ['-d', primary.url, '-D', data, '-R', '-c', 'fast', '--no-sync'])
  else await runCommand('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  if (address)
    await appendFile(join(data, 'pg_hba.conf'), 'host all postgres all trust\nhost all all all scram-sha-256\n')

  const port = await findFreePort()
  const options = `-p ${port} -c listen_addresses=127.0.0.1${address ? `,${address}` : ''} -c unix_socket_directories= -c fsync=${isDurable ? 'on' : 'off'} -c max_connections=100`
  const start = () => {
    // Does not wait for pg_ctl's pipes, because the server inherits them and keeps them open.
    const child = spawn(join(bin, 'pg_ctl'), ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'], {
      ...userIds,
      cwd: folder,
      stdio: 'ignore',
    })
    return new Promise<void>((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`pg_ctl start ended with ${code}`))))
    })
  }
  await start()
  // Cleans up if the run is killed: the shell waits until this pipe is closed.
  const clearCommand = `read -r _; '${join(bin, 'pg_ctl')}' -D '${data}' -m immediate stop; rm -rf '${folder}'`
  const guard = spawn('sh', ['-c', clearCommand], {
    ...userIds,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  ;(guard.stdin as Socket).unref()
  const stop = (mode: 'fast' | 'immediate') => runCommand('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop'])
  return {
    url: `postgres://postgres@${address ?? '127.0.0.1'}:${port}`,
    data,
    kill: async () => void (await stop('immediate')),
    promote: async () => void (await runCommand('pg_ctl', ['-D', data, '-w', 'promote'])),
    async crash() {
      await stop('immediate')
      await start()
    },
    async stop() {
      await stop('immediate').catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
      guard.stdin.end()
    },
  }
}

/** Opens a connection. The caller ends it. */
export async function connectAsSuperuser(url: string, database: string): Promise<Client> {
  const client = new Client({ connectionString: `${url}/${database}` })
  await client.connect()
  return client
}

/** Name of the template in the cluster of a test run, from which the test databases are copied. */
export const migratedDatabase = 'migrated'

export async function runAsSuperuser(url: string, database: string, statements: string[]): Promise<void> {
  const client = await connectAsSuperuser(url, database)
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function readUserIds(user: string): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await runFile('id', [flag, user])).stdout)),
  )
  return { uid: uid ?? 0, gid: gid ?? 0 }
}
