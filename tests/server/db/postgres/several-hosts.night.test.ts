/** Tests the connections to a primary with a standby: TLS, the choice of the host, and a failover. */
import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { runInTransaction, writeAsSystem } from '#server/db/transaction.ts'
import { isDatabaseHealthy } from '#server/use-cases/health.ts'
import { silent, testConfig, testContext } from '#tests/support/server/database.ts'
import { type Cluster, postgresBin, runAsSuperuser, startCluster } from '#tests/support/server/postgres.ts'
import { system } from '#tests/support/server/people.ts'

const bin = postgresBin()
const portOf = ({ url }: Cluster) => new URL(url).port

describe.skipIf(bin === null)('a primary and a standby', () => {
  let primary: Cluster
  let standby: Cluster
  beforeAll(async () => {
    primary = await startCluster(bin ?? '')
    await runAsSuperuser(primary.url, 'postgres', ['create database portal'])
    await (await openPostgres(testConfig(), `${primary.url}/portal`, silent)).close()
    standby = await startCluster(bin ?? '', { primary })
  })
  afterAll(() => Promise.all([primary.stop(), standby.stop()]))

  const buildUrl = (hosts: string, query = '') => `postgres://postgres@${hosts}/portal${query}`
  const listHosts = (...clusters: Cluster[]) => clusters.map((cluster) => `127.0.0.1:${portOf(cluster)}`).join(',')
  const withDatabase = async <T>(url: string, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openPostgres(testConfig(), url, silent)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  const readPort = (database: Database) =>
    writeAsSystem({ ...testContext(database) }, async (db) => {
      const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(db)
      return rows[0]?.port
    })

  describe('over TLS', () => {
    let folder: string
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'portal-tls-'))
      createCertificates(folder)
      const { uid, gid } = statSync(primary.data)
      for (const name of ['.', 'server.key', 'server.crt', 'root.crt']) chownSync(join(folder, name), uid, gid)
      await runAsSuperuser(primary.url, 'postgres', [
        `alter system set ssl_cert_file = '${folder}/server.crt'`,
        `alter system set ssl_key_file = '${folder}/server.key'`,
        `alter system set ssl_ca_file = '${folder}/root.crt'`,
        'alter system set ssl = on',
        'select pg_reload_conf()',
      ])
      await vi.waitFor(async () => expect(await isEncrypted('?sslmode=require')).toBe(true), 15_000)
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    const readTls = (query: string, host = 'localhost') =>
      withDatabase(buildUrl(`${host}:${portOf(primary)}`, query), async ({ kysely }) => {
        const { rows } = await sql<{ ssl: boolean; dn: string | null }>`
          select ssl, client_dn as dn from pg_stat_ssl where pid = pg_backend_pid()`.execute(kysely)
        return rows[0]
      })
    const isEncrypted = (query: string) =>
      readTls(query).then(
        (row) => row?.ssl,
        () => null,
      )

    it('encrypts as sslmode says, and is not encrypted without it', async () => {
      expect(await isEncrypted('')).toBe(false)
      expect(await isEncrypted('?sslmode=disable')).toBe(false)
      expect(await isEncrypted('?sslmode=prefer')).toBe(true)
      // The server's certificate is not verified.
      expect(await isEncrypted('?sslmode=require')).toBe(true)
    })

    it('verifies the certificate, and with verify-full the name of the host', async () => {
      expect(await isEncrypted(`?sslmode=verify-full&sslrootcert=${folder}/root.crt`)).toBe(true)
      await expect(readTls(`?sslmode=verify-full&sslrootcert=${folder}/root.crt`, '127.0.0.1')).rejects.toThrow(
        /^Could not use the database at 127\.0\.0\.1:\d+\/portal: its certificate was not accepted \([^\n]*\): check sslrootcert/,
      )
      expect((await readTls(`?sslmode=verify-ca&sslrootcert=${folder}/root.crt`, '127.0.0.1'))?.ssl).toBe(true)
      // As in libpq, a root certificate makes `require` verify.
      for (const mode of ['require', 'verify-ca', 'verify-full'])
        await expect(readTls(`?sslmode=${mode}&sslrootcert=${folder}/other.crt`)).rejects.toThrow(
          /its certificate was not accepted/,
        )
      await expect(readTls('?sslmode=verify-full')).rejects.toThrow(/its certificate was not accepted/)
    })

    it('identifies itself with sslcert and sslkey', async () => {
      const query = `?sslmode=require&sslcert=${folder}/client.crt&sslkey=${folder}/client.key`
      expect((await readTls(query))?.dn).toBe('/CN=portal')
      await expect(readTls(`?sslmode=require&sslrootcert=${folder}/missing.crt`)).rejects.toThrow(
        `The file ${folder}/missing.crt, which sslrootcert of the database address names, cannot be read (ENOENT).`,
      )
    })

    it('refuses a server without TLS, except with prefer', async () => {
      const plainUrl = (query: string) => buildUrl(listHosts(standby), `${query}&target_session_attrs=any`)
      await expect(withDatabase(plainUrl('?sslmode=require'), readPort)).rejects.toThrow(
        /: it does not offer TLS: turn on ssl in PostgreSQL, or set sslmode=disable\.$/,
      )
      // The connection works: the standby itself is the next problem.
      await expect(withDatabase(plainUrl('?sslmode=prefer'), readPort)).rejects.toThrow(/it is a standby/)
    })
  })

  it('are used in any order: transactions go to the one that accepts writes', async () => {
    for (const hosts of [listHosts(standby, primary), listHosts(primary, standby), `127.0.0.1:9,${listHosts(primary)}`])
      expect(await withDatabase(buildUrl(hosts, '?target_session_attrs=read-write'), readPort)).toBe(portOf(primary))
    await expect(withDatabase(buildUrl(`127.0.0.1:9,${listHosts(standby)}`), readPort)).rejects.toThrow(
      /^Could not use the database at 127\.0\.0\.1:9,127\.0\.0\.1:\d+\/portal: no host can be used \(127\.0\.0\.1:9: [^\n;]*; 127\.0\.0\.1:\d+: the server is a standby\)\.$/,
    )
  })

  it('refuse the start on the standby, with one sentence', async () => {
    await expect(withDatabase(buildUrl(listHosts(standby)), readPort)).rejects.toThrow(
      /: it is a standby, which accepts no writes: use the address of the primary\.$/,
    )
  })

  it('respond with 503 to writes while the primary accepts none, and the health check fails', async () => {
    await withDatabase(buildUrl(listHosts(primary)), async (database) => {
      const app = testContext(database)
      const write = () => writeAsSystem(app, (db) => sql`update catalogue set change = change`.execute(db))
      const setReadOnly = async (value: 'on' | 'off') =>
        runAsSuperuser(primary.url, 'postgres', [
          `alter system set default_transaction_read_only = ${value}`,
          'select pg_reload_conf()',
        ])
      expect(await isDatabaseHealthy(app)).toBe(true)
      await setReadOnly('on')
      await expect.poll(() => isDatabaseHealthy(app)).toBe(false)
      await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE', status: 503 })
      // A write in a transaction for reading is a mistake of the code, on any server.
      await expect(
        runInTransaction(app, system, (db) => sql`update catalogue set change = change`.execute(db), 'reading'),
      ).rejects.toMatchObject({ code: '25006' })
      await setReadOnly('off')
      await expect.poll(() => write().then(() => 'written')).toBe('written')
      expect(await isDatabaseHealthy(app)).toBe(true)
    })
  })

  // Last, because the standby becomes the primary.
  it('fail over: writes get 503 until the standby is promoted, and then go there', async () => {
    await withDatabase(buildUrl(listHosts(primary, standby)), async (database) => {
      const app = testContext(database)
      let missedCount = 0
      const received: string[] = []
      database.listen(
        'changes',
        (message) => received.push(message),
        () => (missedCount += 1),
      )
      const write = () =>
        writeAsSystem(app, (db) => sql`update catalogue set change = change`.execute(db)).then(
          () => 'written',
          (error: unknown) => (error as { code: string }).code,
        )
      const isReceived = async () => {
        await database.announce('changes', 'message').catch(() => undefined)
        return received.length > 0
      }
      expect(await write()).toBe('written')
      await expect.poll(isReceived).toBe(true)
      await primary.kill()
      expect(await write()).toBe('UNAVAILABLE')
      expect(await isDatabaseHealthy(app)).toBe(false)
      await standby.promote()
      const promotedAt = performance.now()
      await expect.poll(write).toBe('written')
      expect(performance.now() - promotedAt).toBeLessThan(5000)
      expect(await readPort(database)).toBe(portOf(standby))
      expect(await isDatabaseHealthy(app)).toBe(true)
      received.splice(0)
      // The listening connection follows too, and its users learn that messages may be lost.
      await expect.poll(isReceived).toBe(true)
      expect(missedCount).toBe(1)
    })
  })
})

/** Creates a root, a server certificate for `localhost` and a client certificate that it signs, and another root. */
function createCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const createKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  for (const name of ['root', 'other'])
    openssl(
      'req',
      '-x509',
      ...createKey,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
    )
  for (const [name, subject, extension] of [
    ['server', '/CN=server', 'subjectAltName=DNS:localhost'],
    ['client', '/CN=portal', 'extendedKeyUsage=clientAuth'],
  ] as const)
    openssl(
      'req',
      '-x509',
      ...createKey,
      '-subj',
      subject,
      '-addext',
      extension,
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-days',
      '2',
      '-CA',
      'root.crt',
      '-CAkey',
      'root.key',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
    )
}
