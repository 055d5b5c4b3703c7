import { describe, expect, it } from 'vitest'
import type { EngineApi } from '#server/drivers/hosting/docker/engine/engine-api.ts'
import { EngineRefusal } from '#server/drivers/hosting/docker/engine/engine-client.ts'
import type { EngineConfig } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { createRecordStore } from '#server/drivers/hosting/docker/records/record-store.ts'
import { createRecord } from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const ref = { serviceId: 13, code: 'shop13' }

/** Stores configs like the engine: a name is unique, and an update needs the current version. */
function createConfigs() {
  const configs = new Map<string, EngineConfig>()
  const api = {
    findConfig: async (_: string, name: string) => structuredClone(configs.get(name) ?? null),
    listConfigs: async () => structuredClone([...configs.values()]),
    async createConfig(_: string, spec: EngineConfig['Spec']) {
      if (configs.has(spec.Name)) throw new EngineRefusal(409, 'config already exists')
      configs.set(spec.Name, { ID: spec.Name, Version: { Index: 1 }, CreatedAt: '', Spec: spec })
      return spec.Name
    },
    async updateConfigLabels({ ID, Version }: EngineConfig, labels: Record<string, string>) {
      const config = configs.get(ID)
      if (config?.Version.Index !== Version.Index) throw new EngineRefusal(500, 'update out of sequence')
      config.Version.Index += 1
      config.Spec.Labels = labels
    },
  }
  return { configs, store: createRecordStore(api as unknown as EngineApi, 'portal') }
}

describe('the records of services', () => {
  it('lose no change if several nodes change one at the same time', async () => {
    const { store } = createConfigs()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        store.change(ref, 5, (record) => {
          const current = record ?? createRecord({ revision: 0 })
          return { ...current, fence: 5, lastNumber: current.lastNumber + 1 }
        }),
      ),
    )
    expect(await store.find(ref)).toMatchObject({ lastNumber: 20, revision: 20, fence: 5 })
  })

  it('refuse an earlier operation, and store the fence of a later one', async () => {
    const { store } = createConfigs()
    await store.change(ref, 5, () => createRecord({ fence: 5 }))
    await expect(store.change(ref, 4, (record) => record)).rejects.toMatchObject({ fault: 'overtaken' })
    await store.changeCreated(ref, 6, (record) => record)
    await expect(store.change(ref, 5, (record) => record)).rejects.toMatchObject({ fault: 'overtaken' })
  })

  it('do not belong to another code, except for the fence of an erased service', async () => {
    const { store } = createConfigs()
    const otherRef = { ...ref, code: 'other' }
    await store.change(ref, 5, () => createRecord({ fence: 5 }))
    expect(await store.find(otherRef)).toBeNull()
    await expect(store.change(otherRef, 6, (record) => record)).rejects.toMatchObject({ fault: 'no_instance' })
    await store.change(ref, 5, (record) => record && { ...record, created: false, erased: 'yes' })
    expect(await store.find(otherRef)).toMatchObject({ erased: 'yes', fence: 5 })
    await expect(store.changeCreated(ref, 6, (record) => record)).rejects.toMatchObject({ fault: 'no_instance' })
  })

  it('report a record that cannot be read, instead of treating the service as missing', async () => {
    const { configs, store } = createConfigs()
    await store.change(ref, 5, () => createRecord({ fence: 5 }))
    const config = configs.get('portal-13')
    if (config) config.Spec.Labels = { 'portal.record': '{"format":2}' }
    await expect(store.find(ref)).rejects.toMatchObject({ fault: 'unreachable' })
    expect(await store.list()).toEqual([])
  })

  it.each([
    ['lacks fields', () => '{"format":1,"serviceId":13,"fence":5}'],
    ['is null', () => 'null'],
    ['has the id of another service', (text: string) => text.replace('"serviceId":13', '"serviceId":14')],
    ['has a list of apps that is none', (text: string) => text.replace('"apps":[]', '"apps":{}')],
  ])('say what to do about a record that %s', async (_, change) => {
    const { configs, store } = createConfigs()
    await store.change(ref, 5, () => createRecord({ fence: 5, config: { memoryMb: 0, tasks: -1 } }))
    expect(await store.list()).toHaveLength(1)
    const config = configs.get('portal-13')
    const labels = config?.Spec.Labels ?? {}
    labels['portal.record'] = change(labels['portal.record'] ?? '')
    expect(await store.list()).toEqual([])
    await expect(store.change(ref, 6, (record) => record)).rejects.toThrow(/"docker config rm portal-13"/)
  })
})
