/** Runs the sample instance by the instance contract, with its data in a folder and in PostgreSQL. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { InstanceClient } from '#tests/demo/sample-instance/instance-client.ts'
import {
  type ContractInstance,
  type ContractTask,
  controlToken,
  openContractInstance,
  siteHosts,
  writeAppsFile,
} from '#tests/support/hosting/contract-instance.ts'
import { packBareApp } from '#tests/support/uploads/packages.ts'

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const postgresUrl = inject('postgresUrl') ?? null

describe.each([
  { kind: 'folder', url: null },
  { kind: 'database', url: postgresUrl },
])('the sample instance in a $kind', ({ kind, url }) => {
  let instance: ContractInstance
  let task: ContractTask
  let otherTask: ContractTask
  let packageBytes: Buffer
  beforeAll(async () => {
    if (kind === 'database' && url === null) throw new Error('PostgreSQL is not installed')
    instance = await openContractInstance(url)
    packageBytes = await packBareApp({ files: { 'data/menus.json': '{"menus":["Stock"]}', 'data/bad.json': 'no' } })
    const app = { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: { digits: 3 } }
    const apps = writeAppsFile(instance.folder, [
      { ...app, package: hash(packageBytes) },
      { ...app, code: 'old', package: null },
    ])
    task = await instance.startTask({ ...apps, MEMORY_MB: '300', TASK_NUMBER: '7' })
    otherTask = await instance.startTask(apps)
  })
  afterAll(() => instance.end())

  const readData = async (from = task) => (await from.control('GET', '/data')).text()
  async function setPassword(password: string, to = task): Promise<number> {
    return (await to.control('PUT', '/admin-password', { password })).status
  }
  const createDraft = (body: string | Uint8Array) => task.control('POST', '/drafts', body as string)
  async function requireDraft(body: string): Promise<string> {
    const response = await createDraft(body)
    const { draft } = (await response.json()) as { draft: string }
    expect([response.status, draft]).toEqual([201, expect.stringMatching(/^[0-9a-f]{32}$/)])
    return draft
  }
  const activate = async (id: string, on = task) => (await on.control('POST', `/drafts/${id}/activate`)).status

  it('is healthy for any host, and only when its packages are loaded', async () => {
    const checkHealth = async ({ url: address } = task) => (await fetch(`${address}/health?x=1`)).status
    expect([await checkHealth(), await checkHealth(otherTask)]).toEqual([503, 503])
    const path = `/packages/${hash(packageBytes)}`
    for (let time = 0; time < 2; time++) expect((await task.control('PUT', path, packageBytes)).status).toBe(204)
    expect(await (await otherTask.control('GET', '/packages')).json()).toEqual([hash(packageBytes)])
    expect([await checkHealth(), await checkHealth(otherTask)]).toEqual([200, 200])
    const info = await task.control('GET', '')
    expect(await info.json()).toEqual({ contract: 1, name: 'Sample instance', version: '0.1.0', storage: kind })
  })

  it('refuses packages that differ from their digest or are no packages', async () => {
    const [otherPackage, noPackage] = [await packBareApp({ facts: { version: '2.0' } }), Buffer.from('no zip file')]
    const put = async (name: string, bytes: Buffer) => {
      const response = await task.control('PUT', `/packages/${name}`, bytes)
      return [response.status, ((await response.json()) as { error: string }).error]
    }
    expect(await put(hash(noPackage), otherPackage)).toEqual([422, 'the package has another SHA-256'])
    expect(await put(hash(noPackage), noPackage)).toEqual([422, expect.stringMatching(/not a package/)])
    expect(await put('x'.repeat(64), noPackage)).toEqual([422, expect.stringMatching(/SHA-256/)])
    const sha256 = hash(otherPackage)
    expect((await task.control('PUT', `/packages/${sha256}`, otherPackage)).status).toBe(204)
    expect(await (await task.control('GET', '/packages')).json()).toHaveLength(2)
    expect((await task.control('POST', '/packages/keep', ['../../x'])).status).toBe(400)
    expect((await task.control('POST', '/packages/keep', [hash(packageBytes)])).status).toBe(204)
    expect(await (await task.control('GET', '/packages')).json()).toEqual([hash(packageBytes)])
  })

  it('refuses bodies that are too large before it has read them', async () => {
    const sendHead = async (path: string, length: number) => {
      const sentRequest = request(`${task.url}/control/v1${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${controlToken}`, 'content-length': length },
      })
      sentRequest.on('error', () => undefined).flushHeaders()
      const [response] = (await once(sentRequest, 'response')) as [{ statusCode: number }]
      sentRequest.destroy()
      return response.statusCode
    }
    expect(await sendHead(`/packages/${'0'.repeat(64)}`, 100 * 1024 * 1024 + 1)).toBe(413)
    expect(await sendHead('/admin-password', 4097)).toBe(413)
    // Without a declared length the size is counted.
    expect((await task.control('PUT', '/admin-password', new Blob(['x'.repeat(5000)]).stream())).status).toBe(413)
  })

  it('serves the same pages on all tasks, and shows its apps, task and memory', async () => {
    expect(await setPassword('First-pass-1')).toBe(204)
    const www = await InstanceClient.signIn(task, siteHosts.www, 'First-pass-1')
    expect(www.status).toBe(303)
    await www.addItem('A-1')
    expect((await www.on(otherTask).get('/items')).body).toContain('A-1')
    expect((await www.on(otherTask).get('/items?search=scr')).body).toContain('A-1')
    expect((await www.on(otherTask).get('/items?search=%25')).body).toContain('Nothing found')
    // Codes and names are compared without case.
    expect((await www.addItem('a-1')).status).toBe(409)
    const admin = await InstanceClient.signIn(task, siteHosts.admin, 'First-pass-1', 'ADMIN')
    expect((await admin.get('/')).body).toMatch(/Task 7: \d+ MB of 300 MB/)
    const { body } = await admin.on(otherTask).get('/apps')
    expect(body).toMatch(/data\/menus.json[^]*Stock/)
    expect(body).toMatch(/href="\/\/www.acme.test\/"/)
    expect((await admin.post('/users', { user: 'clerk', password: 'Clerk-pass-1' })).status).toBe(303)
    expect((await admin.post('/users', { user: 'CLERK', password: 'Clerk-pass-1' })).status).toBe(409)
    expect((await InstanceClient.signIn(task, siteHosts.admin, 'Clerk-pass-1', 'clerk')).status).toBe(403)
    const [, id = ''] = /users\/(\d+)\/delete/.exec((await admin.get('/users')).body) ?? []
    await admin.post(`/users/${id}/delete`)
    expect((await InstanceClient.signIn(task, siteHosts.www, 'Clerk-pass-1', 'clerk')).status).toBe(401)
  })

  it('counts password attempts over all tasks', async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 7; attempt++)
      statuses.push(
        (await InstanceClient.signIn(attempt % 2 ? task : otherTask, siteHosts.www, 'wrong', 'stranger')).status,
      )
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })

  it('refuses control requests without the token, and logs no secret', async () => {
    const dataBefore = await readData()
    const requests = [
      ['PUT', '/control/v1/admin-password', '{"password":"Stolen-pass-1"}'],
      ['DELETE', '/control/v1/data', undefined],
      ['GET', '/control/v1/data', undefined],
      ['GET', '/control/anything', undefined],
    ] as const
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer ',
      `Bearer ${controlToken.slice(0, -1)}`,
      `Bearer ${controlToken}x`,
      `Basic ${controlToken}`,
      controlToken,
    ])
      for (const [method, path, body] of requests) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await fetch(task.url + path, { method, headers, ...(body && { body }) })
        expect([authorization, path, response.status]).toEqual([authorization, path, 401])
        expect(await response.json()).toEqual({ error: 'the control token is missing or wrong' })
      }
    for (const host of [siteHosts.www, 'admin.other.example'])
      expect(await InstanceClient.control(task, host, '/control/v1', controlToken)).toBe(404)
    expect((await task.control('PATCH', '/data')).status).toBe(405)
    expect((await task.control('GET', '/nothing')).status).toBe(404)
    expect(await readData()).toBe(dataBefore)
    expect(task.readLog()).not.toMatch(/pass-1|token-of-the-tests|postgres:/)
    expect(task.readLog().split('\n').slice(0, -1)).toEqual(
      task
        .readLog()
        .split('\n')
        .slice(0, -1)
        .map(() => expect.stringMatching(/^(?:info|warn|error) /)),
    )
  })

  it('sets the password, ends the sessions, and refuses other passwords', async () => {
    const session = await InstanceClient.signIn(task, siteHosts.www, 'First-pass-1')
    expect((await session.get('/items')).status).toBe(200)
    for (const password of ['', 'short', 'x'.repeat(201), 'line\nbreak-1', '\ud800-lone-half', 12_345_678, null])
      expect([password, await setPassword(password as string)]).toEqual([password, 400])
    for (const body of ['', '{', '[]', 'null', '"text"', new Uint8Array([0x7b, 0xff, 0xfe])])
      expect([body, (await task.control('PUT', '/admin-password', body as string)).status]).toEqual([body, 400])
    expect((await session.get('/items')).status).toBe(200)
    expect(await setPassword('第三个密码 "$x', otherTask)).toBe(204)
    expect((await session.get('/items')).status).toBe(303)
    expect((await InstanceClient.signIn(task, siteHosts.www, 'First-pass-1')).status).toBe(401)
    expect((await InstanceClient.signIn(task, siteHosts.www, '第三个密码 "$x')).status).toBe(303)
    expect(await setPassword('First-pass-1')).toBe(204)
  })

  it('replaces the data by a draft, on all tasks', async () => {
    const oldData = await readData()
    expect(oldData).toBe(await readData(otherTask))
    expect(oldData.split('\n').at(-2)).toMatch(/^\{"end":\[/)
    const draft = await requireDraft(oldData)
    const session = await InstanceClient.signIn(otherTask, siteHosts.www, 'First-pass-1')
    await session.addItem('LATER')
    expect((await session.get('/items')).body).toContain('LATER')
    const abandonedDraft = await requireDraft(await readData())
    expect(await activate(draft)).toBe(204)
    expect([await readData(), await readData(otherTask)]).toEqual([oldData, oldData])
    expect(await activate(draft, otherTask)).toBe(204)
    expect((await session.get('/items')).status).toBe(303)
    // The new data is written like the old one.
    const newSession = await InstanceClient.signIn(otherTask, siteHosts.www, 'First-pass-1')
    expect((await newSession.addItem('AFTER')).status).toBe(303)
    expect((await newSession.get('/items')).body).toMatch(/A-1[^]*AFTER/)
    for (let time = 0; time < 2; time++)
      expect((await task.control('DELETE', `/drafts/${abandonedDraft}`)).status).toBe(204)
    for (const id of [abandonedDraft, '0'.repeat(32), '..%2f..%2fdata', 'x'])
      expect([id, await activate(id)]).toEqual([id, 404])
    // The active draft is the data, so removing it does nothing.
    expect((await task.control('DELETE', `/drafts/${draft}`)).status).toBe(204)
    expect((await newSession.get('/items')).body).toContain('AFTER')
  })

  it('refuses inconsistent, broken and incomplete data, and keeps its own', async () => {
    const data = await readData()
    const lines = data.split('\n').slice(0, -1)
    const toBody = (...parts: string[]) => parts.map((line) => `${line}\n`).join('')
    const user = lines.find((line) => line.includes('"admin"')) ?? ''
    const withoutEnd = lines.slice(0, -1)
    const bodies: [string, string | Uint8Array, number][] = [
      ['nothing', '', 422],
      ['no end', toBody(...withoutEnd), 422],
      ['cut within a line', data.slice(0, -5), 422],
      ['two ends', toBody(...lines, lines.at(-1) ?? ''), 422],
      ['a row first', toBody(user, ...lines), 422],
      ['a row twice', toBody(...lines.flatMap((line) => (line === user ? [user, user] : [line]))), 422],
      ['a text as id', toBody(...lines.map((line) => (line === user ? user.replace(/^\[\d+/, '["x"') : line))), 422],
      ['a missing user', toBody(...lines.filter((line) => line !== user)), 422],
      ['another column', data.replaceAll('"is_admin"', '"is_boss"').replaceAll('is_admin ', 'is_boss '), 422],
      ['another statement', data.replace('CREATE INDEX', 'DROP INDEX'), 422],
      ['another table', data.replace('{"end"', '{"table":"x"}\n{"end"'), 422],
      ['no JSON', 'users\n', 422],
      ['no object', toBody('null', '7', ...lines), 422],
      ['no UTF-8', Buffer.concat([Buffer.from(data.slice(0, 50)), Buffer.from([0xff]), Buffer.from(data)]), 400],
    ]
    // A session references the user whose row is missing.
    await InstanceClient.signIn(task, siteHosts.www, 'First-pass-1')
    for (const [name, body, status] of bodies) {
      const response = await createDraft(body)
      const { error } = (await response.json()) as { error: string }
      expect([name, response.status, typeof error]).toEqual([name, status, 'string'])
    }
    await sendCutBody(task, data)
    expect((await readData()).split('\n').filter((line) => line.includes('AFTER'))).toHaveLength(1)
    if (kind === 'folder') {
      const drafts = () => readdirSync(join(instance.folder, 'drafts'))
      await expect.poll(drafts).toHaveLength(1)
    }
    expect((await fetch(`${task.url}/health`)).status).toBe(200)
  })

  it('finishes running requests after SIGTERM, and ends with code 0', async () => {
    const endingTask = await instance.startTask()
    const data = await readData()
    const { sentRequest, response } = openUpload(endingTask)
    sentRequest.write(data.slice(0, 300))
    await expect.poll(() => isConnected(endingTask)).toBe(true)
    endingTask.process.kill('SIGTERM')
    await expect.poll(() => isConnected(endingTask)).toBe(false)
    sentRequest.end(data.slice(300))
    expect((await response).statusCode).toBe(201)
    expect(await endingTask.ended).toBe(0)
    expect(endingTask.readLog()).toMatch(/info task 1 ended\n$/)
  })

  it('deletes all data, and begins empty', async () => {
    expect((await task.control('DELETE', '/data')).status).toBe(204)
    expect((await task.control('DELETE', '/data')).status).toBe(204)
    const newTask = await instance.startTask()
    expect(await (await newTask.control('GET', '/packages')).json()).toEqual([])
    expect((await readData(newTask)).split('\n').filter((line) => line.startsWith('['))).toEqual([
      expect.stringMatching(/^\[1,"admin",null,1,\d+\]$/),
    ])
    expect((await InstanceClient.signIn(newTask, siteHosts.www, 'First-pass-1')).status).toBe(401)
  })
})

/** Sends a part of a draft, and cuts the connection. */
async function sendCutBody(task: ContractTask, data: string): Promise<void> {
  const { sentRequest, response } = openUpload(task)
  response.catch(() => undefined)
  await new Promise((resolve) => sentRequest.write(data.slice(0, 400), resolve))
  sentRequest.destroy()
  await expect.poll(() => task.readLog()).toMatch(/warn control request POST \/control\/v1\/drafts was cut off/)
}

function openUpload({ url }: ContractTask) {
  const sentRequest = request(`${url}/control/v1/drafts`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${controlToken}`, 'transfer-encoding': 'chunked' },
  })
  const response = once(sentRequest, 'response').then(([message]) => message as { statusCode: number })
  return { sentRequest, response }
}

function isConnected({ url }: ContractTask): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return new Promise((resolve) => {
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
