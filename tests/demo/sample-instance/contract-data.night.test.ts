/** Moves the data of the sample instance between its storages, and kills it while it replaces its data. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { InstanceClient } from '#tests/demo/sample-instance/instance-client.ts'
import {
  type ContractInstance,
  type ContractTask,
  openContractInstance,
  siteHosts,
} from '#tests/support/hosting/contract-instance.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

const postgresUrl = inject('postgresUrl') ?? null
const instances: ContractInstance[] = []
afterEach(async () => {
  await Promise.all(instances.splice(0).map((instance) => instance.end()))
})

async function openInstance(url: string | null): Promise<ContractInstance> {
  const instance = await openContractInstance(url)
  instances.push(instance)
  return instance
}

const readData = async (task: ContractTask) => (await task.control('GET', '/data')).text()
async function createDraft(task: ContractTask, data: string): Promise<string> {
  const response = await task.control('POST', '/drafts', data)
  expect(response.status).toBe(201)
  return ((await response.json()) as { draft: string }).draft
}
const activate = async (task: ContractTask, id: string) => (await task.control('POST', `/drafts/${id}/activate`)).status
const countUsers = (data: string) => data.split('\n').filter((line) => /^\[\d+,"(?:admin|user\d+)"/.test(line)).length

it('moves data between a folder and a database, and continues its numbers', async () => {
  if (postgresUrl === null) throw new Error('PostgreSQL is not installed')
  const [inFolder, inDatabase] = await Promise.all(
    [null, postgresUrl].map(async (url) => (await openInstance(url)).startTask()),
  )
  if (!inFolder || !inDatabase) throw new Error('no tasks')
  await inFolder.control('PUT', '/admin-password', { password: 'First-pass-1' })
  const session = await InstanceClient.signIn(inFolder, siteHosts.www, 'First-pass-1')
  await session.addItem('A-1')
  await session.post('/items/new', { code: 'B-2', name: '螺丝 "x" \\ \'y\'', quantity: '-999999999.999', unit: '个' })
  const data = await readData(inFolder)
  expect(await activate(inDatabase, await createDraft(inDatabase, data))).toBe(204)
  expect((await session.on(inDatabase).get('/items')).body).toMatch(/A-1[^]*-999999999.999/)
  expect((await session.on(inDatabase).addItem('C-3')).status).toBe(303)
  const copiedData = await readData(inDatabase)
  expect(
    copiedData
      .split('\n')
      .filter((line) => !line.includes('"C-3"'))
      .toSorted(),
  ).toEqual(data.split('\n').toSorted())
  expect(await activate(inFolder, await createDraft(inFolder, copiedData))).toBe(204)
  expect(await readData(inFolder)).toBe(copiedData)
  expect((await session.addItem('D-4')).status).toBe(303)
  expect((await session.get('/items')).body).toMatch(/A-1[^]*C-3[^]*D-4/)
})

describe.each([
  { kind: 'folder', url: null },
  { kind: 'database', url: postgresUrl },
])('a task with its data in a $kind that is killed while it replaces its data', ({ kind, url }) => {
  it.each(limitByDay([1, 0, 4, 2, 3, 6, 8, 12, 16, 24], 1))(
    'has the old or the new data (after %i ms)',
    async (delayMs) => {
      const instance = await openInstance(url)
      const task = await instance.startTask()
      const oldData = await readData(task)
      const users = Array.from({ length: 1500 }, (_, index) => `[${index + 2},"user${index}",null,0,1]\n`).join('')
      const newData = oldData.replace(/^(\[1,"admin".*\n)/m, `$1${users}`)
      const draft = await createDraft(task, newData)
      const response = activate(task, draft).catch(() => null)
      await wait(delayMs)
      task.process.kill('SIGKILL')
      const wasAcknowledged = (await response) === 204
      const nextTask = await instance.startTask()
      const data = await readData(nextTask)
      expect([oldData, newData].filter((possibleData) => possibleData === data)).toHaveLength(1)
      if (wasAcknowledged) expect(countUsers(data)).toBe(1501)
      for (let time = 0; time < 2; time++) expect(await activate(nextTask, draft)).toBe(204)
      expect(countUsers(await readData(nextTask))).toBe(1501)
      if (kind === 'folder') {
        expect(readdirSync(join(instance.folder, 'drafts'))).toEqual([draft])
        expect(readdirSync(instance.folder)).not.toContain('data')
      }
    },
  )
})
