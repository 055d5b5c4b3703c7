/**
 * Runs a PostgreSQL primary with a hot standby that confirms every commit (synchronous replication). The standby can take over, and the
 * former primary then follows it.
 */
import { execFile, spawn } from 'node:child_process'
import { appendFile, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { openTcpProxy, type TcpProxy } from '#tests/support/network/tcp-proxy.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'

const runFile = promisify(execFile)

interface DatabaseServer {
  folder: string
  port: number
  proxy: TcpProxy
}

export interface ReplicatedPostgres {
  /** Both servers, for `DATABASE_URL`. */
  url: string
  /** Runs statements on the current primary, without the proxy. */
  run(statements: string[]): Promise<void>
  /** Stops the primary in good order and starts it again. */
  restart(): Promise<void>
  /** Kills all processes of the primary and starts it again. */
  crash(): Promise<void>
  /** Kills the primary for good. The standby takes over, and the former primary follows it from a new copy. */
  failOver(): Promise<void>
  /** The host of the primary disappears for this time, without closing its connections. */
  disappear(ms: number): Promise<void>
  stop(): Promise<void>
}

const databaseName = 'portal'

export async function startReplicatedPostgres(bin: string): Promise<ReplicatedPostgres> {
  const root = await mkdtemp(join(tmpdir(), 'portal-replicated-'))
  const isRoot = process.getuid?.() === 0
  const userIds = isRoot ? await readUserIds() : null
  if (userIds) await chown(root, userIds.uid, userIds.gid)
  const runCommand = (name: string, args: string[]) =>
    runFile(join(bin, name), args, { ...userIds, cwd: root, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })

  async function createServer(name: string): Promise<DatabaseServer> {
    const port = await findFreePort()
    return { folder: join(root, name), port, proxy: await openTcpProxy(port) }
  }

  function start({ folder, port }: DatabaseServer): Promise<void> {
    const options = [
      `-p ${port}`,
      '-c listen_addresses=127.0.0.1',
      '-c unix_socket_directories=',
      '-c max_connections=200',
      '-c wal_level=replica',
      '-c wal_keep_size=512MB',
      '-c max_wal_senders=10',
      '-c wal_sender_timeout=5s',
    ].join(' ')
    const args = ['-D', folder, '-w', '-t', '120', '-l', `${folder}.log`, '-o', options, 'start']
    const child = spawn(join(bin, 'pg_ctl'), args, { ...userIds, cwd: root, stdio: 'ignore' })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`pg_ctl start ended with ${code}`))))
    })
  }
  const stopServer = ({ folder }: DatabaseServer, mode: 'fast' | 'immediate') =>
    runCommand('pg_ctl', ['-D', folder, '-w', '-m', mode, 'stop'])
  const getUrl = ({ port }: DatabaseServer) => `postgres://postgres@127.0.0.1:${port}`

  let [primary, standby] = [await createServer('one'), await createServer('two')]
  const servers = [primary, standby]

  /** Commits wait for the standby, or not while there is none. */
  const setSynchronous = (isOn: boolean) =>
    runAsSuperuser(getUrl(primary), 'postgres', [
      `alter system set synchronous_standby_names = '${isOn ? '*' : ''}'`,
      'select pg_reload_conf()',
    ])

  /** Copies the primary into the standby's folder, starts it, and waits until it has everything. */
  async function createStandby(): Promise<void> {
    await rm(standby.folder, { recursive: true, force: true })
    await runCommand('pg_basebackup', [
      '-d',
      `${getUrl(primary)}/postgres`,
      '-D',
      standby.folder,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
    ])
    await appendFile(join(standby.folder, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
    await start(standby)
    await waitForStreaming()
    await setSynchronous(true)
  }

  async function waitForStreaming(): Promise<void> {
    const client = new Client({ connectionString: `${getUrl(primary)}/postgres` })
    await client.connect()
    try {
      for (;;) {
        const { rows } = await client.query("select 1 from pg_stat_replication where state = 'streaming'")
        if (rows.length > 0) return
        await wait(100)
      }
    } finally {
      await client.end()
    }
  }

  await mkdir(primary.folder, { recursive: true })
  if (userIds) await chown(primary.folder, userIds.uid, userIds.gid)
  await runCommand('initdb', ['-D', primary.folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  await appendFile(join(primary.folder, 'pg_hba.conf'), 'host replication postgres 127.0.0.1/32 trust\n')
  await start(primary)
  await runAsSuperuser(getUrl(primary), 'postgres', [`create database ${databaseName}`])
  await createStandby()

  const hosts = servers.map(({ proxy }) => `127.0.0.1:${proxy.port}`).join(',')
  return {
    url: `postgres://postgres@${hosts}/${databaseName}?target_session_attrs=read-write`,
    run: (statements) => runAsSuperuser(getUrl(primary), databaseName, statements),
    async restart() {
      await stopServer(primary, 'fast')
      await start(primary)
    },
    async crash() {
      await stopServer(primary, 'immediate')
      await start(primary)
    },
    async failOver() {
      await stopServer(primary, 'immediate')
      await runCommand('pg_ctl', ['-D', standby.folder, '-w', 'promote'])
      ;[primary, standby] = [standby, primary]
      await createStandby()
    },
    async disappear(ms) {
      const { proxy } = primary
      proxy.freeze()
      await wait(ms)
      proxy.thaw()
    },
    async stop() {
      await Promise.all(servers.map((server) => stopServer(server, 'immediate').catch(() => undefined)))
      await Promise.all(servers.map(({ proxy }) => proxy.close()))
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function readUserIds(): Promise<{ uid: number; gid: number }> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await runFile('id', [flag, 'postgres'])).stdout)),
  )
  return { uid: uid ?? 0, gid: gid ?? 0 }
}
