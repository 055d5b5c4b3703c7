import { createServer } from 'node:net'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openHosting } from '#server/composition/open-hosting.ts'
import { readConfig } from '#server/config/config.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'
import { openTestDatabase, silent, testContext } from '#tests/support/server/database.ts'
import { sampleProgram } from '#tests/support/hosting/hosting.ts'

const readSettings = (env: Record<string, string>) => readHostingSettings(env, readConfig({ DEMO: '0', ...env }))

it('the gateway and the API of services listen on this machine only by default', () => {
  expect(readSettings({})).toMatchObject({ serviceHost: '127.0.0.1', api: { host: '127.0.0.1', port: 0, url: null } })
  expect(readSettings({ SERVICE_HOST: '', HOSTING_API_HOST: '', HOSTING_API_PORT: '', HOSTING_API_URL: '' })).toEqual(
    readSettings({}),
  )
})

it('SERVICE_HOST opens the gateway to other machines only behind a proxy', () => {
  for (const SERVICE_HOST of ['0.0.0.0', '::', '10.0.0.5', 'gateway.internal', '127.1.example']) {
    expect(() => readSettings({ SERVICE_HOST })).toThrow(
      `SERVICE_HOST ${SERVICE_HOST} opens hosted services to other machines without TLS: put a proxy in front`,
    )
    expect(readSettings({ SERVICE_HOST, SERVICE_TLS: '1' }).serviceHost).toBe(SERVICE_HOST)
    expect(readSettings({ SERVICE_HOST, TRUST_PROXY: '1' }).serviceHost).toBe(SERVICE_HOST)
    // A node without services has no gateway, so one set of settings can serve all nodes.
    expect(readSettings({ SERVICE_HOST, HOSTING: 'elsewhere' }).serviceHost).toBe(SERVICE_HOST)
  }
  for (const SERVICE_HOST of ['localhost', '127.0.0.9', '::1'])
    expect(readSettings({ SERVICE_HOST }).serviceHost).toBe(SERVICE_HOST)
})

it.each(['SERVICE_HOST', 'HOSTING_API_HOST'])('%s must be an address or a host name', (name) => {
  const values = [
    'http://10.0.0.5',
    '10.0.0.5:80',
    '10.0.0',
    '256.1.1.1',
    '*',
    'a b',
    '-a',
    'ä.example',
    '[::1]',
    'a'.repeat(254),
  ]
  for (const value of values)
    expect(() => readSettings({ [name]: value })).toThrow(
      `${name} must be an IP address or a host name of this machine, not "${value}".`,
    )
})

it('HOSTING_API_HOST needs an address for other nodes, and HOSTING_API_URL a port to listen on', () => {
  const HOSTING_API_URL = 'http://worker:8090/'
  for (const HOSTING_API_HOST of ['0.0.0.0', '::'])
    expect(() => readSettings({ HOSTING_API_HOST })).toThrow('set HOSTING_API_URL to the address of this machine')
  expect(() => readSettings({ HOSTING_API_URL })).toThrow('set HOSTING_API_PORT')
  expect(readSettings({ HOSTING_API_HOST: '0.0.0.0', HOSTING_API_PORT: '8090', HOSTING_API_URL }).api).toEqual({
    host: '0.0.0.0',
    port: 8090,
    url: 'http://worker:8090',
  })
  expect(readSettings({ HOSTING_API_HOST: '10.0.0.5' }).api).toEqual({ host: '10.0.0.5', port: 0, url: null })
  for (const HOSTING_API_PORT of ['-1', '65536', 'http', '80.5'])
    expect(() => readSettings({ HOSTING_API_PORT })).toThrow('HOSTING_API_PORT must be a whole number from 0 to 65535')
})

it('HOSTING_API_URL is an address without a path, and a password in it is not printed', () => {
  const texts = [
    'worker:8090',
    'ftp://worker',
    'http://',
    'http://worker/path',
    'http://worker/?a',
    'http://u:secret@worker',
    'x',
  ]
  for (const HOSTING_API_URL of texts) {
    const read = () => readSettings({ HOSTING_API_URL, HOSTING_API_PORT: '8090' })
    expect(read).toThrow(/^HOSTING_API_URL must be an address without a path or password, like http:/)
    expect(read).not.toThrow('secret')
  }
})

it('a start names the setting if this machine does not have the address, or the port is in use', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hosting-start-'))
  const database = await openTestDatabase('embedded')
  const usedPort = createServer()
  await once(usedPort.listen(0, '127.0.0.1'), 'listening')
  const { port } = usedPort.address() as { port: number }
  const connect = async (env: Record<string, string>) => {
    const config = readConfig({ DEMO: '0', DATA_DIR: folder, ...env })
    const settings = readHostingSettings(env, config)
    const hosting = openHosting(config, { settings, log: silent, program: sampleProgram, role: 'serve', demo: null })
    // Only the API of PostgreSQL's nodes is tested here, for which any database serves.
    const app = { ...testContext(database), database: { ...database, engine: 'postgres' as const } }
    try {
      await hosting.connect(app)
    } finally {
      await hosting.driver.close()
    }
  }
  try {
    await expect(connect({ SERVICE_HOST: '203.0.113.7', SERVICE_TLS: '1' })).rejects.toThrow(
      'SERVICE_HOST 203.0.113.7 is not an address of this machine: set SERVICE_HOST to one of its addresses.',
    )
    await expect(connect({ HOSTING_API_HOST: '203.0.113.7' })).rejects.toThrow(
      'HOSTING_API_HOST 203.0.113.7 is not an address of this machine',
    )
    await expect(connect({ HOSTING_API_PORT: String(port) })).rejects.toThrow(
      `Port ${port} is in use: stop the program that uses it, or set HOSTING_API_PORT to another number.`,
    )
    await connect({})
  } finally {
    usedPort.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
