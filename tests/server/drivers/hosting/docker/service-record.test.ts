import { describe, expect, it } from 'vitest'
import {
  completeDeployment,
  isRolledBackBySwarm,
  raiseFence,
  requireNotGivenUp,
  rollBackRecord,
  type SwarmRecord,
  startRecord,
  stopRecord,
} from '#server/drivers/hosting/docker/records/service-record.ts'
import type { EngineService } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { createRecord } from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const startInput = { fresh: true, image: 'shop:1', earlierUpdate: null, isHealthy: true }
const start = (record: SwarmRecord, overrides: Partial<Parameters<typeof startRecord>[1]> = {}) => {
  const fence = overrides.fence ?? record.fence + 1
  return startRecord(raiseFence(record, fence), { ...startInput, ...overrides, fence })
}
const runningRecord = completeDeployment(start(createRecord()), 2)

describe('the record of a hosted service', () => {
  it('begins a deployment with the configuration and apps of that moment', () => {
    const record = start(createRecord({ config: { memoryMb: 300, tasks: 2 } }))
    expect(record).toMatchObject({
      wanted: 'running',
      active: { number: 1, fence: 2, config: { memoryMb: 300, tasks: 2 }, image: 'shop:1' },
      deployment: { fence: 2, state: 'in_progress', number: 1, previous: null },
    })
  })

  it('keeps the tasks at a repeated start, and at a start that is not fresh', () => {
    const record = start(createRecord())
    expect(start(record, { fence: 2 })).toBe(record)
    const changed = { ...record, config: { memoryMb: 900, tasks: 1 } }
    expect(start(changed, { fresh: false, fence: 2 })).toBe(changed)
    expect(start(changed, { fence: 2 }).active).toMatchObject({ number: 2, config: { memoryMb: 900 } })
  })

  it('replaces the tasks at a restart without changes, and never uses a number again', () => {
    const record = start(runningRecord)
    expect(record.active?.number).toBe(2)
    const rolledBack = rollBackRecord(record, 3, 'not_healthy', true)
    expect(rolledBack.active?.number).toBe(1)
    expect(start(rolledBack).active?.number).toBe(3)
    expect(start(stopRecord(rolledBack)).active?.number).toBe(3)
  })

  it('returns to the setting and apps that ran, but keeps the requested configuration', () => {
    const app = { code: 'pay', name: 'Pay', version: '1', module: 'crm', flags: {}, package: null }
    const record = start({ ...runningRecord, apps: [app], config: { memoryMb: 900, tasks: 3 } })
    const rolledBack = rollBackRecord(record, 3, 'keeps_ending', true)
    expect(rolledBack).toMatchObject({
      active: runningRecord.active,
      apps: [],
      config: { memoryMb: 900, tasks: 3 },
      deployment: { state: 'rolled_back', fault: 'keeps_ending', previous: null },
    })
    expect(rollBackRecord(rolledBack, 3, 'no_memory', true)).toEqual(rolledBack)
    expect(() => requireNotGivenUp(rolledBack, 3)).toThrow('was rolled back')
    expect(() => requireNotGivenUp(rolledBack, 4)).not.toThrow()
  })

  it('neither completes nor reverts the deployment of another operation, nor a completed one', () => {
    const record = start(runningRecord)
    expect(rollBackRecord(record, 4, 'no_memory', true)).toBe(record)
    expect(completeDeployment(record, 4)).toBe(record)
    const completed = completeDeployment(record, 3)
    expect(rollBackRecord(completed, 3, 'no_memory', true)).toBe(completed)
  })

  it('keeps the tasks of a first start, with their fault', () => {
    const record = rollBackRecord(start(createRecord()), 2, 'not_healthy', true)
    expect(record).toMatchObject({ active: { number: 1 }, deployment: { state: 'in_progress', fault: 'not_healthy' } })
  })

  it('does not return to a setting that was never healthy', () => {
    const secondStart = start(runningRecord)
    expect(start(secondStart, { isHealthy: false }).deployment?.previous).toEqual(runningRecord.active)
    expect(start(secondStart, { isHealthy: true }).deployment?.previous).toEqual(secondStart.active)
  })

  it('keeps the fault of a rollback until the next operation', () => {
    const rolledBack = rollBackRecord(start(runningRecord), 3, 'no_memory', true)
    expect(raiseFence(rolledBack, 3).deployment?.fault).toBe('no_memory')
    expect(raiseFence(rolledBack, 4)).toMatchObject({ fence: 4, deployment: { state: 'rolled_back', fault: null } })
  })

  it('does not mistake an earlier rollback of the Swarm for one of the present deployment', () => {
    const service = {
      UpdateStatus: { State: 'rollback_completed', StartedAt: '2026-11-29T23:09:59Z' },
      Spec: { TaskTemplate: { ForceUpdate: 1 } },
    } as EngineService
    expect(isRolledBackBySwarm(start(runningRecord), service)).toBe(true)
    const laterStart = start(runningRecord, { earlierUpdate: '2026-11-29T23:09:59Z' })
    expect(isRolledBackBySwarm(laterStart, service)).toBe(false)
  })

  it('does not deploy again what the Swarm has rolled back, if the call is repeated', () => {
    const rolledBack = rollBackRecord(start(runningRecord), 3, 'keeps_ending', false)
    expect(start(rolledBack, { fence: 3 })).toBe(rolledBack)
    expect(() => requireNotGivenUp(rolledBack, 3)).not.toThrow()
    expect(() => requireNotGivenUp(rollBackRecord(rolledBack, 3, 'no_memory', true), 3)).toThrow('was rolled back')
  })
})
