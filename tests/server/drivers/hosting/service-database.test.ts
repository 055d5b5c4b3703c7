import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  createServiceDatabase,
  dropServiceDatabase,
  hasServiceDatabase,
} from '#server/drivers/hosting/docker/storage/database.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

const clusterUrl = inject('postgresUrl') ?? ''
const suffix = randomBytes(4).toString('hex')
const admin = `service-admin-${suffix}`
const password = 'a-password/of:a@test'

const getAdminUrl = (login = admin) => clusterUrl.replace('postgres@', `${login}:adm%40in@`)
const createdNames = new Set<string>()

/** Names are unique, because all tests share one PostgreSQL. */
function nameDatabase(text: string): string {
  const name = `${text}-${suffix}`
  createdNames.add(name)
  return name
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

describe.skipIf(clusterUrl === '')('databases of services', () => {
  beforeAll(async () => {
    await runAsSuperuser(clusterUrl, 'postgres', [
      `create role "${admin}" login createdb createrole password 'adm@in'`,
      `create role "weak-${suffix}" login password 'adm@in'`,
    ])
  })
  afterEach(async () => {
    for (const name of createdNames) await dropServiceDatabase(getAdminUrl(), name)
    createdNames.clear()
  })
  afterAll(async () => {
    await runAsSuperuser(clusterUrl, 'postgres', [`drop role "${admin}"`, `drop role "weak-${suffix}"`])
  })

  it('belong to their login, which can do everything in it and nothing else', async () => {
    const name = nameDatabase('Ser-vice_1')
    const url = await createServiceDatabase(getAdminUrl(), { name, password })
    expect(await hasServiceDatabase(getAdminUrl(), name)).toBe(true)
    await query(url, 'create schema own; create table own.items (id integer)')
    expect(
      await query(
        url,
        `select current_database() as database, current_user as login, rolsuper or rolcreatedb or rolcreaterole as mighty,
          rolconnlimit as connections from pg_roles where rolname = current_user`,
      ),
    ).toEqual([{ database: name, login: name, mighty: false, connections: 50 }])
  })

  it('cannot be opened by the login of another service', async () => {
    const [name, otherName] = [nameDatabase('one'), nameDatabase('two')]
    const url = await createServiceDatabase(getAdminUrl(), { name, password })
    const otherUrl = await createServiceDatabase(getAdminUrl(), { name: otherName, password })
    await expect(query(otherUrl.replace(/\/[^/]+$/, `/${name}`), 'select 1')).rejects.toThrow('permission denied')
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('keep their data when they are created again, and the password is set again', async () => {
    const name = nameDatabase('again')
    const url = await createServiceDatabase(getAdminUrl(), { name, password })
    await query(url, 'create table items (id integer); insert into items values (7)')
    const readVerifier = async () =>
      await query(`${clusterUrl}/postgres`, `select rolpassword from pg_authid where rolname = '${name}'`)
    const firstVerifier = await readVerifier()
    const newUrl = await createServiceDatabase(getAdminUrl(), { name, password: 'another-password' })
    expect(newUrl).toBe(url.replace(encodeURIComponent(password), 'another-password'))
    expect(await query(newUrl, 'select id from items')).toEqual([{ id: 7 }])
    expect(firstVerifier).toEqual([{ rolpassword: expect.stringMatching(/^SCRAM-SHA-256\$4096:/) }])
    expect(await readVerifier()).not.toEqual(firstVerifier)
  })

  it('are created once by several calls at the same time', async () => {
    const name = nameDatabase('at-once')
    const login = { name, password }
    const urls = await Promise.all(Array.from({ length: 4 }, () => createServiceDatabase(getAdminUrl(), login)))
    expect(new Set(urls).size).toBe(1)
    await Promise.all(Array.from({ length: 3 }, () => dropServiceDatabase(getAdminUrl(), name)))
    expect(await hasServiceDatabase(getAdminUrl(), name)).toBe(false)
  })

  it('are dropped while somebody is connected, and a second time without an effect', async () => {
    const name = nameDatabase('in-use')
    const url = await createServiceDatabase(getAdminUrl(), { name, password })
    const client = new Client({ connectionString: url })
    const endPromise = new Promise<void>((resolve) => client.on('error', () => resolve()))
    await client.connect()
    await dropServiceDatabase(getAdminUrl(), name)
    await endPromise
    await dropServiceDatabase(getAdminUrl(), name)
    expect(await hasServiceDatabase(getAdminUrl(), name)).toBe(false)
    expect(await query(`${clusterUrl}/postgres`, `select 1 from pg_roles where rolname = '${name}'`)).toEqual([])
  })

  it('are not created by a login without the rights, with a sentence that says which are missing', async () => {
    const name = nameDatabase('without-rights')
    await expect(createServiceDatabase(getAdminUrl(`weak-${suffix}`), { name, password })).rejects.toMatchObject({
      name: 'HostingError',
      fault: 'unreachable',
      message: expect.stringContaining(`alter role "weak-${suffix}" createdb createrole`),
    })
  })

  it('never touch a database or a login that belongs to somebody else', async () => {
    const name = `foreign-${suffix}`
    await runAsSuperuser(clusterUrl, 'postgres', [`create database "${name}"`])
    await expect(createServiceDatabase(getAdminUrl(), { name, password })).rejects.toMatchObject({ fault: 'bad_data' })
    await expect(dropServiceDatabase(getAdminUrl(), name)).rejects.toMatchObject({ name: 'HostingError' })
    await runAsSuperuser(clusterUrl, 'postgres', [`drop database "${name}"`, `drop role if exists "${name}"`])
    for (const foreignName of [admin, 'postgres', 'template1', 'pg_x', '', 'x'.repeat(64), 'a\nb', 'a"; b', 'ä'])
      await expect(createServiceDatabase(getAdminUrl(), { name: foreignName, password })).rejects.toMatchObject({
        fault: 'bad_data',
      })
    for (const login of [admin, `weak-${suffix}`])
      await expect(dropServiceDatabase(getAdminUrl(), login)).rejects.toMatchObject({ fault: 'bad_data' })
  })

  it('have an address with the hosts and the TLS settings of the server, without its client certificate', async () => {
    const name = nameDatabase('tls')
    const { host } = new URL(clusterUrl)
    const adminUrl = `${getAdminUrl()}/postgres?sslmode=prefer&application_name=x`
    expect(await createServiceDatabase(adminUrl, { name, password })).toBe(
      `postgres://${name}:${encodeURIComponent(password)}@${host}/${name}?sslmode=prefer`,
    )
    const url = `${getAdminUrl()},127.0.0.1:1/postgres?target_session_attrs=read-write`
    expect(await createServiceDatabase(url, { name, password })).toContain(
      `@${host},127.0.0.1:1/${name}?target_session_attrs=read-write`,
    )
  })
})

describe('a server of databases that cannot be used', () => {
  it.each([
    ['nothing listens', async () => `postgres://x:hidden@127.0.0.1:${await findFreePort()}/postgres`, 'ECONNREFUSED'],
    ['the address is invalid', async () => 'mysql://x:hidden@host', 'SERVICE_DATABASE_URL must be an address'],
  ])('is unreachable if %s', async (_, getUrl, message) => {
    const result: unknown = await hasServiceDatabase(await getUrl(), 'service').catch((error: unknown) => error)
    expect(result).toMatchObject({
      name: 'HostingError',
      fault: 'unreachable',
      message: expect.stringContaining(message),
    })
    expect((result as Error).message).not.toContain('hidden')
  })
})
