/** Tests what a row says of a service, for each fault that a driver reports. */
import { describe, expect, it } from 'vitest'
import type { InstanceFault } from '#server/drivers/hosting/hosting-driver.ts'
import { toObservedFields } from '#server/use-cases/hosting/check-services.ts'
import { createDeployment, createInstanceState, createTaskStates } from '#tests/support/hosting/instance-states.ts'

const faults: readonly InstanceFault[] = [
  'keeps_ending',
  'out_of_memory',
  'no_answer',
  'not_healthy',
  'no_image',
  'no_memory',
  'node_lost',
]

describe('the row of a service', () => {
  it.each(faults)('says that the previous version runs after a rollback because of %s', (fault) => {
    const state = createInstanceState({ fault, deployment: createDeployment({ state: 'rolled_back', fault }) })
    expect(toObservedFields(state)).toMatchObject({
      system_status: 2,
      online: 1,
      fault: null,
      deployment_fault: fault,
    })
    const isDown = { healthy: false, tasks: createTaskStates(false) }
    expect(toObservedFields({ ...state, ...isDown })).toMatchObject({
      system_status: 5,
      fault,
      deployment_fault: fault,
    })
    expect(toObservedFields({ ...state, ...isDown, fault: null })).toMatchObject({ system_status: 3, fault: null })
  })

  it.each(faults)('reports the fault %s of a service that is not healthy', (fault) => {
    const state = createInstanceState({ fault, healthy: false, deployment: createDeployment({ fault }) })
    expect(toObservedFields(state)).toMatchObject({ system_status: 5, online: 0, fault, deployment_fault: null })
  })

  it.each(faults)('keeps the fault %s of a start that the host refused', (fault) => {
    const refused = { fault: null, deployment_fault: fault }
    const stopped = { wanted: 'stopped', active: null, running: null, tasks: [], healthy: false } as const
    expect(toObservedFields(createInstanceState(), fault)).toMatchObject({ ...refused, online: 1, system_status: 2 })
    expect(toObservedFields(createInstanceState(stopped), fault)).toMatchObject({
      ...refused,
      online: 0,
      system_status: 4,
    })
    // The host forgets the fault at the next operation.
    const deployment = createDeployment({ state: 'rolled_back' })
    expect(toObservedFields(createInstanceState({ deployment }), fault)).toMatchObject(refused)
    expect(toObservedFields(createInstanceState({ deployment }))).toMatchObject({ deployment_fault: null })
  })

  it('has the memory limit that was set and at most four tasks, although a replacement may run beside them', () => {
    const tasks = createTaskStates(true, true, true, true, true)
    expect(toObservedFields(createInstanceState({ tasks }))).toMatchObject({
      running_memory: 2048,
      running_tasks: 4,
      needs_reboot: false,
    })
  })
})
