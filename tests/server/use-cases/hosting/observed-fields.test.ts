/** Tests what a row says of a service, for each fault that a driver reports. */
import { describe, expect, it } from 'vitest'
import type { Deployment, InstanceFault, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { toObservedFields } from '#server/use-cases/hosting/check-services.ts'

const faults: readonly InstanceFault[] = [
  'keeps_ending',
  'out_of_memory',
  'no_answer',
  'not_healthy',
  'no_image',
  'no_memory',
  'node_lost',
]
const config = { memoryMb: 1500, tasks: 1 }
const task = { number: 1, started: 1, limitMb: 2048, usedMb: null, healthy: true }
const createState = (changes: Partial<InstanceState>): InstanceState => ({
  serviceId: 1,
  code: 'alpha1',
  created: true,
  wanted: 'running',
  config,
  active: config,
  running: config,
  apps: [],
  tasks: [task],
  healthy: true,
  fault: null,
  deployment: null,
  address: { url: '', adminUrl: '' },
  ...changes,
})
const createDeployment = (state: Deployment['state'], fault: InstanceFault | null): Deployment => ({
  fence: 1,
  state,
  healthyTasks: 0,
  wantedTasks: 1,
  fault,
})

describe('the row of a service', () => {
  it.each(faults)('says that the previous version runs after a rollback because of %s', (fault) => {
    const state = createState({ fault, deployment: createDeployment('rolled_back', fault) })
    expect(toObservedFields(state)).toMatchObject({
      system_status: 2,
      online: 1,
      fault: null,
      deployment_fault: fault,
    })
    const isDown = { healthy: false, tasks: [{ ...task, healthy: false }] }
    expect(toObservedFields({ ...state, ...isDown })).toMatchObject({
      system_status: 5,
      fault,
      deployment_fault: fault,
    })
    expect(toObservedFields({ ...state, ...isDown, fault: null })).toMatchObject({ system_status: 3, fault: null })
  })

  it.each(faults)('reports the fault %s of a service that is not healthy', (fault) => {
    const state = createState({ fault, healthy: false, deployment: createDeployment('in_progress', fault) })
    expect(toObservedFields(state)).toMatchObject({ system_status: 5, online: 0, fault, deployment_fault: null })
  })

  it.each(faults)('keeps the fault %s of a start that the host refused', (fault) => {
    const refused = { fault: null, deployment_fault: fault }
    const stopped = { wanted: 'stopped', active: null, running: null, tasks: [], healthy: false } as const
    expect(toObservedFields(createState({}), fault)).toMatchObject({ ...refused, online: 1, system_status: 2 })
    expect(toObservedFields(createState(stopped), fault)).toMatchObject({ ...refused, online: 0, system_status: 4 })
    // The host forgets the fault at the next operation.
    const deployment = createDeployment('rolled_back', null)
    expect(toObservedFields(createState({ deployment }), fault)).toMatchObject(refused)
    expect(toObservedFields(createState({ deployment }))).toMatchObject({ deployment_fault: null })
  })

  it('has the memory limit that was set and at most four tasks, although a replacement may run beside them', () => {
    const tasks = Array.from({ length: 5 }, () => task)
    expect(toObservedFields(createState({ tasks }))).toMatchObject({
      running_memory: 2048,
      running_tasks: 4,
      needs_reboot: false,
    })
  })
})
