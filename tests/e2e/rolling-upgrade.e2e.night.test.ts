/**
 * Tests a rolling upgrade in Chromium: two servers with different client builds share a database and a file store behind one address. A page
 * that comes from one node loads its code from the other, and no device changes back to the older build.
 */
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getBuildNumber } from '#contract/client-build.ts'
import { buildApp } from '#server/composition/app.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { signIn } from '#tests/support/browser/browser.ts'
import { desktop, sharedBrowser, waitForController, waitForList } from '#tests/support/browser/browser-setup.ts'
import { buildClient, readBuild } from '#tests/support/browser/releases.ts'
import { openSwitchProxy, type SwitchProxy } from '#tests/support/network/switch-proxy.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

const dist = join(import.meta.dirname, '..', '..', 'dist')
const admin = { company: 'alpha', username: 'admin@alpha.example', password }

interface Node {
  build: string
  fastify: FastifyInstance
  port: number
}

let server: TestServer
let proxy: SwitchProxy
let folder: string
let older: Node
let newer: Node
let context: BrowserContext

async function startNode(clientDir: string): Promise<Node> {
  const fastify = buildApp(server.app, { dist: clientDir, anonymousPerMinute: 1_000_000 })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  return { build: await readBuild(clientDir), fastify, port: (fastify.server.address() as AddressInfo).port }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-rolling-'))
  const newerDir = join(folder, 'newer')
  ;[server] = await Promise.all([
    startServer(),
    readBuild(dist).then((build) => buildClient(newerDir, getBuildNumber(build) + 1)),
  ])
  server.clock.now = Date.now()
  await server.reset()
  proxy = await openSwitchProxy()
  older = await startNode(dist)
  newer = await startNode(newerDir)
})
afterEach(() => context?.close())
afterAll(async () => {
  await proxy?.close()
  await Promise.all([older, newer].map((node) => node?.fastify.close()))
  await server?.close()
  await rm(folder, { recursive: true, force: true })
})

const isAsset = (path: string) => path.startsWith('/saas/assets/')

async function openContext(serviceWorkers: 'allow' | 'block'): Promise<{ page: Page; failures: string[] }> {
  context = await (await sharedBrowser()).newContext({ ...desktop, serviceWorkers })
  const page = await context.newPage()
  const failures: string[] = []
  page.on('pageerror', (error) => failures.push(error.message))
  page.on('response', (response) => {
    if (response.status() >= 400 && response.url().includes('/saas/')) failures.push(response.url())
  })
  return { page, failures }
}

/** Checks for a new worker and returns the state in which its installation ended, or null if there was none. */
const updateWorker = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/saas/')
    const installed = new Promise<string>((resolve) =>
      registration?.addEventListener('updatefound', () => {
        const { installing } = registration
        installing?.addEventListener('statechange', () => resolve(installing.state), { once: true })
      }),
    )
    const previousWorker = registration?.installing ?? registration?.waiting ?? registration?.active
    await registration?.update()
    const { installing, waiting, active } = registration ?? {}
    return (installing ?? waiting ?? active) === previousWorker ? null : await installed
  })

const readWorkerBuild = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => resolve(data)
        navigator.serviceWorker.controller?.postMessage({ type: 'build' }, [port2])
      }),
  )

describe('a page without a worker', () => {
  it.each(['older', 'newer'] as const)('from the %s node loads all its code from the other node', async (kind) => {
    const [own, other] = kind === 'older' ? [older, newer] : [newer, older]
    proxy.route((path) => (isAsset(path) ? other.port : own.port))
    const { page, failures } = await openContext('block')
    await signIn(page, proxy, admin, '/app/user')
    await waitForList(page)
    await page.goto(`${proxy.url}/saas/app/contract`)
    await page.locator('.shell main h1').waitFor()
    expect(failures).toEqual([])
  })
})

describe('a device with the newer build', () => {
  it('does not install the worker of an older node, until no node serves the newer build any more', async () => {
    proxy.route(() => newer.port)
    const { page } = await openContext('allow')
    await signIn(page, proxy, admin, '/app/user')
    await waitForController(page)
    expect(await readWorkerBuild(page)).toBe(newer.build)

    proxy.route(() => older.port)
    expect(await updateWorker(page)).toBe('redundant')
    await page.reload()
    await waitForList(page)
    expect([await readWorkerBuild(page), await page.locator('.update').count()]).toEqual([newer.build, 0])

    // The upgrade is taken back: the newer build is silent for minutes.
    await writeAsSystem(server.app, (db) =>
      db
        .updateTable('client_build')
        .set({ seen_time: sql`seen_time - 3600000` })
        .where('build', '=', newer.build)
        .execute(),
    )
    expect(await updateWorker(page)).toBe('installed')
    await page.locator('.update').getByRole('button', { name: 'Reload now' }).waitFor()
  })
})
