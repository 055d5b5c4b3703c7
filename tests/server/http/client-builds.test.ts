/** Tests of what the server reports about client builds (W-09, W-11). */
import { describe, expect, test } from 'vitest'
import { readConfig } from '#server/config/config.ts'
import { startServer } from '#tests/support/server/server.ts'

describe('GET /saas/worker.json and the build headers', () => {
  test('name no minimum build by default', async () => {
    const server = await startServer()
    const apiResponse = await server.send({ url: '/api/m18s/user' })
    expect(apiResponse.headers).not.toHaveProperty('x-minimum-build')
    expect(apiResponse.headers).not.toHaveProperty('x-worker')
    const workerResponse = await server.send({ url: '/saas/worker.json' })
    expect(workerResponse.json()).toMatchObject({ minimumBuild: 0, bypass: false })
    expect(workerResponse.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': /json/ })
    await server.close()
  })

  test('name the minimum build and the worker bypass on every response', async () => {
    const server = await startServer({ env: { MIN_BUILD: '20261121090000', WORKER_BYPASS: '1' } })
    const expectedHeaders = { 'x-minimum-build': '20261121090000', 'x-worker': 'bypass' }
    const { send } = await server.signIn('user@alpha')
    for (const url of ['/api/m18s/user', '/api/m18s/nothing', '/saas/worker.json'])
      expect((await send({ url })).headers).toMatchObject(expectedHeaders)
    expect((await send({ url: '/saas/worker.json' })).json()).toMatchObject({
      minimumBuild: 20261121090000,
      bypass: true,
    })
    expect((await send({ url: '/api/m18s/settings' })).json()).toMatchObject({
      minimum_build: '20261121090000',
      worker_bypass: true,
    })
    const worker = await server.send({ url: '/saas/sw.js', headers: { 'service-worker': 'script' } })
    expect(worker.headers['content-type']).toContain('text/javascript')
    expect(worker.body).toContain('registration.unregister()')
    // The replacement worker must not delete the database that contains the unsent writes.
    expect(worker.body).not.toMatch(/indexedDB/i)
    await server.close()
  })

  test('name the support address to everybody, logged in or not (A-34)', async () => {
    const server = await startServer({ env: { SUPPORT_EMAIL: 'help@m18.example' } })
    expect((await server.send({ url: '/saas/worker.json' })).json()).toMatchObject({ support: 'help@m18.example' })
    await server.close()
    expect(readConfig({ PUBLIC_URL: 'https://portal.example' }).supportEmail).toBe('support@portal.example')
    expect(() => readConfig({ SUPPORT_EMAIL: 'nobody' })).toThrow(/SUPPORT_EMAIL/)
  })

  test('The server rejects a MIN_BUILD that is not a build number', () => {
    expect(() => readConfig({ MIN_BUILD: 'newest' })).toThrow(/MIN_BUILD/)
  })
})
