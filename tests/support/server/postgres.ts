/**
 * A private PostgreSQL for the tests: own folder, spare port, trust, loopback, no fsync. Started once per run by
 * `postgres-cluster.ts`, or by whoever runs a campaign; each test database is a database of its own in it.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findFreePort } from '#tests/support/server/free-port.ts'

const runFile = promisify(execFile)

export interface Cluster {
  /** Of the superuser, without a database name. */
  url: string
  /** Kills every process of it, as a power switch would, and starts it again. */
  crash(): Promise<void>
  stop(): Promise<void>
}

/** Folder of initdb and pg_ctl; null where PostgreSQL is not installed. */
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

/** `durable`: commits reach the disk, as they do by default; tests are quicker without. */
export async function startCluster(bin: string, { durable: isDurable = false } = {}): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-postgres-'))
  // PostgreSQL refuses to run as root, so root lends it a user.
  const userIds = process.getuid?.() === 0 ? await readUserIds('postgres') : null
  if (userIds) await chown(folder, userIds.uid, userIds.gid)
  const data = join(folder, 'data')
  const runCommand = (name: string, args: string[]) =>
    runFile(join(bin, name), args, { ...userIds, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })
  await runCommand('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])

  const port = await findFreePort()
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=${isDurable ? 'on' : 'off'} -c max_connections=100`
  const start = () => {
    // Not awaited through pg_ctl's pipes: the server inherits them and would keep them open.
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
  // A run that is killed ends nothing: its end is the end of this pipe.
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
    url: `postgres://postgres@127.0.0.1:${port}`,
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

/** In the cluster of a run of the tests: what each of their databases is a copy of. */
export const migratedDatabase = 'migrated'

/** Runs statements as the superuser, in a database of the cluster. */
export async function runAsSuperuser(url: string, database: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString: `${url}/${database}` })
  await client.connect()
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
