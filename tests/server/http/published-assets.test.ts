/** Tests that every node serves the files of every recent client build, from the file store. */
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildApp } from '#server/composition/app.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { chooseEncoding } from '#server/http/input/accept-encoding.ts'
import { deleteOldClientBuilds } from '#server/use-cases/client-builds/expire-builds.ts'
import { createSharedRuns } from '#server/use-cases/client-builds/shared-runs.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

const getScript = (character: string) => `export const build = '${character.repeat(3000)}'\n`
const getAssetName = (character: string) => `index-${character.repeat(8)}.js`
const getBuild = (number: number) => `${20260101000000 + number}-0123456789abcdef`

/** Writes a built client with one script in three encodings and a style sheet in one. */
function writeDist(folder: string, character: string, number: number): string {
  const dist = join(folder, character)
  const script = getScript(character)
  const file = join(dist, 'assets', getAssetName(character))
  mkdirSync(join(dist, 'assets'), { recursive: true })
  writeFileSync(join(dist, 'index.html'), `<script src="/saas/assets/${getAssetName(character)}"></script>`)
  writeFileSync(join(dist, 'build.json'), JSON.stringify({ build: getBuild(number), styleNonce: character }))
  writeFileSync(file, script)
  writeFileSync(`${file}.br`, brotliCompressSync(script))
  writeFileSync(`${file}.gz`, gzipSync(script))
  writeFileSync(join(dist, 'assets', `style-${character.repeat(8)}.css`), `.${character} { color: red }`)
  return dist
}

eachEngineByNight('published assets', (engine) => {
  let server: TestServer
  let folder: string
  let nodes: FastifyInstance[] = []

  beforeAll(async () => {
    server = await startServer({ engine })
    folder = mkdtempSync(join(tmpdir(), 'portal-dists-'))
  })
  beforeEach(async () => {
    await writeAsSystem(server.app, (db) => db.deleteFrom('client_build').execute())
    rmSync(join(server.app.config.filesDir, 'client'), { recursive: true, force: true })
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    nodes = []
  })
  afterAll(async () => {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Starts a node with a build that has the character in its script. All nodes share database and file store. */
  async function startNode(character: string, number: number, app = server.app): Promise<FastifyInstance> {
    const node = buildApp(app, { dist: writeDist(folder, character, number) })
    nodes.push(node)
    await node.ready()
    return node
  }
  const get = (node: FastifyInstance, name: string, headers: Record<string, string> = {}) =>
    node.inject({ url: `/saas/assets/${name}`, headers })
  const readBuildInfo = async (node: FastifyInstance) => (await node.inject({ url: '/saas/worker.json' })).json()
  const listPacks = () =>
    readdirSync(join(server.app.config.filesDir, 'client'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  const setSeen = (number: number, daysAgo: number) =>
    writeAsSystem(server.app, (db) =>
      db
        .updateTable('client_build')
        .set({ seen_time: sql`(extract(epoch from now()) * 1000)::bigint - ${daysAgo * 86_400_000}::bigint` })
        .where('build', '=', getBuild(number))
        .execute(),
    )

  it('of a newer and of an older build are served by each node, also of a build that was published later', async () => {
    const older = await startNode('a', 1)
    expect((await get(older, getAssetName('b'))).statusCode).toBe(404)
    const newer = await startNode('b', 2)
    for (const [node, character] of [
      [older, 'b'],
      [newer, 'a'],
      [older, 'a'],
    ] as const) {
      const response = await get(node, getAssetName(character))
      expect(response.statusCode).toBe(200)
      expect(response.body).toBe(getScript(character))
      expect(response.headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': expect.stringMatching(/javascript; charset=utf-8$/),
        'x-content-type-options': 'nosniff',
      })
    }
    const sheet = await get(older, 'style-bbbbbbbb.css', { 'accept-encoding': 'br' })
    expect([sheet.headers['content-type'], sheet.headers['content-encoding'], sheet.body]).toEqual([
      'text/css; charset=utf-8',
      undefined,
      '.b { color: red }',
    ])
    await startNode('c', 3)
    expect((await get(older, getAssetName('c'))).statusCode).toBe(200)
  })

  it('are sent as the build compressed them, and without a body for HEAD', async () => {
    const node = await startNode('a', 1)
    await startNode('b', 2)
    const script = getScript('b')
    for (const [accepted, encoding, bytes] of [
      ['gzip, deflate, br', 'br', brotliCompressSync(script)],
      ['gzip', 'gzip', gzipSync(script)],
      ['br;q=0, gzip;q=0.1', 'gzip', gzipSync(script)],
    ] as const) {
      const response = await get(node, getAssetName('b'), { 'accept-encoding': accepted })
      expect([response.headers['content-encoding'], response.headers['vary']]).toEqual([encoding, 'accept-encoding'])
      expect(response.rawPayload.equals(bytes)).toBe(true)
    }
    const head = await node.inject({ method: 'HEAD', url: `/saas/assets/${getAssetName('b')}` })
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, String(script.length), ''])
    expect((await node.inject({ method: 'POST', url: `/saas/assets/${getAssetName('b')}` })).statusCode).toBe(405)
  })

  it('are not found by a name that no build has, whatever it contains', async () => {
    const node = await startNode('a', 1)
    await startNode('b', 2)
    const names = [
      `..%2fassets%2f${getAssetName('b')}`,
      `${getAssetName('b')}.br`,
      `${getAssetName('b')}/`,
      'index-BBBBBBBB.js',
      'style-bbbbbbbb.js',
      'index-bbbbbbbb.html',
      '__proto__-bbbbbbbb.js',
      `${'x'.repeat(150)}-bbbbbbbb.js`,
      "index-bbbbbbbb';drop table client_build;--.js",
      '中文-bbbbbbbb.js',
      '',
    ]
    for (const name of names) expect([name, (await get(node, name)).statusCode]).toEqual([name, 404])
    const ordinary = await get(node, 'index-bbbbbbbb.js')
    expect(ordinary.statusCode).toBe(200)
  })

  it('are not sent if they are damaged, and not found if they were deleted', async () => {
    const node = await startNode('a', 1)
    await startNode('b', 2)
    const pack = listPacks().find((path) => path.includes(getBuild(2))) ?? ''
    const { size } = statSync(pack)
    writeFileSync(pack, Buffer.alloc(size, 120))
    expect((await get(node, getAssetName('b'))).statusCode).toBe(503)
    rmSync(pack)
    expect((await get(node, getAssetName('b'))).statusCode).toBe(404)
    expect(server.readLog()).toContain('client_asset_unreadable')
  })

  it('are stored once for all nodes with the same build, and again if the store has lost them', async () => {
    await startNode('a', 1)
    const [pack = ''] = listPacks()
    const { ino } = statSync(pack)
    await startNode('a', 1)
    expect([listPacks(), statSync(pack).ino]).toEqual([[pack], ino])
    rmSync(pack)
    await startNode('a', 1)
    await expect.poll(() => listPacks()).toEqual([pack])
  })

  it('must be stored before the node is ready; the next attempt follows by itself', async () => {
    const clientFolder = join(server.app.config.filesDir, 'client')
    mkdirSync(server.app.config.filesDir, { recursive: true })
    writeFileSync(clientFolder, 'a file instead of a folder')
    const node = await startNode('a', 1)
    const readHealth = async () => (await node.inject({ url: '/health/ready' })).statusCode
    expect(await readHealth()).toBe(503)
    expect(server.readLog()).toContain('client_build_publish_failed')
    rmSync(clientFolder)
    await expect.poll(readHealth, { timeout: 30_000 }).toBe(200)
    // A build that was published before does not need the store for its start.
    rmSync(clientFolder, { recursive: true })
    writeFileSync(clientFolder, 'a file instead of a folder')
    expect((await (await startNode('a', 1)).inject({ url: '/health/ready' })).statusCode).toBe(200)
    rmSync(clientFolder)
  })

  it('are named by worker.json: the builds that any node serves now', async () => {
    const older = await startNode('a', 1)
    const newer = await startNode('b', 2)
    expect(await readBuildInfo(older)).toMatchObject({ build: getBuild(1), builds: [getBuild(1), getBuild(2)] })
    await setSeen(2, 1)
    expect((await readBuildInfo(older)).builds).toEqual([getBuild(1)])
    await setSeen(1, 1)
    expect([(await readBuildInfo(older)).builds, (await readBuildInfo(newer)).builds]).toEqual([
      [getBuild(1)],
      [getBuild(2)],
    ])
  })

  it('are deleted when no node has served them for 30 days, except the newest three builds', async () => {
    for (const [index, character] of ['a', 'b', 'c', 'd', 'e'].entries()) await startNode(character, index)
    await Promise.all([29, 31, 60, 61, 62].map((days, index) => setSeen(index, days)))
    await deleteOldClientBuilds(server.app, () => false)
    const readNames = () =>
      writeAsSystem(server.app, (db) => db.selectFrom('client_build').select('build').orderBy('build').execute())
    expect((await readNames()).map(({ build }) => build)).toEqual([0, 1, 2].map(getBuild))
    expect(listPacks().length).toBe(3)
    // An older build is started again after a rollback.
    const node = await startNode('e', 4)
    expect([listPacks().length, (await get(nodes[0] ?? node, getAssetName('e'))).statusCode]).toEqual([4, 200])
    expect((await get(node, getAssetName('d'))).statusCode).toBe(404)
  })
})

describe('chooseEncoding', () => {
  const all = ['br', 'gzip', 'identity'] as const
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['br;q=0,*', 'gzip'],
    ['gzip;q=1;x=y, br; q=0.000', 'gzip'],
    ['br;q=none', 'identity'],
    [',,;;=,', 'identity'],
  ])('of "%s" is %s', (header, encoding) => expect(chooseEncoding(header, all)).toBe(encoding))

  it('returns only what there is', () => expect(chooseEncoding('br, gzip', ['identity'])).toBe('identity'))
})

it('A shared run begins after the call of each of its callers, and one that failed is not repeated for its callers', async () => {
  const run = vi.fn<() => Promise<number>>()
  const ends: ((error?: Error) => void)[] = []
  run.mockImplementation(
    () => new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(ends.length)))),
  )
  const runShared = createSharedRuns(run)
  const [first, second, third] = [runShared(), runShared(), runShared()]
  expect(run).toHaveBeenCalledTimes(1)
  ends[0]?.(new Error('lost'))
  await expect(first).rejects.toThrow('lost')
  await expect.poll(() => run.mock.calls.length).toBe(2)
  ends[1]?.()
  expect(await Promise.all([second, third])).toEqual([2, 2])
})
