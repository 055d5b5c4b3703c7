/** Tests how long an operation waits for the health of a service, and for which faults it gives up. */
import { describe, expect, it } from 'vitest'
import type { InstanceFault, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import { checkHealth, countInstances, type HealthWait } from '#server/use-cases/hosting/health-wait.ts'
import {
  createDeployment,
  createInstanceState,
  createTaskStates,
  instanceConfig,
} from '#tests/support/hosting/instance-states.ts'

const { fence } = createDeployment()
const createState = (changes: Partial<InstanceState> = {}) =>
  createInstanceState({ deployment: createDeployment(), ...changes })

/** Checks the state every second, and returns the second and the fault with which the wait is given up. */
function findEnd(readState: (second: number) => InstanceState | null): [second: number, fault: string] {
  let wait: HealthWait | undefined
  for (let second = 0; second < 1000; second++) {
    const result = checkHealth(readState(second), wait, { fence, now: second * 1000 })
    if (result.kind === 'givenUp') return [second, result.fault]
    if (result.kind === 'healthy') return [second, 'healthy']
    // A job stores the wait as JSON.
    wait = JSON.parse(JSON.stringify(result.wait)) as HealthWait
  }
  return [1000, 'still waiting']
}
const startingTasks = createTaskStates(false, false)
const withFault = (fault: InstanceFault) =>
  createState({ tasks: startingTasks, healthy: false, deployment: createDeployment({ fault }) })

describe('the wait for health', () => {
  it('ends when all instances of the deployment are healthy, not when those that ran before are', () => {
    const check = (state: InstanceState) => checkHealth(state, undefined, { fence, now: 0 }).kind
    expect(check(createState())).toBe('waiting')
    expect(check(createState({ deployment: createDeployment({ healthyTasks: 1 }) }))).toBe('waiting')
    expect(check(createState({ deployment: createDeployment({ healthyTasks: 2 }) }))).toBe('healthy')
    const replacedTasks = createState({
      tasks: createTaskStates(true, true, true),
      deployment: createDeployment({ healthyTasks: 2 }),
    })
    expect(check(replacedTasks)).toBe('waiting')
    // A start of a service that runs already begins no deployment.
    expect(check(createState({ deployment: createDeployment({ fence: 3, state: 'completed' }) }))).toBe('healthy')
    expect(check(createState({ deployment: null, running: { ...instanceConfig, tasks: 1 } }))).toBe('waiting')
    expect(check(createState({ config: { memoryMb: 0, tasks: 0 }, tasks: [], deployment: null }))).toBe('healthy')
  })

  it('ends at once or after some seconds for faults that waiting does not remove', () => {
    expect(findEnd(() => withFault('no_image'))).toEqual([0, 'no_image'])
    expect(findEnd(() => withFault('no_memory'))).toEqual([20, 'no_memory'])
    expect(findEnd(() => withFault('keeps_ending'))).toEqual([20, 'keeps_ending'])
    // A fault that goes away in between counts from its return.
    expect(findEnd((second) => withFault(second === 10 ? 'out_of_memory' : 'no_memory'))).toEqual([31, 'no_memory'])
    const stateOfDriver = createState({ deployment: createDeployment({ state: 'rolled_back', fault: 'not_healthy' }) })
    expect(findEnd(() => stateOfDriver)).toEqual([0, 'not_healthy'])
  })

  it('ends after 90 seconds for other faults and without a fault', () => {
    for (const fault of ['not_healthy', 'no_answer', 'out_of_memory', 'node_lost'] as const)
      expect(findEnd(() => withFault(fault))).toEqual([91, fault])
    expect(findEnd(() => createState({ tasks: startingTasks, healthy: false }))).toEqual([91, 'not_healthy'])
    expect(findEnd(() => createState({ tasks: startingTasks, healthy: false, deployment: null }))).toEqual([
      91,
      'no_answer',
    ])
    expect(findEnd(() => null)).toEqual([91, 'no_answer'])
  })

  it('continues while instances become healthy or the image is prepared, for at most ten minutes', () => {
    const healthyOne = createDeployment({ healthyTasks: 1 })
    const oneHealthy = createState({ tasks: createTaskStates(true, false), deployment: healthyOne })
    const noneHealthy = createState({ tasks: startingTasks, healthy: false })
    expect(findEnd((second) => (second < 60 ? noneHealthy : oneHealthy))).toEqual([151, 'not_healthy'])
    expect(findEnd(() => createState())).toEqual([601, 'not_healthy'])
    // Instances that become unhealthy and healthy again are no progress.
    expect(findEnd((second) => (second % 2 === 0 ? noneHealthy : oneHealthy))[0]).toBeLessThan(100)
  })

  it('counts the instances with the new settings', () => {
    expect(countInstances(createState({ deployment: createDeployment({ healthyTasks: 1 }) }), fence)).toEqual({
      healthy: 1,
      wanted: 2,
    })
    expect(countInstances(createState({ deployment: null, tasks: createTaskStates(true, false) }), fence)).toEqual({
      healthy: 1,
      wanted: 2,
    })
    expect(countInstances(null, fence)).toEqual({ healthy: 0, wanted: 1 })
  })
})
