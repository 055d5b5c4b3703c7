import { expect, it } from 'vitest'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import type { DockerContext } from '#server/drivers/hosting/docker/services/docker-context.ts'
import { createLifecycle } from '#server/drivers/hosting/docker/services/lifecycle.ts'
import { createUpkeep } from '#server/drivers/hosting/docker/upkeep.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import { createNode, createRecord } from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const listNothing = async () => []

it('one service whose erasure does not end delays neither the other services nor the next run', async () => {
  const records = [
    createRecord({ serviceId: 1, code: 'slow', created: false, erased: 'in_progress' }),
    createRecord({ serviceId: 2, code: 'paused', pausedUntil: 1 }),
  ]
  const calls: string[] = []
  const context = {
    api: {
      listServices: listNothing,
      listTasks: listNothing,
      readNodes: async () => new Map(),
      listConfigs: listNothing,
      listNetworks: listNothing,
    },
    records: {
      list: async () => records,
      find: ({ code }: SwarmRecord) => {
        calls.push(code)
        return new Promise(() => undefined)
      },
      change: async ({ code }: SwarmRecord) => void calls.push(code),
    },
    settings: {
      prefix: 'portal',
      clock: Date.now,
      gateway: { getAddress: () => ({ url: '', adminUrl: '' }) },
      log: { warn: expect.fail },
    },
  } as unknown as DockerContext
  const upkeep = createUpkeep(context, async () => void calls.push('logs'), { stepMs: 20 })
  await upkeep()
  expect(calls).toEqual(['logs', 'slow', 'paused', 'paused'])
  calls.length = 0
  await upkeep()
  expect(calls).toEqual(['logs'])
})

it('a service with more memory than the sizes of the platform now have can get less', async () => {
  const record = createRecord({ config: { memoryMb: 2000, tasks: 1 } })
  let stored: SwarmRecord | null = null
  const context = {
    api: { listNodes: async () => [createNode('a')], listTasks: listNothing } as unknown as EngineApi,
    records: {
      changeCreated: async (_ref: unknown, _fence: number, change: (current: SwarmRecord) => Promise<SwarmRecord>) => {
        stored = await change(record)
        return stored
      },
    },
    settings: { prefix: 'portal', memorySizes: [512, 1024] },
  } as unknown as DockerContext
  const { configure } = createLifecycle(context)
  await configure(record, { memoryMb: 800, tasks: 1 }, { fence: 2 })
  expect(stored).toMatchObject({ config: { memoryMb: 800 } })
  await expect(configure(record, { memoryMb: 1500, tasks: 1 }, { fence: 2 })).rejects.toMatchObject({
    fault: 'no_memory',
  })
})
